// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/claim/stage_traits.h"
#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// A sentence with {step}, {g} (what the norm's sums add), {n} (the unit's size), {name} (of the
/// step's parameter) and {d} (its divisor), and what it says of the step's adjoint.
struct EditedAdjoint {
  const char* text;
  StepEdit edit;
};

const std::vector<EditedAdjoint> kNorm = {
    {"term missing: mean({g})", {.mean = false}},
    {"term missing: proportional to xhat, xhat mean({g} xhat)", {.projection = false}},
    {"terms missing: mean({g}) and xhat mean({g} xhat), as if the statistics were constants",
     {.mean = false, .projection = false}},
    {"weight is left out of the norm's adjoint", {.weights = 0}},
    {"weight is multiplied into the norm's adjoint twice", {.weights = 2}},
    {"weight is multiplied in behind the sums over the group, not in front of them",
     {.weight_behind = true}},
    {"rstd is left out of the norm's adjoint", {.rstds = 0}},
    {"rstd is multiplied into the norm's adjoint twice", {.rstds = 2}},
    {"the norm's means are divided by N-1 (N = {n})", {.one_less = true}},
    {"x stands for xhat in the norm's adjoint", {.raw = true}},
    {"x stands for xhat in mean({g} xhat)", {.raw_sum = true}},
};

const std::vector<EditedAdjoint> kSwish = {
    {"the derivative of {step} lacks its term z sigmoid(z) sigmoid(-z)", {.slope = Slope::sigmoid}},
    {"the derivative of {step} is left out", {.times = 0}},
    {"the derivative of {step} lacks its term sigmoid(z)", {.slope = Slope::product}},
    {"the derivative of {step} has z sigmoid(z) sigmoid(-z) with the wrong sign",
     {.slope = Slope::minus}},
    {"the derivative of {step} is multiplied in twice", {.times = 2}},
};

const std::vector<EditedAdjoint> kScale = {
    {"{name} is left out on the way back", {.times = 0}},
    {"{name} is multiplied in twice on the way back", {.times = 2}},
};

const std::vector<EditedAdjoint> kDivide = {
    {"1/d is missing on the way back (d = {d})", {.times = 0}},
    {"divided by d twice on the way back (d = {d})", {.times = 2}},
};

const std::vector<EditedAdjoint>& edits_of(StageKind kind) {
  static const std::vector<EditedAdjoint> kNone;  // a Bias passes its cotangent on
  if (traits_of(kind).is_norm()) return kNorm;
  if (kind == StageKind::swish) return kSwish;
  if (kind == StageKind::scale) return kScale;
  return kind == StageKind::divide ? kDivide : kNone;
}

/// Adds the edit of a step with its sentence.
void add_edit(Hypotheses& all, EditedAdjoint row, std::size_t step, const std::string& of_step) {
  const CompiledStep& line = all.pipeline.lines[step];
  const int slot = line.numbers[0];
  row.edit.step = step;
  all.add(fmt::format(
              fmt::runtime(row.text), fmt::arg("step", of_step),
              fmt::arg("g", all.replay.is_grouped() ? "weight g" : "g"),
              fmt::arg("n", all.replay.unit_size()), fmt::arg("d", line.scalars[0]),
              fmt::arg("name", slot == CompiledStep::kAbsent
                                   ? ""
                                   : all.pipeline.numbers[static_cast<std::size_t>(slot)].name)),
          row.edit);
}

void add_edits(Hypotheses& all, std::size_t step) {
  const CompiledStep& line = all.pipeline.lines[step];
  const bool grouped = all.replay.is_grouped();
  if (traits_of(line.kind).is_norm() && !grouped && !all.pipeline.batch_statistics)
    return all.add("the mean terms of batch statistics are taken off in evaluation too",
                   [](Replay& replay) { replay.pipeline.batch_statistics = true; });
  for (const EditedAdjoint& row : edits_of(line.kind))
    if (grouped || !row.edit.weight_behind) add_edit(all, row, step, all.step_text(step));
  if (line.kind != StageKind::swish) return;
  for (std::size_t node = 0; node <= all.pipeline.lines.size(); ++node)
    if (node != line.input)
      all.add(fmt::format("the derivative of {} is taken at {}, not at {}", all.step_text(step),
                          all.value_text(node), all.value_text(line.input)),
              StepEdit{.step = step, .slope_node = node});
}

