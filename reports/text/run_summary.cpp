// SPDX-License-Identifier: Apache-2.0
#include "reports/text/run_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "reports/text/number_text.h"
#include "reports/text/overview.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

/// A summary names so many kinds of doubtful passes; fewer where sentences take two lines, so that
/// a green run keeps to 14 lines.
constexpr std::size_t kNamedKinds = 4;
constexpr std::size_t kNamedKindsOfNarrow = 2;

/// A reason with numbers of its own, and what all of its kind have in common.
struct DoubtKind {
  std::regex pattern;
  const char* words;
};

/// The kind of a reason: what a wrong kernel could do and pass. Reasons are counted by kind.
std::string kind_of(const std::string& reason) {
  static const std::array<DoubtKind, 7> kKinds{
      DoubtKind{std::regex("zeros would pass: every truth is 0"),
                "every truth is 0 by these inputs: zeros would pass"},
      DoubtKind{std::regex("zeros would pass in\\b.*"),
                "the bound is wider than most truths: zeros would pass"},
      DoubtKind{std::regex("the bound is \\S+% of the truth\\b.*"),
                "the bound is over 5% of the truth"},
      DoubtKind{std::regex("the bound of \\S+ elements is vacuous"),
                "the bound of some elements is infinite"},
      DoubtKind{std::regex("(\\S+) is \\S+ everywhere\\b.*"),
                "an operand is one number everywhere: a wrong index, or none, would pass"},
      DoubtKind{std::regex("(\\S+) is \\S+(:.*)?"),
                "a factor or a momentum is a number that hides a fault"},
      DoubtKind{std::regex("no elements\\b.*"), "the tensor has no elements"}};
  for (const DoubtKind& kind : kKinds)
    if (std::regex_match(reason, kind.pattern)) return kind.words;
  return reason.substr(0, reason.find(':'));
}

bool is_compared(const Record& r) {
  return r.measured() == Measured::comparison && r.tensor != kExecution;
}

bool has_no_elements(const Record& r) {
  return r.known == KnownTruth::no_elements ||
         (r.verdict.outcome == Outcome::mistrusted && r.verdict.reason.starts_with("no elements"));
}

bool is_doubted(const Record& r) {
  return is_compared(r) && r.verdict.outcome == Outcome::mistrusted && !has_no_elements(r);
}

/// Passes of a run, sorted by what they are worth.
struct Worth {
  std::int64_t all = 0;
  std::int64_t doubted = 0;
  std::int64_t empty = 0;     ///< of tensors without elements
  std::int64_t vanishes = 0;  ///< trusted, and 0 by the mathematics
};

Worth worth_of(const std::vector<Record>& records) {
  Worth worth;
  for (const Record& r : records) {
    if (!is_compared(r)) continue;
    const bool passed = is_pass(r.verdict.outcome) || r.verdict.outcome == Outcome::mistrusted;
    if (!passed) continue;
    ++worth.all;
    worth.doubted += is_doubted(r);
    worth.empty += has_no_elements(r);
    worth.vanishes += r.known == KnownTruth::vanishes;
  }
  return worth;
}

/// "46492 tensors of 8 kernels passed, in 9526 Cases"
std::string passed_text(const std::vector<Record>& records) {
  std::set<std::string> kernels, cases;
  std::int64_t passed = 0, all = 0;
  for (const Record& r : records) {
    if (!is_compared(r)) continue;
    kernels.insert(r.kernel);
    cases.insert(r.case_text);
    ++all;
    passed += is_pass(r.verdict.outcome) || r.verdict.outcome == Outcome::mistrusted;
  }
  if (all == 0) return "";
  const std::string of = passed < all ? fmt::format(" of {}", all) : "";
  return fmt::format("{}{} tensors of {} {} passed, in {} {}", passed, of, kernels.size(),
                     kernels.size() == 1 ? "kernel" : "kernels", cases.size(),
                     cases.size() == 1 ? "Case" : "Cases");
}

}  // namespace

