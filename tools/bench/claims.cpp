// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/claims.h"

#include <cmath>

#include <fmt/format.h>

#include "core/tensor/philox.h"

namespace gradproof {
namespace {

constexpr std::int64_t kLanes = 128;

void add_tensors(Claim& claim) {
  const Layout matrix = Layout::contiguous({claim.rows(), claim.cols()});
  const Layout vector = Layout::contiguous({claim.cols()});
  std::vector<TensorSpec> gradients{{"d_x", Role::gradient, DType::f32, matrix}};
  claim.tensors = {{"x", Role::input, DType::f32, matrix},
                   {"dy", Role::cotangent, DType::f32, matrix},
                   {"y", Role::output, DType::f32, matrix}};
  for (const GraphTensor& tensor : claim.graph.tensors) {
    if (tensor.part == TensorPart::input) continue;
    const bool parameter = has_gradient(tensor.part);
    const Role role = parameter ? Role::parameter : Role::buffer;
    claim.tensors.push_back({tensor.name, role, DType::f32, vector});
    if (parameter) gradients.push_back({"d_" + tensor.name, Role::gradient, DType::f32, vector});
  }
  claim.tensors.insert(claim.tensors.end(), gradients.begin(), gradients.end());
}

Claim claim_of(const std::string& graph, std::int64_t rows, std::int64_t cols) {
  Claim claim;
  claim.graph = parse_graph(graph);
  claim.extents = {{"rows", rows}, {"cols", cols}};
  const std::int64_t groups = claim.groups();
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
  const std::string norm = "batch_norm(x, weight, beta, eps=1e-05); ";
  const std::string moved =
      "new_mean = running_mean(x, running_mean, momentum=0.1); "
      "new_var = running_var(x, running_var, momentum=0.1); outputs y new_mean new_var";
  const auto grouped = [](int groups) {
    return fmt::format(
        "y = silu(scale(silu(group_norm(x, weight, beta, groups={}, eps=1e-05)), multiply))",
        groups);
  };
  return {
      made("batchnorm 1024 rows", claim_of("y = " + norm + moved, 1024, 256)),
      made("batchnorm_bias_divide_swish 1024 rows",
           claim_of("h = " + norm + "y = silu(divide(bias(h, bias), 2.5)); " + moved, 1024, 256)),
      made("swish_multiply_swish 1024 rows",
           claim_of("y = silu(scale(silu(x), multiply))", 1024, 256)),
      made("groupnorm_swish_multiply_swish groups of 64", claim_of(grouped(16), 256, 1024)),
      made("swish_bias_groupnorm groups of 64",
           claim_of("y = group_norm(bias(silu(x), bias), weight, beta, groups=16, eps=1e-05)", 256,
                    1024)),
      made("groupnorm_swish_multiply_swish groups of 1024", claim_of(grouped(1), 256, 1024))};
}

}  // namespace gradproof
