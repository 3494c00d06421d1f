// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/compare/bad_set.h"

namespace gradproof {
namespace {

/// "all in" needs at least this many elements: by chance eight agree on a quarter in 4^-8 of cases.
constexpr std::int64_t kMany = 8;
constexpr std::int64_t kQuarter = 4;
/// The most columns or groups that are listed, and the bad elements that each must have on average.
constexpr std::size_t kListed = 8;
constexpr std::int64_t kEach = 3;

std::string ordinal(std::int64_t k) {
  const bool teen = k / 10 % 10 == 1;
  const char* end = teen          ? "th"
                    : k % 10 == 1 ? "st"
                    : k % 10 == 2 ? "nd"
                    : k % 10 == 3 ? "rd"
                                  : "th";
  return fmt::format("{}{}", k, end);
}

/// A progression among 0 .. extent-1 in words: "columns 4 to 7", "columns from 4 on", "every 32nd
/// column from 5 on", "columns 2 and 9", "column 3".
std::string range_text(const Progression& p, std::int64_t extent, const std::string& one) {
  if (p.length() == 1) return fmt::format("{} {}", one, p.first());
  if (p.step() == 1 && p.last() == extent - 1) return fmt::format("{}s from {} on", one, p.first());
  if (p.step() == 1) return fmt::format("{}s {} to {}", one, p.first(), p.last());
  if (p.length() == 2) return fmt::format("{}s {} and {}", one, p.first(), p.last());
  const std::string end =
      p.last() + p.step() >= extent ? std::string("on") : fmt::format("to {}", p.last());
  return fmt::format("every {} {} from {} {}", ordinal(p.step()), one, p.first(), end);
}

bool is_all(const Progression& p, std::int64_t extent) { return p.length() == extent; }

std::string group_text(const Progression& cols, const Extents& extents) {
  const std::int64_t width = extents.group_width;
  if (width <= 1 || width >= extents.cols || cols.first() / width != cols.last() / width) return "";
  const std::int64_t group = cols.first() / width;
  return fmt::format("group {} (columns {} to {})", group, group * width, (group + 1) * width - 1);
}

/// Describes elements that follow each other, up to the last one or not, or every k-th element.
std::string flat_text(const BadSet& bad, const Extents& extents, bool with_rows) {
  const Progression& p = bad.indices;
  if (bad.count < 2 || p.length() != bad.count) return "";
  if (p.step() == 1 && p.last() == extents.size() - 1)
    return fmt::format("the tail from index {} on", p.first());
  if (bad.count == 2) return "";  // two elements are always a progression
  // Within a matrix a range that ends anywhere is a coincidence unless it goes over a row's end.
  if (p.step() == 1 && !(with_rows && bad.rows.length() == 1))
    return fmt::format("indices {} to {}", p.first(), p.last());
  return p.step() == 1 ? "" : range_text(p, extents.size(), "element");
}

/// Describes a bad set that is all rows of one progression times all columns of another.
std::string product_text(const BadSet& bad, const Extents& extents) {
  if (bad.rows.length() * bad.cols.length() != bad.count) return "";
  const std::string cols = range_text(bad.cols, extents.cols, "column");
  const std::string rows = range_text(bad.rows, extents.rows, "row");
  const auto is_tail = [](const Progression& p, std::int64_t extent) {
    return p.step() == 1 && p.last() == extent - 1;
  };
  if (is_all(bad.rows, extents.rows))
    return is_tail(bad.cols, extents.cols)
               ? fmt::format("the tail: every row from column {} on", bad.cols.first())
               : cols;
  if (is_all(bad.cols, extents.cols))
    return is_tail(bad.rows, extents.rows) ? "the tail: " + rows : rows;
  const bool solid = bad.rows.step() == 1 && bad.cols.step() == 1;
  return fmt::format("{}{}, {}", solid ? "a rectangle: " : "", rows, cols);
}

/// Describes a set within a quarter or less of the rows or columns, without filling them.
std::string narrow_text(const BadSet& bad, const Progression& p, std::int64_t extent,
                        const std::string& one) {
  const bool narrow = p.step() == 1 && p.length() <= extent / kQuarter;
  return narrow && bad.count >= kMany ? "all in " + range_text(p, extent, one) : "";
}

/// Describes a set within every k-th row or column, without filling them.
std::string regular_text(const BadSet& bad, const Progression& p, std::int64_t extent,
                         const std::string& one) {
  const bool regular = p.step() > 1 && p.length() >= 3 && p.length() * kEach <= bad.count;
  return regular ? "all in " + range_text(p, extent, one) : "";
}

/// Lists a few columns or groups: "3 columns: 5, 37, 69, every 32nd".
std::string list_text(const BadSet& bad, const std::vector<std::int64_t>& some, std::int64_t extent,
                      const std::string& one) {
  const auto count = static_cast<std::int64_t>(some.size());
  if (some.empty() || some.size() > kListed || 2 * count >= extent || count * kEach > bad.count)
    return "";
  Progression p;
  for (const std::int64_t number : some) p.add(number);
  const bool regular = count >= 3 && p.length() == count && p.step() > 1;
  return fmt::format("{} {}s: {}{}", count, one, fmt::join(some, ", "),
                     regular ? ", every " + ordinal(p.step()) : "");
}

std::vector<std::int64_t> groups_of(const std::vector<std::int64_t>& cols, std::int64_t width) {
  std::vector<std::int64_t> groups;
  for (const std::int64_t col : cols)
    if (groups.empty() || groups.back() != col / width) groups.push_back(col / width);
  return groups;
}

std::string vector_text(const BadSet& bad, const Extents& extents) {
  const std::string flat = flat_text(bad, extents, false);
  if (flat.starts_with("the tail")) return flat;
  const std::string group = group_text(bad.indices, extents);
  return bad.count > 1 && !group.empty() ? "all in " + group : flat;
}

}  // namespace

std::string pattern_of(const BadSet& bad, const Extents& extents,
                       const std::vector<std::int64_t>& bad_cols) {
  if (bad.count == 0) return "";
  if (bad.count == extents.size()) return "every element";
  if (bad.count == 1) return "";
  if (!extents.is_matrix()) return vector_text(bad, extents);
  const std::string group = group_text(bad.cols, extents);
  if (bad.cols.length() == 1) return fmt::format("all in column {}", bad.cols.first());
  if (bad.rows.length() == 1)
    return fmt::format("all in row {}{}", bad.rows.first(), group.empty() ? "" : ", " + group);
  if (!group.empty()) return "all in " + group;
  const bool grouped = extents.group_width > 1 && !bad_cols.empty();
  const std::string groups = grouped ? list_text(bad, groups_of(bad_cols, extents.group_width),
                                                 extents.cols / extents.group_width, "group")
                                     : "";
  for (const std::string& text : {product_text(bad, extents), flat_text(bad, extents, true), groups,
                                  narrow_text(bad, bad.cols, extents.cols, "column"),
                                  list_text(bad, bad_cols, extents.cols, "column"),
                                  narrow_text(bad, bad.rows, extents.rows, "row"),
                                  regular_text(bad, bad.cols, extents.cols, "column"),
                                  regular_text(bad, bad.rows, extents.rows, "row")})
    if (!text.empty()) return text;
  return "";
}

}  // namespace gradproof
