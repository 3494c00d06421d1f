// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/claims.h"

#include <cmath>

#include "core/claim/stage_traits.h"
#include "core/tensor/philox.h"

namespace gradproof {
namespace {

constexpr double kEps = 0x1.4f8b58p-17;      // 1e-5 in float32
constexpr double kMomentum = 0x1.99999ap-4;  // 0.1 in float32
constexpr std::int64_t kLanes = 128;

/// With numbers for the scalars that are no identity, and without a count of batches.
Step step_of(StageKind kind, std::size_t position) {
  Step step{"v" + std::to_string(position), kind, "", {}, {}};
  for (const StageParameter& parameter : traits_of(kind).parameters) {
    const bool counts = !parameter.differentiable && !parameter.running;
    const std::string own = "p" + std::to_string(position);
    step.parameters.push_back(counts                   ? ""
                              : parameter.name.empty() ? own
                                                       : std::string(parameter.name));
  }
  for (const StageScalar& scalar : traits_of(kind).scalars)
    step.scalars.push_back(scalar.key == "eps" ? kEps : scalar.key == "momentum" ? kMomentum : 2.5);
  return step;
}

void add_tensors(Claim& claim) {
  const Layout matrix = Layout::contiguous({claim.rows, claim.cols});
  const Layout vector = Layout::contiguous({claim.cols});
  std::vector<TensorSpec> gradients{{"d_x", Role::gradient, DType::f32, matrix}};
  claim.tensors = {{"x", Role::input, DType::f32, matrix},
                   {"dy", Role::cotangent, DType::f32, matrix},
                   {"y", Role::output, DType::f32, matrix}};
  for (const Step& step : claim.pipeline.steps)
    for (std::size_t k = 0; k < step.parameters.size(); ++k) {
      const std::string& name = step.parameters[k];
      if (name.empty()) continue;
      claim.tensors.push_back({name, k < 2 ? Role::parameter : Role::buffer, DType::f32, vector});
      if (k < 2) gradients.push_back({"d_" + name, Role::gradient, DType::f32, vector});
    }
  claim.tensors.insert(claim.tensors.end(), gradients.begin(), gradients.end());
}

Claim claim_of(const std::vector<StageKind>& stages, std::int64_t rows, std::int64_t cols,
               std::int64_t groups) {
  Claim claim;
  claim.rows = rows;
  claim.cols = cols;
  claim.groups = groups;
  for (std::size_t k = 0; k < stages.size(); ++k)
    claim.pipeline.steps.push_back(step_of(stages[k], k));
  const std::int64_t unit = groups > 0 ? cols / groups : rows;
  const auto reduction = [](const char* name, std::int64_t length) {
    return Reduction{name, length, tree_chain(length, kLanes), "128 lanes and a tree"};
  };
  claim.contract.reductions = {reduction("statistics", unit), reduction("gradients", unit),
                               reduction("parameters", rows), reduction("shared", cols)};
  add_tensors(claim);
  return claim;
}

Tensors numbers_for(const Claim& claim) {
  Tensors inputs;
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::output || spec.role == Role::gradient) continue;
    const Stream stream(1, spec.name);
    Tensor tensor(spec.dtype, spec.layout);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double normal = stream.normal(static_cast<std::uint64_t>(i));
      const bool matrix = spec.role == Role::input || spec.role == Role::cotangent;
      tensor.set(i, matrix ? normal : 1 + std::abs(normal));
    }
    inputs.emplace(spec.name, std::move(tensor));
  }
  return inputs;
}

BenchClaim made(const std::string& name, Claim claim) {
  Tensors inputs = numbers_for(claim);
  return {name, std::move(claim), std::move(inputs)};
}

}  // namespace

std::vector<BenchClaim> bench_claims() {
  using enum StageKind;
  const std::vector<StageKind> p88{group_norm, swish, scale, swish};
  return {made("batchnorm 1024 rows", claim_of({batch_norm}, 1024, 256, 0)),
          made("batchnorm_bias_divide_swish 1024 rows",
               claim_of({batch_norm, bias, divide, swish}, 1024, 256, 0)),
          made("swish_multiply_swish 1024 rows", claim_of({swish, scale, swish}, 1024, 256, 0)),
          made("groupnorm_swish_multiply_swish groups of 64", claim_of(p88, 256, 1024, 16)),
          made("groupnorm_swish_multiply_swish groups of 1024", claim_of(p88, 256, 1024, 1))};
}

}  // namespace gradproof
