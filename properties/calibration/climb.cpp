// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/climb.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "properties/calibration/draw.h"

namespace gradproof {
namespace {

bool is_pinned(const std::vector<std::string>& pinned, const std::string& key) {
  return std::any_of(pinned.begin(), pinned.end(),
                     [&](const std::string& pin) { return pin.starts_with(key + "="); });
}

std::string drawn(const Key& key, const RandomBits& next) {
  if (key.name == "seed") return fmt::format("{}", next() % 1000000);
  return key.name == "fill" ? draw_fill(key, next) : draw_text(key, next);
}

/// One element of x set to a number of another size; beside those that are set already.
std::string with_element(const Case& c, const RandomBits& next) {
  constexpr std::array kNumbers{"0", "1", "-1", "1e-3", "3e1", "-1e3", "1e5", "-0.3"};
  constexpr std::size_t kLongest = 60;
  const auto below = [&](std::int64_t n) { return next() % static_cast<std::uint64_t>(n); };
  const std::string more = fmt::format("x@{},{}:{}", below(c.integer("rows")),
                                       below(c.integer("cols")), kNumbers[below(kNumbers.size())]);
  const std::string& old = c.text("set");
  return old.empty() || old.size() > kLongest ? more : old + ";" + more;
}

/// A neighbour of the Case; the Case itself where what was drawn is refused.
Case neighbour(const Case& c, const std::vector<std::string>& pinned, const RandomBits& next) {
  if (next() % 4 == 0 && c.integer("rows") > 0) return c.with("set", with_element(c, next));
  const std::vector<Key>& keys = c.schema().keys;
  const Key& key = keys[next() % keys.size()];
  if (key.setting || key.type == KeyType::text || is_pinned(pinned, key.name)) return c;
  Case other = c.with(key.name, drawn(key, next));
  if (key.name == "rows" || key.name == "cols") other = other.with("set", "");
  other = without_giants(std::move(other));
  return refusal_of(other).empty() ? other : c;
}

/// The worst error/bound of each tensor, into the peaks. One result counts for all tensors.
void look(const CalibrationPlan& plan, const Case& c, Peaks& peaks) {
  const CalibrationResult result = biased(kernel_subject(plan.catalog, c), plan.biased);
  for (const auto& [name, answer] : result.answers) {
    const Tensor& got = get(result.got, name);
    const Discrepancy d = judged(got, answer, plan);
    Peak& peak = peaks[name];
    ++peak.steps;
    peak.elements += d.elements;
    peak.inexact = peak.inexact || std::any_of(answer.bound.begin(), answer.bound.end(),
                                               [](double bound) { return bound > 0; });
    if (d.elements > 0 && (!peak.at || d.max_ratio >= peak.ratio)) {
      peak.ratio = d.max_ratio;
      peak.at = c;
    }
  }
}

}  // namespace

Peaks climb(const CalibrationPlan& plan, const SchemaPtr& schema,
            const std::vector<std::string>& pinned, std::int64_t steps, const RandomBits& next) {
  Peaks peaks;
  for (std::int64_t k = 0; k < steps; ++k) {
    std::vector<std::string> pins = pinned;
    pins.push_back("fill=" + draw_fill(schema->key("fill", ""), next));
    look(plan, without_giants(draw_case(schema, pins, next)), peaks);
  }
  std::vector<std::string> names;
  for (const auto& [name, peak] : peaks) names.push_back(name);
  for (const std::string& name : names)
    for (std::int64_t k = 0; k < steps; ++k) {
      const Peak& peak = peaks.at(name);
      if (!peak.at || !peak.inexact) break;
      const Case other = neighbour(*peak.at, pinned, next);
      if (other != *peak.at) look(plan, other, peaks);
    }
  return peaks;
}

}  // namespace gradproof
