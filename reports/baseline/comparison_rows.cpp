// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/comparison_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/text/number_text.h"

namespace gradproof {
namespace {

constexpr std::array kChanges{Change::failed, Change::regressed, Change::missing,
                              Change::added,  Change::improved,  Change::unchanged};

using ChangeCounts = std::array<std::int64_t, kChanges.size()>;

/// One kernel's tensor.
struct Rollup {
  ChangeCounts counts{};
  const ChangedTensor* first = nullptr;  ///< the most severe
  const ChangedTensor* largest = nullptr;

  void add(const ChangedTensor& t) {
    ++counts[static_cast<std::size_t>(t.change)];
    if (first == nullptr) first = &t;
    if (t.has() && (largest == nullptr || t.now.max_ratio > largest->now.max_ratio)) largest = &t;
  }
  bool changed() const { return first->change != Change::unchanged; }
};

/// Two figures with the fewest digits that tell them apart; one text where they are equal.
std::pair<std::string, std::string> told_apart(double before, double now) {
  std::string a = ratio_text(before), b = ratio_text(now);
  for (int digits = 3; digits <= 17 && a == b && before != now; ++digits) {
    a = fmt::format("{:.{}g}", before, digits);
    b = fmt::format("{:.{}g}", now, digits);
  }
  return {a == b ? "the same" : a, b};
}

/// "1.21 times" and the band "1.19": of what moved.
std::pair<std::string, std::string> factor_texts(const FigureChange& moved) {
  const auto [low, high] = std::minmax(moved.from, moved.to);
  if (!(low > 0)) return {moved.from > 0 ? "to 0" : "from 0", brief(moved.band)};
  return told_apart(high / low, moved.band);
}

TextRow change_row(const ChangedTensor& t) {
  const BaselineEntry& named = t.named();
  TextRow row{std::string(name_of(t.change)), t.kernel, named.dtype, named.tensor};
  const bool figures = !named.worst.empty();
  const std::string margin(figures ? name_of(margin_of(named.max_ratio)) : "not measured");
  if (const auto other = t.bound_change()) {
    row.insert(row.end(), {other->what, other->from, other->to, "-", "-", margin});
  } else if (!t.moved.figure.empty()) {
    const auto [before, now] = t.moved.is_ratio ? told_apart(t.moved.from, t.moved.to)
                                                : std::pair(fmt::format("{}", t.moved.from),
                                                            fmt::format("{}", t.moved.to));
    const auto [times, chance] = factor_texts(t.moved);
    row.insert(row.end(), {t.moved.figure, before, now, times, chance, margin});
  } else if (t.had() && t.has() && figures) {
    const auto [before, now] = told_apart(t.before.max_ratio, t.now.max_ratio);
    row.insert(row.end(), {"max", before, now, "-", "-", margin});
  } else {
    const std::string figure = figures ? ratio_text(named.max_ratio) : "-";
    row.insert(row.end(),
               {"max", t.had() ? figure : "-", t.has() ? figure : "-", "-", "-", margin});
  }
  row.push_back(named.case_text);
  return row;
}

/// True if the tensor has a row. A failed one stands with its message elsewhere in a
/// report.
bool is_listed(Change change) { return change != Change::unchanged && change != Change::failed; }

/// One sentence, whatever the number of tensors.
std::string ceilings_text(const std::vector<Ceiling>& above) {
  std::string text;
  for (const Ceiling& over : above)
    text += fmt::format("{}{} {} {} reaches {}", text.empty() ? "" : ", ", over.kernel, over.dtype,
                        over.tensor, ratio_text(over.max_ratio));
  return fmt::format(
      "{} over {}, and a baseline update asks for a line in the ledger for {}: {}",
      above.size() == 1 ? "1 tensor is" : fmt::format("{} tensors are", above.size()),
      above.size() == 1 ? "its ceiling" : "their ceilings", above.size() == 1 ? "it" : "each",
      text);
}

}  // namespace

std::string counts_text(const BaselineComparison& c) {
  std::string text;
  for (const Change change : kChanges)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", c.count(change), name_of(change));
  const auto other_bits = std::count_if(
      c.tensors.begin(), c.tensors.end(),
      [](const ChangedTensor& t) { return t.change == Change::unchanged && t.other_bits; });
  return other_bits == 0 ? text : text + fmt::format(" ({} with other bits)", other_bits);
}

std::string moved_text(const ChangedTensor& t) {
  if (const auto other = t.bound_change())
    return fmt::format("{} '{}' -> '{}'", other->what, other->from, other->to);
  if (!t.moved.is_ratio)
    return fmt::format("{} of {} -> {} additions", t.moved.figure, t.moved.from, t.moved.to);
  return fmt::format("{} of error/bound {} -> {}, {}", t.moved.figure, ratio_text(t.moved.from),
                     ratio_text(t.moved.to), name_of(margin_of(t.now.max_ratio)));
}

std::vector<std::string> remarks_on(const BaselineComparison& c) {
  std::vector<std::string> remarks;
  if (c.alike.tensors > 0 && c.alike.compared)
    remarks.push_back(
        fmt::format("{} tensors are compared with those of the same Cases but for {}, which leaves "
                    "the inputs as they are",
                    c.alike.tensors, c.alike.key));
  else if (c.alike.tensors > 0)
    remarks.push_back(fmt::format(
        "{} tensors are of the same Cases but for {}: other inputs, so they are neither compared "
        "nor counted as new and missing",
        c.alike.tensors, c.alike.key));
  if (c.elsewhere > 0)
    remarks.push_back(fmt::format("{} tensors of another context are left out", c.elsewhere));
  if (!c.above.empty()) remarks.push_back(ceilings_text(c.above));
  return remarks;
}

std::vector<TextRow> rollup_rows(const BaselineComparison& c) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, Rollup> rows;
  for (const ChangedTensor& t : c.tensors) {
    const std::pair name{t.kernel, t.named().tensor};
    if (!rows.contains(name)) order.push_back(name);
    rows[name].add(t);
  }
  TextRow head{"kernel", "tensor"};
  for (const Change change : kChanges) head.emplace_back(name_of(change));
  head.emplace_back("worst now");
  std::vector<TextRow> table{std::move(head)};
  for (const auto& name : order) {
    const Rollup& rollup = rows.at(name);
    if (!rollup.changed()) continue;
    TextRow row{name.first, name.second};
    for (const std::int64_t count : rollup.counts) row.push_back(fmt::to_string(count));
    const ChangedTensor* worst = rollup.largest;
    row.push_back(worst == nullptr || worst->now.worst.empty()
                      ? "-"
                      : fmt::format("{} {}", ratio_text(worst->now.max_ratio), worst->now.dtype));
    table.push_back(std::move(row));
  }
  return table;
}

std::vector<TextRow> change_rows(const BaselineComparison& c, std::size_t most) {
  std::vector<TextRow> table{{"change", "kernel", "dtype", "tensor", "figure", "before", "now",
                              "times", "chance", "margin", "case"}};
  for (const ChangedTensor& t : c.tensors)
    if (is_listed(t.change) && table.size() <= most) table.push_back(change_row(t));
  return table;
}

std::int64_t changed_tensors(const BaselineComparison& c) {
  return std::count_if(c.tensors.begin(), c.tensors.end(),
                       [](const ChangedTensor& t) { return is_listed(t.change); });
}

}  // namespace gradproof
