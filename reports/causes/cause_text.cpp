// SPDX-License-Identifier: Apache-2.0
#include "reports/causes/cause_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compare/bad_set.h"
#include "reports/causes/severity.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// Names of tensors in a sentence.
constexpr std::size_t kNamed = 6;

std::string names_text(const std::vector<std::string>& names) {
  const std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, names.size())));
  const std::string more =
      names.size() > kNamed ? fmt::format(" and {} more", names.size() - kNamed) : "";
  return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

std::string follow_text(const Cause& cause) {
  const std::vector<std::string> names = cause.followers();
  if (names.empty()) return "";
  return fmt::format("; {} {}", names_text(names),
                     names.size() == 1 ? "follows, or is wrong too" : "follow, or are wrong too");
}

std::string reason_of(const Record& r) {
  return shown_reason(r.verdict.reason.substr(0, r.verdict.reason.find('\n')));
}

/// "rows 0 to 63 of 64", "row 3 of 64".
std::string range_text(const char* one, std::int64_t first, std::int64_t last, std::int64_t all) {
  if (first == last) return fmt::format("{} {} of {}", one, first, all);
  return fmt::format("{}s {} to {} of {}", one, first, last, all);
}

/// The columns with a wrong element, where the record names all of them: "columns 5, 37 of 64".
std::string columns_text(const Discrepancy& d, const Extents& extents) {
  std::int64_t counted = 0;
  std::vector<std::int64_t> columns;
  for (const WorstColumn& c : d.worst_columns) {
    counted += c.bad;
    if (c.bad > 0) columns.push_back(c.column);
  }
  if (counted != d.bad) return "";
  std::sort(columns.begin(), columns.end());
  return fmt::format(", {} {} of {}", columns.size() == 1 ? "column" : "columns",
                     fmt::join(columns, ", "), extents.cols);
}

/// The extent of what is wrong, from the first wrong element to the last.
std::string extent_text(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  const std::int64_t first = d.first_bad.front().index;
  const std::int64_t last = (d.last_bad.empty() ? d.first_bad : d.last_bad).back().index;
  const Extents extents = extents_of(r.shape);
  if (!extents.is_matrix()) return range_text("element", first, last, d.elements);
  return range_text("row", first / extents.cols, last / extents.cols, extents.rows) +
         columns_text(d, extents);
}

}  // namespace

std::string amount_text(const Record& r) {
  if (r.measured() == Measured::differences) {
    const std::string ratio = ratio_text(error_over_bound(r));
    return fmt::format("{} (worst error/bound {})", reason_of(r), ratio);
  }
  const Discrepancy& d = r.discrepancy();
  if (d.bad == 0) return reason_of(r);
  std::string text =
      fmt::format("{}{} of {} elements over the bound", own_reason(r), d.bad, d.elements);
  if (std::isfinite(d.max_ratio)) text += fmt::format(", up to {} times", ratio_text(d.max_ratio));
  if (d.wrong_class > 0)
    text +=
        fmt::format(", {} of the wrong class (NaN, Inf)",
                    d.wrong_class == d.bad ? std::string("all") : std::to_string(d.wrong_class));
  return text;
}

std::string where_text(const Record& r) {
  if (r.measured() == Measured::differences) return "";
  const Discrepancy& d = r.discrepancy();
  if (d.bad == 0 || d.first_bad.empty()) return "";
  if (d.bad == d.elements) return "every element";
  const std::string extent = extent_text(r);
  return d.pattern.empty() ? extent + ", in no regular pattern" : d.pattern + "; " + extent;
}

std::string worst_text(const Record& r) {
  if (r.measured() == Measured::differences || r.discrepancy().bad == 0) return "";
  const Element& e = r.discrepancy().worst;
  const auto [got, want] = got_and_want(r);
  return fmt::format("{}{}: got {}, want {}", r.tensor, index_text(r.shape, e.index), got, want);
}

std::string what_text(const Cause& cause) {
  const Record& first = cause.first();
  std::string amount = amount_text(first);
  if (cause.judged_cases > 1)
    amount += cause.cases.size() == 1 ? fmt::format(", in 1 of {} Cases", cause.judged_cases)
                                      : fmt::format(", in the worst of {} wrong Cases of {}",
                                                    cause.cases.size(), cause.judged_cases);
  return fmt::format("{}: {}{}", first.tensor, amount, follow_text(cause));
}

std::string order_text(const Cause& cause) {
  const std::string& first = cause.first().tensor;
  const std::vector<std::string> others = cause.followers();
  switch (cause.part) {
    case FaultyPart::execution:
      return "the run itself is at fault, whatever its tensors are";
    case FaultyPart::instrument:
      return "the witnesses of the truth disagree: this is gradproof's fault, not the kernel's";
    case FaultyPart::backward:
      return cause.measured == Measured::differences
                 ? "an audit asks about gradients alone"
                 : "every output is right: the backward is at fault";
    default:
      return others.empty()
                 ? fmt::format("{} alone is wrong", first)
                 : fmt::format("{} is the first wrong tensor in the order of computation", first);
  }
}

}  // namespace gradproof
