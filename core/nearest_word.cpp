// SPDX-License-Identifier: Apache-2.0
#include "core/nearest_word.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace gradproof {
namespace {

std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // to the first letters of b, from those of a so far
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view written, const std::vector<std::string>& known) {
  const auto nearest =
      std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edits_between(written, a) < edits_between(written, b);
      });
  if (nearest == known.end() || 3 * edits_between(written, *nearest) > written.size()) return "";
  return fmt::format("; did you mean '{}'?", *nearest);
}

}  // namespace gradproof
