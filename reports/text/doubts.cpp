// SPDX-License-Identifier: Apache-2.0
#include "reports/text/doubts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <regex>
#include <utility>

#include <fmt/format.h>

namespace gradproof {
namespace {

/// What leaves room for a wrong kernel.
enum class DoubtSource { inputs, bound };

/// A reason with numbers of its own, and what all of its kind have in common.
struct Kind {
  std::regex pattern;
  const char* words;
  DoubtSource source;
};

struct Doubt {
  std::string words;
  DoubtSource source;
};

/// The reason without its numbers, so that those of a kind are counted together.
Doubt doubt_of(const std::string& reason) {
  static const std::array<Kind, 7> kKinds{
      Kind{std::regex("zeros would pass: every truth is 0"), "every truth is 0",
           DoubtSource::inputs},
      Kind{std::regex("zeros would pass in\\b.*"), "zeros would pass in most elements",
           DoubtSource::bound},
      Kind{std::regex("the bound is \\S+% of the truth\\b.*"), "the bound is over 5% of the truth",
           DoubtSource::bound},
      Kind{std::regex("the bound of \\S+ elements is vacuous"), "the bound of some is infinite",
           DoubtSource::bound},
      Kind{std::regex("(\\S+) is \\S+ everywhere\\b.*"), "$1 is one number everywhere",
           DoubtSource::inputs},
      Kind{std::regex("(\\S+) is \\S+(:.*)?"), "$1 is a number that hides a fault",
           DoubtSource::inputs},
      Kind{std::regex("no elements\\b.*"), "no elements", DoubtSource::inputs}};
  std::smatch found;
  for (const Kind& kind : kKinds)
    if (std::regex_match(reason, found, kind.pattern))
      return {found.format(kind.words), kind.source};
  return {reason.substr(0, reason.find(':')), DoubtSource::inputs};
}

using Counts = std::map<std::string, std::int64_t>;

std::int64_t sum_of(const Counts& counts) {
  std::int64_t sum = 0;
  for (const auto& [words, count] : counts) sum += count;
  return sum;
}

/// "7 dy is one number everywhere, 2 every truth is 0": the most first.
std::string counts_text(const Counts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [words, count] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
  return text;
}

}  // namespace

std::string known_line(const std::vector<Record>& records) {
  Counts known;
  for (const Record& r : records)
    if (r.known && is_pass(r.verdict.outcome)) ++known[std::string(name_of(*r.known))];
  return known.empty() ? "" : "passed whatever the inputs are: " + counts_text(known);
}

std::string mistrusted_line(const std::vector<Record>& records) {
  std::map<DoubtSource, Counts> sources;
  for (const Record& r : records) {
    if (r.verdict.outcome != Outcome::mistrusted) continue;
    const Doubt doubt = doubt_of(r.verdict.reason);
    ++sources[doubt.source][doubt.words];
  }
  const Counts &inputs = sources[DoubtSource::inputs], &bound = sources[DoubtSource::bound];
  const std::int64_t all = sum_of(inputs) + sum_of(bound);
  if (all == 0) return "";
  const double percent = 100.0 * static_cast<double>(all) / static_cast<double>(records.size());
  std::string text = fmt::format("{} {} little ({:.3g}% of all):", all,
                                 all == 1 ? "pass proves" : "passes prove", percent);
  if (!inputs.empty())
    text += fmt::format(" by their inputs {}: {}", sum_of(inputs), counts_text(inputs));
  if (!bound.empty())
    text += fmt::format("{} by their bound {}: {}", inputs.empty() ? "" : ";", sum_of(bound),
                        counts_text(bound));
  return text;
}

bool resolves_something(const Record& record) {
  return record.known != KnownTruth::vanishes && record.known != KnownTruth::no_elements;
}

}  // namespace gradproof
