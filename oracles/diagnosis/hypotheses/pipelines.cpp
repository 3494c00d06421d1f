// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/claim/stage_traits.h"
#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

using Lines = std::vector<CompiledStep>;

/// The forward pass, and with `both` the backward pass too, has this change.
template <class Change>
void add_change(Hypotheses& all, const std::string& text, bool both, const Change& change) {
  CompiledPipeline changed = all.pipeline;
  change(changed.lines);
  Edit edit{.values = changed};
  if (both) edit.cotangents = changed;
  all.add(text, std::move(edit));
}

void add_swaps(Hypotheses& all, std::size_t k) {
  const Lines& lines = all.pipeline.lines;
  const auto is_norm = [&](std::size_t step) { return traits_of(lines[step].kind).is_norm(); };
  if (is_norm(k) || is_norm(k + 1) || lines[k + 1].input != k + 1) return;
  const auto swap = [k](Lines& changed) {
    std::swap(changed[k], changed[k + 1]);
    std::swap(changed[k].input, changed[k + 1].input);
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
  const CompiledStep& line = all.pipeline.lines[k];
  if (line.kind != StageKind::divide) return;
  const auto multiply = [k](Lines& lines) { lines[k].scalars[0] = 1 / lines[k].scalars[0]; };
  const std::string text =
      fmt::format("multiplied by d where it is divided (d = {})", line.scalars[0]);
  add_change(all, text + ", in value and gradient", true, multiply);
  add_change(all, text + ", in the value alone", false, multiply);
}

}  // namespace

void add_changed_pipelines(Hypotheses& all) {
  const std::size_t steps = all.pipeline.lines.size();
  for (std::size_t k = 0; k < steps; ++k) add_products(all, k);
  for (std::size_t k = 0; k + 1 < steps; ++k) add_swaps(all, k);
  for (std::size_t k = 0; k < steps; ++k) add_omissions(all, k);
  const Contract& contract = all.claim.contract;
  const DType narrow = contract.storage;
  if (narrow == DType::f64) all.add("exp is that of a float32", Edit{.exp = Exp::as_float});
  if (narrow == contract.accumulation) return;
  for (std::size_t node = 1; node < steps; ++node)
    all.add(fmt::format("{} is rounded to {}", all.value_text(node), name_of(narrow)),
            Edit{.node = node, .value = [narrow](Numbers& value, const ReplayedUnit&) {
                   for (TrackedReal& v : value)
                     v.value = round_to(narrow, static_cast<double>(v.value));
                 }});
}

}  // namespace gradproof::diagnosis
