// SPDX-License-Identifier: Apache-2.0
#include "judge/trust.h"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr double kNoIdentity = std::numeric_limits<double>::quiet_NaN();

/// Numbers that a step takes beside the values that run through it.
struct Parameter {
  std::string name;
  std::size_t step;      ///< its place in the pipeline
  bool multiplies;       ///< the adjoint has it as a factor
  double identity;       ///< the stage does nothing with it; NaN: there is none
  bool running = false;  ///< a running statistic
};

bool is_norm(const Step& step) {
  return step.kind == StageKind::batch_norm || step.kind == StageKind::group_norm;
}

std::vector<Parameter> parameters_of(const Pipeline& pipeline) {
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
    const Step& step = pipeline.steps[i];
    const auto add = [&](std::size_t place, bool multiplies, double identity, bool running) {
      if (place < step.parameters.size() && !step.parameters[place].empty())
        all.push_back({step.parameters[place], i, multiplies, identity, running});
    };
    if (step.kind == StageKind::bias) add(0, false, 0, false);
    if (step.kind == StageKind::scale) add(0, true, 1, false);
    if (!is_norm(step)) continue;
    add(0, true, 1, false);
    add(1, false, 0, false);
    if (step.kind != StageKind::batch_norm) continue;
    add(2, false, 0, true);           // running_mean
    add(3, true, kNoIdentity, true);  // running_var
  }
  return all;
}

/// Whether a step behind the i-th has an adjoint that depends on its input.
bool bends_after(const Pipeline& pipeline, std::size_t i) {
  for (std::size_t k = i + 1; k < pipeline.steps.size(); ++k) {
    const Step& step = pipeline.steps[k];
    if (step.kind == StageKind::swish || step.kind == StageKind::group_norm) return true;
    if (step.kind == StageKind::batch_norm && pipeline.batch_statistics) return true;
  }
  return false;
}

/// Of the gradient of a parameter; nullopt: of x, before all steps. A running statistic comes
/// before the weight of its own step.
bool gradient_depends(const Pipeline& pipeline, const Parameter& p,
                      const std::optional<Parameter>& of) {
  if (!of || p.step > of->step) return p.multiplies || bends_after(pipeline, p.step);
  if (p.step == of->step && !p.running) return bends_after(pipeline, p.step);
  return of->multiplies || bends_after(pipeline, of->step);
}

/// mean, rstd and the buffers: what runs into the norm; with running statistics these, too.
bool side_value_depends(const Claim& claim, const Parameter& p, const std::string& tensor) {
  if (p.running && claim.pipeline.batch_statistics) return tensor == p.name;
  if (p.running) return tensor == (p.multiplies ? "rstd" : "mean");
  for (std::size_t k = p.step + 1; k < claim.pipeline.steps.size(); ++k)
    if (is_norm(claim.pipeline.steps[k])) return claim.pipeline.batch_statistics;
  return false;
}

bool depends(const Claim& claim, const std::vector<Parameter>& all, const Parameter& p,
             const std::string& tensor) {
  const bool used = !p.running || !claim.pipeline.batch_statistics;
  if (tensor == "y") return used;
  if (claim.tensor(tensor).dtype == DType::i64) return false;  // the count of batches
  if (claim.tensor(tensor).role != Role::gradient) return side_value_depends(claim, p, tensor);
  std::optional<Parameter> of;
  for (const Parameter& other : all)
    if (tensor == "d_" + other.name) of = other;
  return used && gradient_depends(claim.pipeline, p, of);
}

/// The number that all elements are, or NaN.
double common_number(const Tensor& tensor) {
  for (std::int64_t i = 1; i < tensor.numel(); ++i)
    if (tensor.at(i) != tensor.at(0)) return kNoIdentity;
  return tensor.numel() == 0 ? kNoIdentity : tensor.at(0);
}

std::string lack_of(const Parameter& p, const Tensor& numbers) {
  const double number = common_number(numbers);
  if (number == p.identity)
    return fmt::format("{} is {} everywhere: a kernel without it would pass", p.name, number);
  if (numbers.numel() > 1 && !std::isnan(number))
    return fmt::format("{} is {} everywhere: a wrong index would pass", p.name, number);
  return "";
}

/// Of a buffer after its update, (1 - m) old + m new: what a wrong update would have in common with
/// it.
std::string lack_of_momentum(const Pipeline& pipeline, const std::string& tensor) {
  if (!pipeline.batch_statistics || !pipeline.update_running) return "";
  for (const Step& step : pipeline.steps) {
    if (step.kind != StageKind::batch_norm || step.parameters.size() < 4) continue;
    if (tensor != step.parameters[2] && tensor != step.parameters[3]) continue;
    const double momentum = step.scalars.at(1);
    if (momentum == 0) return "momentum is 0: a kernel that never updates would pass";
    if (momentum == 1) return "momentum is 1: a kernel that forgets the old number would pass";
    if (momentum == 0.5) return "momentum is 0.5: a kernel that exchanges the shares would pass";
  }
  return "";
}

}  // namespace

std::string reason_to_mistrust(const Claim& claim, const Tensors& inputs,
                               const std::string& tensor) {
  const std::vector<Parameter> all = parameters_of(claim.pipeline);
  for (const Parameter& p : all) {
    if (!depends(claim, all, p, tensor)) continue;
    if (const std::string lack = lack_of(p, get(inputs, p.name)); !lack.empty()) return lack;
  }
  for (std::size_t i = 0; i < claim.pipeline.steps.size(); ++i) {
    const Step& step = claim.pipeline.steps[i];
    if (step.kind != StageKind::divide || step.scalars.empty() || step.scalars[0] != 1) continue;
    if (depends(claim, all, {step.name, i, true, 1}, tensor))
      return "divide is 1: a kernel without it would pass";
  }
  return lack_of_momentum(claim.pipeline, tensor);
}

}  // namespace gradproof
