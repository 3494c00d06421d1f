// SPDX-License-Identifier: Apache-2.0
#include "oracles/pipeline/compiled_pipeline.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {
namespace {

struct Evaluated {
  std::string_view word;
  StageFormula formula;
};
constexpr std::array kEvaluated{Evaluated{"bias", StageFormula::bias},
                                Evaluated{"add", StageFormula::bias},
                                Evaluated{"scale", StageFormula::scale},
                                Evaluated{"multiply", StageFormula::scale},
                                Evaluated{"divide", StageFormula::divide},
                                Evaluated{"silu", StageFormula::swish},
                                Evaluated{"batch_norm", StageFormula::batch_norm},
                                Evaluated{"batch_norm_eval", StageFormula::batch_norm},
                                Evaluated{"group_norm", StageFormula::group_norm}};

StageFormula formula_of(const GraphStep& step) {
  for (const Evaluated& one : kEvaluated)
    if (one.word == step.stage) return one.formula;
  throw InstrumentError(
      fmt::format("no formula for stage '{}' in the pipelines of kernels", step.stage));
}

/// The place of step k's input: 0 for x, j + 1 for the value of step j.
std::size_t input_of(const std::vector<GraphStep>& steps, std::size_t k) {
  const std::string& from = steps[k].operands.front().name;
  if (from == "x") return 0;
  for (std::size_t earlier = 0; earlier < k; ++earlier)
    if (steps[earlier].value == from) return earlier + 1;
  throw InstrumentError("step '" + steps[k].value + "' takes '" + from + "', which is no value");
}

std::vector<ParameterSlot> numbers_of(const Claim& claim) {
  std::vector<ParameterSlot> numbers;
  for (std::size_t k = 0; k < claim.tensors.size(); ++k) {
    const TensorSpec& spec = claim.tensors[k];
    const bool taken = spec.role == Role::parameter || spec.role == Role::buffer;
    if (!taken || spec.dtype == DType::i64) continue;
    const bool shared = numel(spec.layout.shape) == 1 && claim.cols() > 1;
    numbers.push_back({spec.name, k, shared, false});
  }
  return numbers;
}

/// The side values of a norm; if two norms have one of the same name, the first norm's.
void add_sides(std::vector<NormOutputSlot>& sides, const CompiledPipeline& compiled,
               std::size_t line) {
  const auto add = [&](const std::string& name, NormOutput side) {
    const auto same = [&](const NormOutputSlot& slot) { return slot.name == name; };
    if (std::none_of(sides.begin(), sides.end(), same)) sides.push_back({name, side, line});
  };
  add("mean", NormOutput::mean);
  add("rstd", NormOutput::rstd);
  const auto& numbers = compiled.lines[line].numbers;
  if (numbers[2] == CompiledStep::kAbsent) return;
  add(compiled.numbers[static_cast<std::size_t>(numbers[2])].name, NormOutput::running_mean);
  add(compiled.numbers[static_cast<std::size_t>(numbers[3])].name, NormOutput::running_var);
}

/// Finds a scale whose value the BatchNorm takes and no other step does, if the contract has its
/// gradient in closed form.
void find_scale_in_front(const Claim& claim, std::vector<CompiledStep>& lines, std::size_t norm) {
  CompiledStep& line = lines[norm];
  const bool asked = claim.contract.scale_in_closed_form && claim.batch_statistics();
  if (!asked || line.formula != StageFormula::batch_norm || line.later_norm || line.input == 0)
    return;
  CompiledStep& scale = lines[line.input - 1];
  const auto takes = [&](const CompiledStep& other) { return other.input == line.input; };
  if (scale.formula != StageFormula::scale || std::count_if(lines.begin(), lines.end(), takes) != 1)
    return;
  line.scaled_by = static_cast<int>(line.input - 1);
  scale.gradient_behind = true;
}

/// The running statistics that a step moves, and the momentum.
struct Moved {
  std::string mean, variance;
  double momentum = 0;
};

/// The running statistics that a training step moves with the norm's argument.
Moved moved_by(const Claim& claim, const GraphStep& norm) {
  Moved moved;
  for (const GraphStep& step : claim.graph.steps) {
    const GraphStage& row = graph_stage(step.stage);
    if (!row.moves_statistic() || step.operands[0] != norm.operands[0]) continue;
    const bool mean = row.operands[1].part == TensorPart::running_mean;
    (mean ? moved.mean : moved.variance) = step.operands[1].name;
    moved.momentum =
        claim.cumulative ? std::numeric_limits<double>::quiet_NaN() : step.number("momentum");
  }
  if (moved.mean.empty() != moved.variance.empty())
    throw InstrumentError("a training step moves both running statistics, or none");
  return moved;
}

/// Fills in the steps one by one.
struct Compiler {
  const Claim& claim;
  CompiledPipeline& compiled;

  /// The parameter's position in CompiledPipeline::numbers; kAbsent for an empty name.
  int slot(const std::string& name, bool has_gradient) {
    if (name.empty()) return CompiledStep::kAbsent;
    ParameterSlot& number = compiled.numbers[compiled.number(name)];
    number.gradient = number.gradient || has_gradient;
    return static_cast<int>(&number - compiled.numbers.data());
  }

  void norm(CompiledStep& line, const GraphStep& step) {
    const bool given = line.row->statistics == StageStatistics::given;
    Moved running;
    if (given)
      running = {operand_of(step, "mean"), operand_of(step, "var"), 0};
    else if (line.formula == StageFormula::batch_norm)
      running = moved_by(claim, step);
    line.numbers = {slot(operand_of(step, "weight"), true), slot(operand_of(step, "beta"), true),
                    slot(running.mean, false), slot(running.variance, false)};
    line.scalars = {step.number("eps"), running.momentum};
  }

  void pointwise(CompiledStep& line, const GraphStep& step) {
    if (step.operands.size() < 2) return;
    const bool number = line.formula == StageFormula::divide;
    if (step.operands[1].is_number() != number)
      throw InstrumentError(fmt::format("{} of '{}' takes a {}", step.stage, step.value,
                                        number ? "number" : "tensor"));
    if (number)
      line.scalars[0] = step.operands[1].number;
    else
      line.numbers[0] = slot(step.operands[1].name, true);
  }

  CompiledStep line(const std::vector<GraphStep>& steps, std::size_t k) {
    CompiledStep line;
    line.row = &graph_stage(steps[k].stage);
    line.formula = formula_of(steps[k]);
    line.input = input_of(steps, k);
    line.later_norm = line.row->is_norm() && compiled.norm < k;
    if (line.row->is_norm())
      norm(line, steps[k]);
    else
      pointwise(line, steps[k]);
    return line;
  }
};

}  // namespace

CompiledPipeline::CompiledPipeline(const Claim& claim)
    : numbers(numbers_of(claim)),
      forward(claim.forward),
      backward(claim.backward),
      channels(claim.groups() > 0),
      batch_statistics(claim.batch_statistics()),
      update_running(claim.update_running()),
      scalar(claim.contract.scalar) {
  const std::vector<GraphStep> steps = claim.chain();
  norm = steps.size();
  Compiler compiler{claim, *this};
  for (std::size_t k = 0; k < steps.size(); ++k) {
    lines.push_back(compiler.line(steps, k));
    if (!lines.back().row->is_norm()) continue;
    norm = std::min(norm, k);
    add_sides(sides, *this, k);
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