std::string trusted_text(const std::vector<Record>& records) {
  using CellKey = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<CellKey, std::int64_t> cells;
  for (const Record& r : records)
    if (is_compared(r))
      cells[{r.part_of.value_or(r.kernel), r.dtype, r.mode, r.tensor}] += is_proof(r);
  if (cells.empty()) return "";
  const auto fewest = std::min_element(
      cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto proved =
      std::count_if(cells.begin(), cells.end(), [](const auto& cell) { return cell.second > 0; });
  const auto& [kernel, dtype, mode, tensor] = fewest->first;
  const std::string name = fmt::format("{} {} {} {}", kernel, dtype, mode, tensor);
  const std::int64_t open = std::ssize(cells) - proved;
  if (proved == 0)
    return fmt::format(
        "none of {} combinations of kernel, type, mode and tensor has a trusted pass",
        cells.size());
  return fmt::format("{} of {} combinations of kernel, type, mode and tensor have trusted passes",
                     proved, cells.size()) +
         (open == 0   ? fmt::format(", the fewest {} ({})", fewest->second, name)
          : open == 1 ? fmt::format("; {} has none", name)
                      : fmt::format("; {} have none, the first of them {}", open, name));
}

std::string untrusted_text(const std::vector<Record>& records) {
  const Worth worth = worth_of(records);
  std::string text;
  const auto add = [&](std::int64_t count, const std::string& words) {
    if (count > 0) text += (text.empty() ? "" : "; ") + words;
  };
  add(worth.doubted, fmt::format("{} of {} {} little", worth.doubted, worth.all,
                                 worth.all == 1 ? "pass proves" : "passes prove"));
  add(worth.empty,
      fmt::format("{} {} of {} without elements", worth.empty, worth.empty == 1 ? "is" : "are",
                  worth.empty == 1 ? "a tensor" : "tensors"));
  add(worth.vanishes, fmt::format("{} {} by the mathematics", worth.vanishes,
                                  worth.vanishes == 1 ? "vanishes" : "vanish"));
  return text;
}

std::string proof_sentence(const std::vector<Record>& records) {
  const std::string trusted = trusted_text(records), untrusted = untrusted_text(records);
  return trusted + (trusted.empty() || untrusted.empty() ? "" : "; ") + untrusted;
}

std::vector<DoubtedPasses> doubted_passes(const std::vector<Record>& records,
                                          std::size_t most_kinds) {
  std::map<std::string, std::int64_t> counts;
  for (const Record& r : records)
    if (is_doubted(r)) ++counts[kind_of(r.verdict.reason)];
  std::vector<DoubtedPasses> kinds;
  for (const auto& [words, count] : counts) kinds.push_back({count, words});
  std::ranges::stable_sort(kinds, std::greater(), &DoubtedPasses::count);
  if (kinds.size() <= most_kinds + 1) return kinds;  // one kind by name is no longer than a count
  DoubtedPasses others{0, fmt::format("of {} other kinds", kinds.size() - most_kinds)};
  for (std::size_t k = most_kinds; k < kinds.size(); ++k) others.count += kinds[k].count;
  kinds.resize(most_kinds);
  kinds.push_back(others);
  return kinds;
}

std::string resolves_text(const std::vector<Record>& records) {
  std::map<std::string, std::vector<const Record*>> dtypes;
  for (const Record& r : records)
    if (is_compared(r) && is_pass(r.verdict.outcome) && resolves_something(r) &&
        std::isfinite(r.discrepancy().resolution.whole))
      dtypes[r.dtype].push_back(&r);
  if (dtypes.empty()) return "";
  const auto f32 = dtypes.find("f32");
  auto& [dtype, passes] = f32 != dtypes.end() ? *f32 : *dtypes.begin();
  std::stable_sort(passes.begin(), passes.end(), [](const Record* a, const Record* b) {
    return a->discrepancy().resolution.whole < b->discrepancy().resolution.whole;
  });
  const Record& median = *passes[passes.size() / 2];
  const Record& coarsest = *passes.back();
  return fmt::format("{}: {} in the median pass, {} in the coarsest ({} of {})", dtype,
                     brief(median.discrepancy().resolution.whole),
                     brief(coarsest.discrepancy().resolution.whole), coarsest.tensor,
                     coarsest.kernel);
}

std::string summary_lines(const std::vector<Record>& records, std::size_t width) {
  const auto line = [&](const char* label, const std::string& text) {
    return field_lines(field_frame(label, width, 0), text);
  };
  std::string text =
      line("tensors", passed_text(records)) + line("trusted", trusted_text(records)) +
      line("resolves", resolves_text(records)) + line("untrusted", untrusted_text(records));
  const std::size_t named = width < kTextWidth ? kNamedKindsOfNarrow : kNamedKinds;
  const std::string indent = field_frame("", width, 0).head;
  for (const DoubtedPasses& doubted : doubted_passes(records, named)) {
    const std::string head = fmt::format("{}{:>6}  ", indent, doubted.count);
    text += filled({head, head.size(), width}, doubted.words);
  }
  return text + line("rungs", rungs_line(records)) + line("sampled", samples_line(records)) +
         line("chains", chains_line(records));
}

bool resolves_something(const Record& record) {
  return record.known != KnownTruth::vanishes && record.known != KnownTruth::no_elements;
}

}  // namespace gradproof
