// SPDX-License-Identifier: Apache-2.0
#include "judge/trust.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/claim/stage_traits.h"

namespace gradproof {
namespace {

/// A number, or a tensor of them, that a step takes beside the value that runs through it.
struct Parameter {
  std::string name;
  std::size_t step;  ///< its place in the pipeline
  bool multiplies;   ///< the adjoint has it as a factor
  double identity;   ///< the stage does nothing with it; NaN: there is none
  bool running = false;
};

std::vector<Parameter> parameters_of(const Pipeline& pipeline) {
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
    const Step& step = pipeline.steps[i];
    const StageTraits& traits = traits_of(step);
    for (std::size_t k = 0; k < std::min(traits.parameters.size(), step.parameters.size()); ++k) {
      const StageParameter& p = traits.parameters[k];
      if (step.parameters[k].empty() || (!p.differentiable && !p.running)) continue;
      all.push_back({step.parameters[k], i, p.multiplies, p.identity, p.running});
    }
  }
  return all;
}

/// Whether a step behind the i-th has an adjoint that depends on its input.
bool is_curved_after(const Pipeline& pipeline, std::size_t i) {
  return std::any_of(
      pipeline.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, pipeline.steps.end(),
      [&](const Step& step) { return traits_of(step).is_curved(pipeline.batch_statistics); });
}

/// Of the gradient of a parameter; nullopt: of x, before all steps. A running statistic comes
/// before the weight of its own step.
bool gradient_depends(const Pipeline& pipeline, const Parameter& p,
                      const std::optional<Parameter>& of) {
  if (!of || p.step > of->step) return p.multiplies || is_curved_after(pipeline, p.step);
  if (p.step == of->step && !p.running) return is_curved_after(pipeline, p.step);
  return of->multiplies || is_curved_after(pipeline, of->step);
}

/// mean, rstd and the buffers: what runs into the norm; with running statistics these, too.
bool side_value_depends(const Claim& claim, const Parameter& p, const std::string& tensor) {
  if (p.running && claim.pipeline.batch_statistics) return tensor == p.name;
  if (p.running) return tensor == (p.multiplies ? "rstd" : "mean");
  for (std::size_t k = p.step + 1; k < claim.pipeline.steps.size(); ++k)
    if (traits_of(claim.pipeline.steps[k]).is_norm()) return claim.pipeline.batch_statistics;
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

/// With which the step moves that buffer; nothing where the buffer is none of its running
/// statistics.
std::optional<double> momentum_of(const Step& step, const std::string& tensor) {
  const StageTraits& traits = traits_of(step);
  for (std::size_t k = 0; k < std::min(traits.parameters.size(), step.parameters.size()); ++k)
    if (traits.parameters[k].running && step.parameters[k] == tensor)
      for (std::size_t s = 0; s < traits.scalars.size(); ++s)
        if (traits.scalars[s].key == "momentum") return step.scalars.at(s);
  return std::nullopt;
}

/// Of a buffer after its update, (1 - m) old + m new: what a wrong update would have in common with
/// it.
std::string lack_of_momentum(const Pipeline& pipeline, const std::string& tensor) {
  if (!pipeline.batch_statistics || !pipeline.update_running) return "";
  for (const Step& step : pipeline.steps) {
    const std::optional<double> momentum = momentum_of(step, tensor);
    if (!momentum) continue;
    if (*momentum == 0) return "momentum is 0: a kernel that never updates would pass";
    if (*momentum == 1) return "momentum is 1: a kernel that forgets the old number would pass";
    if (*momentum == 0.5) return "momentum is 0.5: a kernel that exchanges the shares would pass";
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
    const auto& scalars = traits_of(step).scalars;
    for (std::size_t k = 0; k < std::min(scalars.size(), step.scalars.size()); ++k)
      if (step.scalars[k] == scalars[k].identity &&
          depends(claim, all, {step.name, i, true, scalars[k].identity}, tensor))
        return fmt::format("{} is {}: a kernel without it would pass", scalars[k].key,
                           step.scalars[k]);
  }
  return lack_of_momentum(claim.pipeline, tensor);
}

}  // namespace gradproof
