// SPDX-License-Identifier: Apache-2.0
#include "core/nearest_word.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// The optimal string alignment distance; edits[i][j] is that of the first i and j letters.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(edits[0].begin(), edits[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    edits[i][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      edits[i][j] = std::min({replaced, edits[i - 1][j] + 1, edits[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits.back().back();
}

}  // namespace

std::string did_you_mean(std::string_view written, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord = 100;  // no word that there is has as many letters
  if (written.size() > kLongestWord) return "";
  const auto nearest =
      std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edits_between(written, a) < edits_between(written, b);
      });
  if (nearest == known.end() || 3 * edits_between(written, *nearest) > written.size()) return "";
  return fmt::format("; did you mean '{}'?", *nearest);
}

std::vector<std::string> names_with(std::string_view what, const std::vector<std::string>& names,
                                    const std::vector<std::string>& texts) {
  if (texts.empty()) return names;
  const auto has = [](const std::string& name, const std::string& text) {
    return name.find(text) != std::string::npos;
  };
  for (const std::string& text : texts)
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return has(name, text); }))
      throw UsageError(fmt::format("no {} has '{}' in its name; known: {}{}", what, text,
                                   fmt::join(names, " "), did_you_mean(text, names)));
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (std::any_of(texts.begin(), texts.end(), [&](const auto& text) { return has(name, text); }))
      found.push_back(name);
  return found;
}

}  // namespace gradproof
