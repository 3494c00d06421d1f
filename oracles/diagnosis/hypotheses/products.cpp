// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// The factor of the cotangent in the terms of a gradient.
struct SecondFactor {
  std::string text;  ///< empty: there is none
  Second second = Second::usual;
  std::size_t node = kNone;
};

/// All that the cotangent could be multiplied with, the right one first.
std::vector<SecondFactor> second_factors(const Hypotheses& h, const Use& use) {
  const CompiledPipeline& pipeline = h.pipeline;
  const CompiledStep& line = pipeline.lines[use.step];
  const bool xhat = traits_of(line.kind).is_norm() && use.place == 0;
  const std::string value =
      line.kind == StageKind::scale ? h.value_text(line.input) : std::string();
  std::vector<SecondFactor> all{{xhat ? "xhat" : value, Second::usual, kNone}};
  if (!all.front().text.empty()) all.push_back({"", Second::one, kNone});
  if (pipeline.has_norm()) {
    all.push_back({"xhat", Second::xhat, kNone});
    all.push_back({"x - mean", Second::centered, kNone});
  }
  for (std::size_t node = 0; node <= pipeline.lines.size(); ++node)
    all.push_back({h.value_text(node), Second::node, node});
  return all;
}

/// The last node that has the same cotangent, as a Bias passes its cotangent on.
std::size_t same_cotangent(const CompiledPipeline& pipeline, std::size_t node) {
  const auto takes = [&](const CompiledStep& line) { return line.input == node; };
  while (node < pipeline.lines.size() && pipeline.lines[node].kind == StageKind::bias &&
         std::count_if(pipeline.lines.begin(), pipeline.lines.end(), takes) == 1 &&
         pipeline.lines[node].input == node)
    ++node;
  return node;
}

std::string product_text(const std::string& cotangent, const std::string& second) {
  if (cotangent.empty()) return second.empty() ? "1" : second;
  return second.empty() ? cotangent : cotangent + " times " + second;
}

}  // namespace

void add_changed_products(Hypotheses& all) {
  const CompiledPipeline& pipeline = all.pipeline;
  const auto use = use_of(pipeline, all.sample.target);
  if (!use) return;
  const std::size_t right_node = use->step + 1;
  std::vector<std::size_t> nodes{right_node};
  for (std::size_t node = pipeline.lines.size() + 1; node-- > 0;)
    if (same_cotangent(pipeline, node) == node && node != same_cotangent(pipeline, right_node))
      nodes.push_back(node);
  nodes.push_back(kNone);
  const std::vector<SecondFactor> seconds = second_factors(all, *use);
  const std::string right = product_text(all.cotangent_text(right_node), seconds[0].text);
  std::set<std::string> known{right};
  for (const std::size_t node : nodes)
    for (const SecondFactor& second : seconds) {
      const std::string text =
          product_text(node == kNone ? "" : all.cotangent_text(node), second.text);
      if (!known.insert(text).second) continue;
      const bool without = node == kNone && second.second == Second::usual;
      all.add(without ? fmt::format("{} is summed without its cotangent", text)
                      : fmt::format("sums {}, not {}", text, right),
              Edit{.term = {true, node, second.second, second.node}});
    }
}

}  // namespace gradproof::diagnosis
