// SPDX-License-Identifier: Apache-2.0
#include "reports/rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/record/tally.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// Error in units of the last place; what passes with more is the remainder of a cancellation.
constexpr double kManyFrom = 10'000;

void add(TensorRow& row, const Record& r) {
  const Discrepancy& d = r.discrepancy();
  const Outcome outcome = r.verdict.outcome;
  const bool passed = outcome == Outcome::passed || outcome == Outcome::regressed;
  ++row.cases;
  row.passed += passed;
  row.trusted += is_trusted(r);
  row.failed += is_wrong(outcome);
  row.mistrusted += outcome == Outcome::mistrusted;
  row.other += !passed && !is_wrong(outcome) && outcome != Outcome::mistrusted;
  if (d.elements == 0) return;
  if (row.worst_case.empty() || d.max_ratio > row.max_ratio) {
    row.max_ratio = d.max_ratio;
    row.worst_case = r.case_text;
    row.worst_index = index_text(r.shape, d.worst.index);
  }
  row.p99_ratio = std::max(row.p99_ratio, d.p99_ratio);
  row.max_ulp = std::max(row.max_ulp, d.max_ulp);
  for (std::size_t bin = 0; bin < d.histogram.size(); ++bin) row.histogram[bin] += d.histogram[bin];
}

}  // namespace

bool has_many_ulps(const TensorRow& row) { return row.failed == 0 && row.max_ulp > kManyFrom; }

std::string ulp_text(const TensorRow& row) {
  return has_many_ulps(row) ? fmt::format("over {}", kManyFrom) : brief(row.max_ulp);
}

std::map<std::pair<std::string, std::string>, TensorRow> tensor_rows(
    const std::vector<Record>& records) {
  std::map<std::pair<std::string, std::string>, TensorRow> rows;
  for (const Record& r : records)
    if (r.tensor != kExecution) add(rows[{r.kernel, r.tensor}], r);
  return rows;
}

std::vector<JudgedCell> judged_cells(const std::vector<Record>& records) {
  std::map<CellName, TensorRow> rows;
  for (const Record& r : records)
    if (r.tensor != kExecution) add(rows[{r.kernel, r.dtype, r.mode, r.tensor}], r);
  return {rows.begin(), rows.end()};
}

double seconds_of(const std::vector<Record>& records) {
  double seconds = 0;
  const Record* previous = nullptr;
  for (const Record& r : records) {
    if (previous == nullptr || r.case_text != previous->case_text) seconds += r.seconds;
    previous = &r;
  }
  return seconds;
}

std::vector<Context> contexts_of(const std::vector<Record>& records) {
  std::vector<Context> contexts;
  for (const Record& r : records)
    if (std::find(contexts.begin(), contexts.end(), r.context) == contexts.end())
      contexts.push_back(r.context);
  return contexts;
}

}  // namespace gradproof
