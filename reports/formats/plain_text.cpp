// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/audit/audit_summary.h"
#include "reports/baseline/comparison_rows.h"
#include "reports/causes/cause_block.h"
#include "reports/causes/severity.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/record/tally.h"
#include "reports/resolution_rows.h"
#include "reports/rows.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/run_summary.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

/// Changes that a terminal shows; the other formats have more.
constexpr std::size_t kShown = 20;

/// The changes without their kernel; the Case of each, which names it, stands under its row.
std::string lines_of_changes(const std::vector<TextRow>& rows, std::size_t width) {
  if (rows.size() <= 1) return "";
  std::string text;
  const auto lines = fitted_rows(without_columns(rows, {"kernel", "case"}), width);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (const std::string& line : lines[k]) text += line + "\n";
    if (k > 0) text += filled({"  ", 4, width}, rows[k].back());
  }
  return text;
}

/// A table whose kernel, which is its first column, stands in a line in front of its rows.
std::string lines_by_kernel(const std::vector<TextRow>& rows, std::size_t width) {
  std::string text;
  for (std::size_t k = 1; k < rows.size();) {
    const std::string& kernel = rows[k].front();
    std::vector<TextRow> own{{rows.front().begin() + 1, rows.front().end()}};
    for (; k < rows.size() && rows[k].front() == kernel; ++k)
      own.emplace_back(rows[k].begin() + 1, rows[k].end());
    text += filled({"", 2, width}, kernel);
    for (const std::string& line : fitted(own, width - 2)) text += "  " + line + "\n";
  }
  return text;
}

/// A blank line before what is not empty.
std::string block(const std::string& text) { return text.empty() ? "" : "\n" + text; }

std::vector<TextRow> table_of_tensors(const std::vector<Record>& records) {
  std::vector<TextRow> rows{
      {"kernel", "tensor", "cases", "passed", "failed", "of bound", "p99", "ulp"}};
  for (const auto& [name, row] : tensor_rows(records))
    rows.push_back({name.first, name.second, fmt::to_string(row.cases), fmt::to_string(row.passed),
                    fmt::to_string(row.failed), ratio_text(row.max_ratio),
                    ratio_text(row.p99_ratio), ulp_text(row)});
  return rows;
}

/// Everything that is wrong, a block for each cause.
std::string wrong_text(const Report& report) {
  std::string text;
  for (const ReportedCause& c : reported_causes(report))
    text += block(cause_block(c.cause, c.commands, report.width, c.diagnosis));
  return text;
}

/// The evidence of the Records that neither passed nor are wrong.
std::string open_text(const std::vector<Record>& records, std::size_t width) {
  std::string text;
  for (const Record& r : records)
    if (!is_pass(r.verdict.outcome) && r.verdict.outcome != Outcome::mistrusted && !is_fault(r))
      text += evidence_lines(r, {}, width);
  return text;
}

/// The tables of all tensors, and what an entry of "over 10000" ulp means.
std::string tensors_text(const std::vector<Record>& records, std::size_t width) {
  const auto rows = tensor_rows(records);
  const bool many = std::any_of(rows.begin(), rows.end(),
                                [](const auto& row) { return has_many_ulps(row.second); });
  return lines_by_kernel(table_of_tensors(records), width) +
         (many ? filled({"", 0, width}, kManyUlps) : "");
}

std::string check_text(const ReportedRun& run, std::size_t width) {
  const StoredRecords& stored = run.stored;
  std::string text = block(open_text(stored.records, width)) +
                     block(tensors_text(stored.records, width)) +
                     block(lines_by_kernel(
                         without_columns(resolution_rows(stored.records), {"worst case"}), width)) +
                     block(summary_lines(stored.records, width));
  std::string ends = stored.note.empty() ? "" : "note: " + stored.note + "\n";
  const Tally t = tally(stored);
  for (const std::string& gap : t.gaps) ends += fmt::format("incomplete: {}\n", gap);
  if (const std::string truth = truth_line(t); !truth.empty()) ends += truth + "\n";
  return text + filled_lines(ends, width) + result_line(t, run.seconds()) + "\n";
}

std::string comparison_text(const BaselineComparison& c, std::size_t width) {
  if (!c.not_comparable.empty())
    return filled_lines(fmt::format("NOT COMPARABLE with {}: {}\n", c.file, c.not_comparable),
                        width);
  std::string text = lines_by_kernel(rollup_rows(c), width);
  const std::vector<TextRow> rows = change_rows(c, kShown);
  text += (text.empty() ? "" : "\n") + lines_of_changes(rows, width);
  std::string ends;
  if (const auto more = changed_tensors(c) - std::ssize(rows) + 1; more > 0)
    ends += fmt::format("and {} more, less severe: --format json has all\n", more);
  for (const ChangedTensor& t : c.tensors)
    if (!t.note.empty() && t.change == Change::missing)
      ends +=
          fmt::format("{} of '{}' is missing: {}\n", t.before.tensor, t.before.case_text, t.note);
  for (const std::string& remark : remarks_on(c)) ends += remark + "\n";
  ends += fmt::format("against {}: {}\n", c.file, counts_text(c));
  return text + filled_lines(ends, width);
}

std::string trend_text(const Trend& trend) {
  std::string text;
  for (const TrendPoint& point : trend.points)
    text += fmt::format("history  {}  {} of {} tensors wrong  {:.2f} s in its cases  commit {}\n",
                        point.run, point.wrong, point.tensors, point.seconds,
                        point.commit.empty() ? "unknown" : point.commit.substr(0, 12));
  for (const std::string& left_out : trend.left_out)
    text += fmt::format("history: {} left out\n", left_out);
  return text;
}

}  // namespace

std::string plain_text(const Report& report) {
  const Conclusion conclusion = conclusion_of(report);
  std::string text =
      filled({"", 2, report.width}, fmt::format("{}  {}", conclusion.word, conclusion.sentence)) +
      wrong_text(report);
  if (report.comparison) text += block(comparison_text(*report.comparison, report.width));
  if (report.check) text += check_text(*report.check, report.width);
  if (report.audit)
    text += block(audit_lines(report.audit->stored, report.audit->seconds(), report.width));
  return text + filled_lines(trend_text(report.trend), report.width);
}

}  // namespace gradproof
