// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// The factor of the cotangent in the terms of a gradient.
struct SecondFactor {
  std::string text;  ///< empty: there is none
  Second second = Second::usual;
  std::size_t node = kNone;
};

SecondFactor usual_of(const CompiledPipeline& compiled, const Use& use) {
  const CompiledStep& line = compiled.lines[use.step];
  const bool norm = traits_of(line.kind).is_norm();
  if (norm && use.place == 0) return {"xhat", Second::usual, kNone};
  if (line.kind != StageKind::scale) return {"", Second::usual, kNone};
  return {value_text(compiled, line.input), Second::usual, kNone};
}

std::vector<SecondFactor> second_factors(const ReplayedPipeline& replayed,
                                         const SecondFactor& usual) {
  const CompiledPipeline& compiled = replayed.compiled;
  std::vector<SecondFactor> all{usual};
  if (!usual.text.empty()) all.push_back({"", Second::one, kNone});
  if (compiled.has_norm()) {
    all.push_back({"xhat", Second::xhat, kNone});
    all.push_back({"x - mean", Second::centered, kNone});
  }
  for (std::size_t node = 0; node <= compiled.lines.size(); ++node)
    all.push_back({value_text(compiled, node), Second::node, node});
  return all;
}

/// The last node that has the same cotangent, as a Bias passes its cotangent on.
std::size_t same_cotangent(const CompiledPipeline& compiled, std::size_t node) {
  const auto takes = [&](const CompiledStep& line) { return line.input == node; };
  while (node < compiled.lines.size() && compiled.lines[node].kind == StageKind::bias &&
         std::count_if(compiled.lines.begin(), compiled.lines.end(), takes) == 1 &&
         compiled.lines[node].input == node)
    ++node;
  return node;
}

std::string product_text(const std::string& cotangent, const std::string& second) {
  if (cotangent.empty()) return second.empty() ? "1" : second;
  return second.empty() ? cotangent : cotangent + " times " + second;
}

}  // namespace

std::vector<Explanation> changed_products(const Observation& observation) {
  const ReplayedPipeline& replayed = observation.replayed;
  const CompiledPipeline& compiled = replayed.compiled;
  const auto use = use_of(compiled, observation.target);
  if (!use) return {};
  const SecondFactor usual = usual_of(compiled, *use);
  const std::string right = product_text(cotangent_text(compiled, use->step + 1), usual.text);
  std::vector<Explanation> all;
  std::set<std::string> known;
  const auto add = [&](std::size_t cotangent, const SecondFactor& second) {
    Rules rules;
    rules.term = {true, cotangent, second.second, second.node};
    const std::string text =
        product_text(cotangent == kNone ? "" : cotangent_text(compiled, cotangent), second.text);
    if (text == right || !known.insert(text).second) return;
    const bool without = cotangent == kNone && second.second == Second::usual;
    all.push_back(explained_by(without ? fmt::format("{} is summed without its cotangent", text)
                                       : fmt::format("sums {}, not {}", text, right),
                               rules));
  };
  const std::vector<SecondFactor> seconds = second_factors(replayed, usual);
  for (const SecondFactor& second : seconds) add(use->step + 1, second);
  for (std::size_t node = compiled.lines.size() + 1; node-- > 0;)
    if (same_cotangent(compiled, node) == node && node != same_cotangent(compiled, use->step + 1))
      for (const SecondFactor& second : seconds) add(node, second);
  for (const SecondFactor& second : seconds) add(kNone, second);
  return all;
}

}  // namespace gradproof::diagnosis
