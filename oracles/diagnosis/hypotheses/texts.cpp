// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// The same edit of the text that the values go through, and of the adjoint's where `both`.
template <class Edit>
Explanation edited(const std::string& words, bool both, const Edit& edit) {
  Rules rules;
  rules.prepare = [both, edit](Scene& scene) {
    edit(scene.value_script);
    if (both) edit(scene.script);
  };
  return explained_by(words, std::move(rules));
}

bool is_norm(const Line& line) {
  return line.kind == StageKind::batch_norm || line.kind == StageKind::group_norm;
}

void add_swaps(std::vector<Explanation>& all, const Script& script, std::size_t k) {
  if (is_norm(script.lines[k]) || is_norm(script.lines[k + 1])) return;
  if (script.lines[k + 1].input != k + 1) return;
  const auto swap = [k](Script& s) {
    std::swap(s.lines[k], s.lines[k + 1]);
    std::swap(s.lines[k].input, s.lines[k + 1].input);
  };
  const std::string words = fmt::format("{} stands in front of {}, not behind it",
                                        step_words(script, k + 1), step_words(script, k));
  all.push_back(edited(words, true, swap));
  all.push_back(edited(words + ", in the values alone", false, swap));
}

/// Nothing is done there: a division by 1. Of a step with a parameter that is the parameter taken
/// as 0 or 1.
void add_omissions(std::vector<Explanation>& all, const Script& script, std::size_t k) {
  const StageKind kind = script.lines[k].kind;
  if (kind != StageKind::swish && kind != StageKind::divide) return;
  const auto leave_out = [k](Script& s) {
    s.lines[k].kind = StageKind::divide;
    s.lines[k].scalars[0] = 1;
  };
  const std::string words = step_words(script, k) + " is left out";
  all.push_back(edited(words, true, leave_out));
  all.push_back(edited(words + " of the values", false, leave_out));
}

void add_products(std::vector<Explanation>& all, const Script& script, std::size_t k) {
  if (script.lines[k].kind != StageKind::divide) return;
  const auto multiply = [k](Script& s) { s.lines[k].scalars[0] = 1 / s.lines[k].scalars[0]; };
  const std::string words =
      fmt::format("multiplied by d where it is divided (d = {})", script.lines[k].scalars[0]);
  all.push_back(edited(words + ", in value and gradient", true, multiply));
  all.push_back(edited(words + ", in the value alone", false, multiply));
}

}  // namespace

std::vector<Explanation> changed_texts(const Evidence& evidence) {
  const Script& script = evidence.scene.script;
  std::vector<Explanation> all;
  for (std::size_t k = 0; k < script.lines.size(); ++k) add_products(all, script, k);
  for (std::size_t k = 0; k + 1 < script.lines.size(); ++k) add_swaps(all, script, k);
  for (std::size_t k = 0; k < script.lines.size(); ++k) add_omissions(all, script, k);
  const Contract& contract = evidence.scene.question->claim.contract;
  if (contract.storage == DType::f64) {
    Rules rules;
    rules.prepare = [](Scene& s) { s.exp = Exp::as_float; };
    all.push_back(explained_by("exp is that of a float32", rules));
  }
  if (contract.storage == contract.accumulation) return all;
  for (std::size_t node = 1; node < script.lines.size(); ++node) {
    Rules rules;
    rules.prepare = [node](Scene& s) { s.rounded_node = node; };
    all.push_back(explained_by(
        fmt::format("{} is rounded to {}", value_words(script, node), name_of(contract.storage)),
        rules));
  }
  return all;
}

}  // namespace gradproof::diagnosis
