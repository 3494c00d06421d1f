// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// The explanation that the forward pass, and with `both` the backward pass too, has this edit.
template <class Edit>
Explanation edited(const std::string& text, bool both, const Edit& edit) {
  Rules rules;
  rules.prepare = [both, edit](ReplayedPipeline& replayed) {
    edit(replayed.value_pipeline);
    if (both) edit(replayed.compiled);
  };
  return explained_by(text, std::move(rules));
}

void add_swaps(std::vector<Explanation>& all, const CompiledPipeline& compiled, std::size_t k) {
  if (traits_of(compiled.lines[k].kind).is_norm() ||
      traits_of(compiled.lines[k + 1].kind).is_norm())
    return;
  if (compiled.lines[k + 1].input != k + 1) return;
  const auto swap = [k](CompiledPipeline& s) {
    std::swap(s.lines[k], s.lines[k + 1]);
    std::swap(s.lines[k].input, s.lines[k + 1].input);
  };
  const std::string text = fmt::format("{} stands in front of {}, not behind it",
                                       step_text(compiled, k + 1), step_text(compiled, k));
  all.push_back(edited(text, true, swap));
  all.push_back(edited(text + ", in the values alone", false, swap));
}

/// A step without parameters is left out: it becomes a division by 1. For a step with a parameter,
/// changed_numbers() takes the parameter as 0 or 1, which is the same.
void add_omissions(std::vector<Explanation>& all, const CompiledPipeline& compiled, std::size_t k) {
  const StageKind kind = compiled.lines[k].kind;
  if (kind != StageKind::swish && kind != StageKind::divide) return;
  const auto leave_out = [k](CompiledPipeline& s) {
    s.lines[k].kind = StageKind::divide;
    s.lines[k].scalars[0] = 1;
  };
  const std::string text = step_text(compiled, k) + " is left out";
  all.push_back(edited(text, true, leave_out));
  all.push_back(edited(text + " of the values", false, leave_out));
}

void add_products(std::vector<Explanation>& all, const CompiledPipeline& compiled, std::size_t k) {
  if (compiled.lines[k].kind != StageKind::divide) return;
  const auto multiply = [k](CompiledPipeline& s) {
    s.lines[k].scalars[0] = 1 / s.lines[k].scalars[0];
  };
  const std::string text =
      fmt::format("multiplied by d where it is divided (d = {})", compiled.lines[k].scalars[0]);
  all.push_back(edited(text + ", in value and gradient", true, multiply));
  all.push_back(edited(text + ", in the value alone", false, multiply));
}

}  // namespace

std::vector<Explanation> changed_pipelines(const Observation& observation) {
  const CompiledPipeline& compiled = observation.replayed.compiled;
  std::vector<Explanation> all;
  for (std::size_t k = 0; k < compiled.lines.size(); ++k) add_products(all, compiled, k);
  for (std::size_t k = 0; k + 1 < compiled.lines.size(); ++k) add_swaps(all, compiled, k);
  for (std::size_t k = 0; k < compiled.lines.size(); ++k) add_omissions(all, compiled, k);
  const Contract& contract = observation.replayed.question->claim.contract;
  if (contract.storage == DType::f64) {
    Rules rules;
    rules.prepare = [](ReplayedPipeline& s) { s.exp = Exp::as_float; };
    all.push_back(explained_by("exp is that of a float32", rules));
  }
  if (contract.storage == contract.accumulation) return all;
  for (std::size_t node = 1; node < compiled.lines.size(); ++node) {
    Rules rules;
    rules.prepare = [node](ReplayedPipeline& s) { s.rounded_node = node; };
    all.push_back(explained_by(
        fmt::format("{} is rounded to {}", value_text(compiled, node), name_of(contract.storage)),
        rules));
  }
  return all;
}

}  // namespace gradproof::diagnosis
