// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/sizes/size_tables.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "properties/calibration/sizes/rules.h"

namespace gradproof {
namespace {

using Words = std::vector<std::string>;

/// The key of a table's rows: its columns, and the words there for a row.
struct TableKey {
  Words columns;
  std::function<Words(const SizeRow&)> words;
};

TableKey by_row() {
  return {{"computation", "type", "size"}, [](const SizeRow& r) {
            return Words{r.computation, r.dtype, std::to_string(r.size)};
          }};
}
TableKey by_computation() {
  return {{"computation"}, [](const SizeRow& r) { return Words{r.computation}; }};
}
TableKey by_type_and_size() {
  return {{"type", "size"}, [](const SizeRow& r) {
            return Words{r.dtype, std::to_string(r.size)};
          }};
}
TableKey of_all() {
  return {{"of"}, [](const SizeRow&) { return Words{"all"}; }};
}

void add(RuleCounts& to, const RuleCounts& other) {
  for (std::size_t k = 0; k < kRules; ++k) to[k] += other[k];
}

/// The sum of some rows.
struct Total {
  Words words;
  SizeRow sum;
};

/// A rule that flags a right program proves nothing about the wrong programs of the row.
SizeTally with_unproved(SizeTally tally) {
  for (SizeRow& row : tally.rows)
    for (std::size_t k = 0; k < kRules; ++k)
      row.unproved[k] = row.flagged[k] > 0 ? row.wrong : row.missed[k];
  return tally;
}

std::vector<Total> totals_of(const SizeTally& tally, const TableKey& key) {
  std::vector<Total> totals;
  for (const SizeRow& row : tally.rows) {
    const Words words = key.words(row);
    auto at = std::find_if(totals.begin(), totals.end(),
                           [&](const Total& t) { return t.words == words; });
    if (at == totals.end()) at = totals.insert(at, {words, {}});
    at->sum.right += row.right;
    at->sum.wrong += row.wrong;
    at->sum.alike += row.alike;
    at->sum.reach = std::max(at->sum.reach, row.reach);
    add(at->sum.flagged, row.flagged);
    add(at->sum.missed, row.missed);
    add(at->sum.unproved, row.unproved);
  }
  return totals;
}

/// A table with a column for each rule, after two columns of its own.
CalibrationTable rule_table(const std::string& title, const TableKey& key,
                            const std::array<const char*, 2>& own, const std::vector<Total>& totals,
                            const std::function<Words(const SizeRow&)>& cells) {
  CalibrationTable table{title, key.columns, {}};
  table.columns.insert(table.columns.end(), own.begin(), own.end());
  table.columns.insert(table.columns.end(), kRuleNames.begin(), kRuleNames.end());
  for (const Total& total : totals) {
    Words words = total.words;
    for (std::string& cell : cells(total.sum)) words.push_back(std::move(cell));
    table.rows.push_back(std::move(words));
  }
  return table;
}

Words with_counts(Words words, const RuleCounts& counts) {
  for (const std::int64_t count : counts) words.push_back(std::to_string(count));
  return words;
}

CalibrationTable missed_table(const SizeTally& tally, const TableKey& key) {
  return rule_table(
      "wrong programs that pass", key, {"alike", "wrong"}, totals_of(tally, key),
      [](const SizeRow& sum) {
        return with_counts({std::to_string(sum.alike), std::to_string(sum.wrong)}, sum.missed);
      });
}

CalibrationTable unproved_table(const SizeTally& tally, const TableKey& key) {
  return rule_table(
      "wrong programs that pass, or that a rule flags which flags a right one of their row too",
      key, {"alike", "wrong"}, totals_of(tally, key), [](const SizeRow& sum) {
        return with_counts({std::to_string(sum.alike), std::to_string(sum.wrong)}, sum.unproved);
      });
}

CalibrationTable flagged_table(const SizeTally& tally, const TableKey& key) {
  return rule_table("right programs that are flagged", key, {"error/bound", "right"},
                    totals_of(tally, key), [](const SizeRow& sum) {
                      return with_counts(
                          {fmt::format("{:.2g}", sum.reach), std::to_string(sum.right)},
                          sum.flagged);
                    });
}

/// The rule that proves most of a row's programs wrong, among the rules that are told nothing of a
/// program. The judge comes before others that prove as many.
std::size_t best_rule(const SizeRow& row) {
  const auto end = row.unproved.begin() + static_cast<std::ptrdiff_t>(Rule::judge_fused);
  return static_cast<std::size_t>(std::min_element(row.unproved.begin(), end) -
                                  row.unproved.begin());
}

/// Rows in which another rule, that flags no right program, sees more than the judge.
CalibrationTable behind_table(const SizeTally& tally) {
  CalibrationTable table{
      "rows in which a rule that flags no right program sees more than gradproof",
      {"computation", "type", "size", "wrong", "gradproof", "rule", "passes"},
      {}};
  for (const SizeRow& row : tally.rows) {
    const std::size_t best = best_rule(row);
    if (best == static_cast<std::size_t>(Rule::judge)) continue;
    table.rows.push_back({row.computation, row.dtype, std::to_string(row.size),
                          std::to_string(row.wrong), std::to_string(row.unproved.front()),
                          std::string(kRuleNames[best]), std::to_string(row.unproved[best])});
  }
  return table;
}

CalibrationTable misses_table(const SizeTally& tally) {
  CalibrationTable table{
      "wrong programs that gradproof lets pass, with the tensor that is nearest to its bound",
      {"computation", "type", "size", "variant", "tensor", "error/bound", "why"},
      {}};
  for (const SizeRow& row : tally.rows)
    for (const MissedProgram& miss : row.misses)
      table.rows.push_back({row.computation, row.dtype, std::to_string(row.size), miss.variant,
                            miss.tensor, fmt::format("{:.2g}", miss.ratio), miss.reason});
  return table;
}

/// "assert_close (f64)" as a key of the last line: assert_close_f64.
std::string key_of(std::string_view rule) {
  std::string key;
  for (const char c : rule)
    if (c != '(' && c != ')') key += c == ' ' ? '_' : c;
  return key;
}

}  // namespace

std::vector<CalibrationTable> tables_of(const SizeTally& found) {
  const SizeTally tally = with_unproved(found);
  std::vector<CalibrationTable> tables{missed_table(tally, by_row()),
                                       flagged_table(tally, by_row()), misses_table(tally),
                                       behind_table(tally)};
  for (const TableKey& key :
       std::vector<TableKey>{by_computation(), by_type_and_size(), of_all()}) {
    tables.push_back(missed_table(tally, key));
    tables.push_back(unproved_table(tally, key));
    tables.push_back(flagged_table(tally, key));
  }
  return tables;
}

std::vector<std::pair<std::string, std::string>> result_of(const SizeTally& found) {
  const SizeTally tally = with_unproved(found);
  SizeRow all;
  std::int64_t unexplained = 0;
  for (const Total& total : totals_of(tally, of_all())) all = total.sum;
  for (const SizeRow& row : tally.rows)
    for (const MissedProgram& miss : row.misses) unexplained += miss.reason.empty();
  std::vector<std::pair<std::string, std::string>> result{
      {"rows", std::to_string(tally.rows.size())},
      {"right", std::to_string(all.right)},
      {"wrong", std::to_string(all.wrong)},
      {"alike", std::to_string(all.alike)},
      {"false_alarms", std::to_string(all.flagged[static_cast<std::size_t>(Rule::judge)])},
      {"unexplained", std::to_string(unexplained)},
      {"rows_behind", std::to_string(behind_table(tally).rows.size())}};
  for (std::size_t k = 0; k < kRules; ++k)
    result.emplace_back("missed_" + key_of(kRuleNames[k]), std::to_string(all.missed[k]));
  for (std::size_t k = 0; k < kRules; ++k)
    result.emplace_back("unproved_" + key_of(kRuleNames[k]), std::to_string(all.unproved[k]));
  for (std::size_t k = 0; k < kRules; ++k)
    if (k != static_cast<std::size_t>(Rule::judge))
      result.emplace_back("flagged_" + key_of(kRuleNames[k]), std::to_string(all.flagged[k]));
  return result;
}

bool convicts_any(const SizeTally& tally) {
  return std::any_of(tally.rows.begin(), tally.rows.end(), [](const SizeRow& row) {
    return row.missed[static_cast<std::size_t>(Rule::judge)] < row.wrong;
  });
}

}  // namespace gradproof