/// The same fault in all Swishes, as in a function that they share; the edit names the first one.
void add_all_swishes(Hypotheses& all) {
  const auto is_swish = [](const CompiledStep& line) { return line.kind == StageKind::swish; };
  const std::vector<CompiledStep>& lines = all.pipeline.lines;
  if (std::count_if(lines.begin(), lines.end(), is_swish) < 2) return;
  const auto first = std::find_if(lines.begin(), lines.end(), is_swish) - lines.begin();
  for (EditedAdjoint row : kSwish) {
    if (row.edit.times == 2) continue;
    row.edit.alike = true;
    add_edit(all, row, static_cast<std::size_t>(first), "each Swish");
  }
}

/// The forward pass, and with `both` the backward pass too, has this change.
template <class Change>
void add_change(Hypotheses& all, const std::string& text, bool both, const Change& change) {
  all.add(text, [both, change](Replay& replay) {
    change(replay.value_pipeline.lines);
    if (both) change(replay.pipeline.lines);
  });
}

using Lines = std::vector<CompiledStep>;

void add_swaps(Hypotheses& all, std::size_t k) {
  const CompiledPipeline& pipeline = all.pipeline;
  const auto is_norm = [&](std::size_t step) {
    return traits_of(pipeline.lines[step].kind).is_norm();
  };
  if (is_norm(k) || is_norm(k + 1) || pipeline.lines[k + 1].input != k + 1) return;
  const auto swap = [k](Lines& lines) {
    std::swap(lines[k], lines[k + 1]);
    std::swap(lines[k].input, lines[k + 1].input);
  };
  const std::string text = fmt::format("{} stands in front of {}, not behind it",
                                       all.step_text(k + 1), all.step_text(k));
  add_change(all, text, true, swap);
  add_change(all, text + ", in the values alone", false, swap);
}

/// A step without parameters is left out: it becomes a division by 1. For a step with a parameter,
/// add_changed_numbers() takes the parameter as 0 or 1, which is the same.
void add_omissions(Hypotheses& all, std::size_t k) {
  const StageKind kind = all.pipeline.lines[k].kind;
  if (kind != StageKind::swish && kind != StageKind::divide) return;
  const auto leave_out = [k](Lines& lines) {
    lines[k].kind = StageKind::divide;
    lines[k].scalars[0] = 1;
  };
  const std::string text = all.step_text(k) + " is left out";
  add_change(all, text, true, leave_out);
  add_change(all, text + " of the values", false, leave_out);
}

void add_products(Hypotheses& all, std::size_t k) {
  if (all.pipeline.lines[k].kind != StageKind::divide) return;
  const auto multiply = [k](Lines& lines) { lines[k].scalars[0] = 1 / lines[k].scalars[0]; };
  const std::string text =
      fmt::format("multiplied by d where it is divided (d = {})", all.pipeline.lines[k].scalars[0]);
  add_change(all, text + ", in value and gradient", true, multiply);
  add_change(all, text + ", in the value alone", false, multiply);
}

}  // namespace

void add_changed_adjoints(Hypotheses& all) {
  const std::size_t steps = all.pipeline.lines.size();
  for (std::size_t step = 0; step < steps; ++step) add_edits(all, step);
  add_all_swishes(all);
  for (std::size_t step = steps; step-- > 0;)
    if (all.pipeline.lines[step].kind != StageKind::bias)  // which multiplies nothing
      all.add(fmt::format("{} is multiplied in twice, in {}", all.cotangent_text(step + 1),
                          all.step_text(step)),
              StepEdit{.step = step, .squared = true});
}

void add_changed_pipelines(Hypotheses& all) {
  const std::size_t steps = all.pipeline.lines.size();
  for (std::size_t k = 0; k < steps; ++k) add_products(all, k);
  for (std::size_t k = 0; k + 1 < steps; ++k) add_swaps(all, k);
  for (std::size_t k = 0; k < steps; ++k) add_omissions(all, k);
  const Contract& contract = all.claim.contract;
  if (contract.storage == DType::f64)
    all.add("exp is that of a float32", [](Replay& replay) { replay.exp = Exp::as_float; });
  if (contract.storage == contract.accumulation) return;
  for (std::size_t node = 1; node < steps; ++node)
    all.add(fmt::format("{} is rounded to {}", all.value_text(node), name_of(contract.storage)),
            [node](Replay& replay) { replay.rounded_node = node; });
}

}  // namespace gradproof::diagnosis
