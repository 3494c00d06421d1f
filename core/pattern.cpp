// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/discrepancy.h"

namespace gradproof {
namespace {

/// The common value of f over the bad set, or -1.
template <class F>
std::int64_t common(const std::vector<std::int64_t>& bad, F f) {
  const std::int64_t first = f(bad.front());
  const bool same = std::all_of(bad.begin(), bad.end(), [&](auto i) { return f(i) == first; });
  return same ? first : -1;
}

/// The distance between neighbours of the sorted bad set where it is the same for all, or 0.
std::int64_t stride_of(const std::vector<std::int64_t>& bad) {
  const std::int64_t step = bad[1] - bad[0];
  for (std::size_t i = 2; i < bad.size(); ++i)
    if (bad[i] - bad[i - 1] != step) return 0;
  return step;
}

}  // namespace

std::string pattern_of(const std::vector<std::int64_t>& bad, const Shape& shape) {
  if (bad.empty()) return "";
  const std::int64_t total = numel(shape);
  const auto count = static_cast<std::int64_t>(bad.size());
  if (count == total) return "every element";
  if (shape.size() == 2 && count > 1) {
    const std::int64_t cols = shape[1];
    if (const auto col = common(bad, [&](auto i) { return i % cols; }); col >= 0)
      return fmt::format("all in column {}", col);
    if (const auto row = common(bad, [&](auto i) { return i / cols; }); row >= 0)
      return fmt::format("all in row {}", row);
    const auto smallest = std::min_element(bad.begin(), bad.end(),
                                           [&](auto a, auto b) { return a % cols < b % cols; });
    if (const auto from = *smallest % cols; from > 0 && count == (total / cols) * (cols - from))
      return fmt::format("the tail: every row from column {} on", from);
  }
  if (count > 1 && bad.back() == total - 1 && bad.back() - bad.front() + 1 == count)
    return fmt::format("the tail from index {} on", bad.front());
  if (const std::int64_t step = count > 2 ? stride_of(bad) : 0; step > 1)
    return fmt::format("every {}th from index {}", step, bad.front());
  return "";
}

}  // namespace gradproof
