// SPDX-License-Identifier: Apache-2.0
#include "oracles/pipeline/compiled_pipeline.h"

#include <algorithm>

#include "core/claim/stage_traits.h"
#include "core/error.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {
namespace {

/// Where the input of step k lies.
std::size_t input_of(const std::vector<Step>& steps, std::size_t k) {
  const std::string& from = steps[k].from;
  if (from.empty()) return k;
  if (from == "x") return 0;
  for (std::size_t earlier = 0; earlier < k; ++earlier)
    if (steps[earlier].name == from) return earlier + 1;
  throw InstrumentError("step '" + steps[k].name + "' takes '" + from + "', which is no value");
}

std::vector<ParameterSlot> numbers_of(const Claim& claim) {
  std::vector<ParameterSlot> numbers;
  for (std::size_t k = 0; k < claim.tensors.size(); ++k) {
    const TensorSpec& spec = claim.tensors[k];
    const bool taken = spec.role == Role::parameter || spec.role == Role::buffer;
    if (!taken || spec.dtype == DType::i64) continue;
    const bool shared = numel(spec.layout.shape) == 1 && claim.cols > 1;
    numbers.push_back({spec.name, k, shared, false});
  }
  return numbers;
}

/// The side values of a norm; where two norms have one of the same name, the first one's.
void add_sides(std::vector<NormOutputSlot>& sides, const Step& step, std::size_t line) {
  const auto add = [&](const std::string& name, NormOutput side) {
    const auto same = [&](const NormOutputSlot& slot) { return slot.name == name; };
    if (std::none_of(sides.begin(), sides.end(), same)) sides.push_back({name, side, line});
  };
  add("mean", NormOutput::mean);
  add("rstd", NormOutput::rstd);
  if (!traits_of(step).has_running_statistics() || step.parameters.at(2).empty()) return;
  add(step.parameters[2], NormOutput::running_mean);
  add(step.parameters[3], NormOutput::running_var);
}

/// A scale whose value the BatchNorm takes and no other step does, if the contract has its gradient
/// in closed form.
void find_scale_in_front(const Claim& claim, std::vector<CompiledStep>& lines, std::size_t norm) {
  CompiledStep& line = lines[norm];
  const bool asked = claim.contract.scale_in_closed_form && claim.pipeline.batch_statistics;
  if (!asked || line.kind != StageKind::batch_norm || line.later_norm || line.input == 0) return;
  CompiledStep& scale = lines[line.input - 1];
  const auto takes = [&](const CompiledStep& other) { return other.input == line.input; };
  if (scale.kind != StageKind::scale || std::count_if(lines.begin(), lines.end(), takes) != 1)
    return;
  line.scaled_by = static_cast<int>(line.input - 1);
  scale.gradient_behind = true;
}

}  // namespace

CompiledPipeline::CompiledPipeline(const Claim& claim)
    : numbers(numbers_of(claim)),
      norm(claim.pipeline.steps.size()),
      forward(claim.forward),
      backward(claim.backward),
      channels(claim.groups > 0),
      batch_statistics(claim.pipeline.batch_statistics),
      update_running(claim.pipeline.update_running),
      scalar(claim.contract.scalar) {
  const std::vector<Step>& steps = claim.pipeline.steps;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    CompiledStep line{step.kind, input_of(steps, k), {}, {}, traits_of(step).is_norm() && norm < k};
    line.numbers.fill(CompiledStep::kAbsent);
    const auto& parameters = traits_of(step).parameters;
    if (step.parameters.size() > parameters.size())
      throw InstrumentError("step '" + step.name + "' has more parameters than its kind");
    for (std::size_t i = 0; i < std::min(step.parameters.size(), line.numbers.size()); ++i)
      for (std::size_t slot = 0; slot < numbers.size(); ++slot)
        if (numbers[slot].name == step.parameters[i]) {
          line.numbers[i] = static_cast<int>(slot);
          numbers[slot].gradient = numbers[slot].gradient || parameters[i].differentiable;
        }
    std::copy_n(step.scalars.begin(), std::min<std::size_t>(step.scalars.size(), 2),
                line.scalars.begin());
    if (traits_of(step).is_norm()) {
      norm = std::min(norm, k);
      add_sides(sides, step, k);
    }
    lines.push_back(line);
  }
  if (has_norm()) find_scale_in_front(claim, lines, norm);
}

ReductionName::operator const std::string&() const {
  static const std::array<std::string, 4> words{"statistics", "gradients", "parameters", "shared"};
  return words[static_cast<std::size_t>(place)];
}

std::size_t CompiledPipeline::number(std::string_view name) const {
  for (std::size_t slot = 0; slot < numbers.size(); ++slot)
    if (numbers[slot].name == name) return slot;
  throw InstrumentError("the claim has no parameter '" + std::string(name) + "'");
}

}  // namespace gradproof
