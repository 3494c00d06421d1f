// SPDX-License-Identifier: Apache-2.0
#include "reports/text/overview.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "reports/text/number_text.h"
#include "reports/text/run_summary.h"

namespace gradproof {
namespace {

bool is_pass(const Record& r) {
  const Outcome outcome = r.verdict.outcome;
  return outcome == Outcome::passed || outcome == Outcome::mistrusted ||
         outcome == Outcome::regressed;
}

/// One kernel in one dtype.
struct Cell {
  std::int64_t tensors = 0;
  std::int64_t passed = 0;  ///< and trusted
  std::int64_t wrong = 0;
  std::int64_t known = 0;  ///< wrong, and expected to be
  std::int64_t open = 0;   ///< skipped, incomplete, or the instrument is broken

  std::string text() const {
    if (tensors == 0) return "-";
    if (wrong > 0) return fmt::format("{} of {} WRONG", wrong, tensors);
    if (open > 0) return fmt::format("{} of {} open", open, tensors);
    return known > 0 ? fmt::format("{} ok, {} known", passed, known) : fmt::format("{} ok", passed);
  }
};

struct KernelRow {
  std::set<std::string> cases;
  std::map<std::string, Cell> cells;       ///< by dtype
  std::map<std::string, double> resolves;  ///< by dtype: the worst
  std::int64_t mistrusted = 0;
  const Record* worst = nullptr;

  void add(const Record& r) {
    const Outcome outcome = r.verdict.outcome;
    cases.insert(r.case_text);
    Cell& cell = cells[r.dtype];
    ++cell.tensors;
    cell.passed += is_pass(r) && outcome != Outcome::mistrusted;
    cell.wrong += is_wrong(outcome);
    cell.known += outcome == Outcome::known_failure;
    cell.open += !is_wrong(outcome) && !is_pass(r) && outcome != Outcome::known_failure;
    mistrusted += outcome == Outcome::mistrusted;
    const double ratio = r.discrepancy().max_ratio;
    if (r.discrepancy().elements > 0 &&
        (worst == nullptr || ratio > worst->discrepancy().max_ratio))
      worst = &r;
    const double whole = r.discrepancy().resolution.whole;
    if (outcome == Outcome::passed && resolves_something(r) && std::isfinite(whole))
      resolves[r.dtype] = std::max(resolves[r.dtype], whole);
  }

  std::string worst_text() const {
    if (worst == nullptr) return "-";
    return fmt::format("{} {}", ratio_text(worst->discrepancy().max_ratio), worst->tensor);
  }
  std::string resolves_text() const {
    if (resolves.empty()) return "-";
    const auto found = resolves.find("f32");
    const auto& [dtype, whole] = found != resolves.end() ? *found : *resolves.begin();
    return fmt::format("{} {}", dtype, brief(whole));
  }
};

}  // namespace

std::vector<TextRow> overview_rows(const std::vector<Record>& records) {
  std::map<std::string, KernelRow> rows;
  std::set<std::string> named;
  for (const Record& r : records) {
    rows[r.kernel].add(r);
    named.insert(r.dtype);
  }
  TextRow head{"kernel", "cases"};
  std::vector<std::string> dtypes;
  for (const char* dtype : {"f32", "f64", "f16", "bf16"})
    if (named.erase(dtype) > 0) dtypes.emplace_back(dtype);
  dtypes.insert(dtypes.end(), named.begin(), named.end());
  head.insert(head.end(), dtypes.begin(), dtypes.end());
  for (const char* name : {"mistrusted", "worst error/bound", "resolves"}) head.emplace_back(name);
  std::vector<TextRow> table{head};
  for (const auto& [kernel, row] : rows) {
    TextRow line{kernel, fmt::to_string(row.cases.size())};
    for (const std::string& dtype : dtypes) {
      const auto cell = row.cells.find(dtype);
      line.push_back(cell == row.cells.end() ? "-" : cell->second.text());
    }
    line.push_back(fmt::to_string(row.mistrusted));
    line.push_back(row.worst_text());
    line.push_back(row.resolves_text());
    table.push_back(std::move(line));
  }
  return table;
}

std::string rungs_line(const std::vector<Record>& records) {
  std::map<Rung, std::int64_t> counts;
  for (const Record& r : records)
    if (r.rung && is_pass(r)) ++counts[*r.rung];
  std::string text;
  for (const auto& [rung, count] : counts)
    text +=
        fmt::format("{}{} on rung '{}'", text.empty() ? "passes: " : ", ", count, name_of(rung));
  return text;
}

std::string samples_line(const std::vector<Record>& records) {
  const auto count =
      std::ranges::count_if(records, [](const Record& r) { return r.sample.has_value(); });
  if (count == 0) return "";
  return fmt::format("{} tensor{} of which a part is judged (elements=all judges all)", count,
                     count == 1 ? "" : "s");
}

std::string chains_line(const std::vector<Record>& records) {
  const Record* longest = nullptr;
  for (const Record& r : records)
    if (r.chain && is_pass(r) &&
        (longest == nullptr || r.chain->additions > longest->chain->additions))
      longest = &r;
  if (longest == nullptr) return "";
  return fmt::format("{} ({} of {})", chain_text(*longest->chain), longest->tensor,
                     longest->kernel);
}

}  // namespace gradproof
