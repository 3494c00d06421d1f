// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/audit/audit_summary.h"
#include "reports/baseline/comparison_rows.h"
#include "reports/causes/cause_text.h"
#include "reports/causes/severity.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/record/tally.h"
#include "reports/resolution_rows.h"
#include "reports/rows.h"
#include "reports/text/doubts.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/overview.h"

namespace gradproof {
namespace {

/// Changes that a terminal shows; the other formats have more.
constexpr std::size_t kShown = 20;

std::string lines_of(const std::vector<TextRow>& rows) {
  std::string text;
  if (rows.size() > 1)
    for (const std::string& line : aligned(rows)) text += line + "\n";
  return text;
}

/// What is wrong in a line, where more than one tensor is; then the message of the first.
std::string cause_text(const ReportedCause& reported) {
  const Cause& cause = reported.cause;
  const std::string message = message_of(reported.first());
  if (cause.cases.size() == 1 && cause.cases.front().wrong.size() == 1) return message;
  return fmt::format("{}\n  {}\n  {}\n{}", reported.title(), what_text(cause), order_text(cause),
                     message);
}

/// What failed in the check by cause, an empty line between two; then what else did not pass, and
/// what is missing.
std::vector<std::string> wrong_blocks(const Report& report) {
  std::vector<std::string> blocks;
  for (const ReportedCause& reported : reported_causes(report))
    if (reported.cause.measured == Measured::comparison) blocks.push_back(cause_text(reported));
  std::string others;
  for (const Record& r : report.check->stored.records)
    if (!is_pass(r.verdict.outcome) && r.verdict.outcome != Outcome::mistrusted && !is_fault(r))
      others += evidence(r, report.check->commands()) + "\n";
  blocks.push_back(others);
  std::string gaps;
  for (const std::string& gap : tally(report.check->stored).gaps)
    gaps += fmt::format("incomplete: {}\n", gap);
  blocks.push_back(gaps);
  return blocks;
}

std::string tensors_text(const std::vector<Record>& records) {
  std::vector<TextRow> rows{
      {"kernel", "tensor", "cases", "passed", "failed", "max error/bound", "p99", "max ulp"}};
  bool many_ulps = false;
  for (const auto& [name, row] : tensor_rows(records)) {
    rows.push_back({name.first, name.second, fmt::to_string(row.cases), fmt::to_string(row.passed),
                    fmt::to_string(row.failed), ratio_text(row.max_ratio),
                    ratio_text(row.p99_ratio), ulp_text(row)});
    many_ulps = many_ulps || has_many_ulps(row);
  }
  return lines_of(rows) + (many_ulps ? fmt::format("{}\n", kManyUlps) : "");
}

/// What all passes together come to, and the line for programs.
std::string summary_text(const ReportedRun& run) {
  const StoredRecords& stored = run.stored;
  const Tally t = tally(stored);
  std::string text;
  for (const std::string& line : {rungs_line(stored.records), chains_line(stored.records),
                                  known_line(stored.records), mistrusted_line(stored.records),
                                  stored.note.empty() ? "" : "note: " + stored.note, truth_line(t)})
    if (!line.empty()) text += line + "\n";
  return text + result_line(t, run.seconds()) + "\n";
}

std::string comparison_text(const BaselineComparison& c) {
  if (!c.not_comparable.empty())
    return fmt::format("NOT COMPARABLE with {}: {}\n", c.file, c.not_comparable);
  std::string text = fmt::format("against {}: {}\n", c.file, counts_text(c));
  const std::vector<TextRow> rows = change_rows(c, kShown);
  text += lines_of(rows);
  if (const auto more = changed_tensors(c) - std::ssize(rows) + 1; more > 0)
    text += fmt::format("and {} more, less severe: --format json has all\n", more);
  for (const ChangedTensor& t : c.tensors)
    if (!t.note.empty() && t.change == Change::missing)
      text +=
          fmt::format("{} of '{}' is missing: {}\n", t.before.tensor, t.before.case_text, t.note);
  for (const std::string& remark : remarks_on(c)) text += remark + "\n";
  return text;
}

std::string history_text(const Trend& trend) {
  std::string text;
  for (const TrendPoint& point : trend.points)
    text += fmt::format("history  {}  {} of {} tensors wrong  {:.2f} s in its cases  commit {}\n",
                        point.run, point.wrong, point.tensors, point.seconds,
                        point.commit.empty() ? "unknown" : point.commit.substr(0, 12));
  for (const std::string& left_out : trend.left_out)
    text += fmt::format("history: {} left out\n", left_out);
  return text;
}

/// Blocks with an empty line between them; those that say nothing leave none.
std::string joined(const std::vector<std::string>& blocks) {
  std::string text;
  for (const std::string& block : blocks)
    if (!block.empty()) text += (text.empty() ? "" : "\n") + block;
  return text;
}

}  // namespace

std::string plain_text(const Report& report) {
  const Conclusion conclusion = conclusion_of(report);
  const std::string proof = proof_of(report);
  std::vector<std::string> blocks{fmt::format("{}: {}\n{}", conclusion.word, conclusion.sentence,
                                              proof.empty() ? "" : proof + "\n")};
  if (report.check)
    for (const std::string& block : wrong_blocks(report)) blocks.push_back(block);
  if (report.comparison) blocks.push_back(comparison_text(*report.comparison));
  if (report.check) {
    const std::vector<Record>& records = report.check->stored.records;
    blocks.push_back(tensors_text(records));
    blocks.push_back(lines_of(resolution_rows(records)));
  }
  if (report.comparison) blocks.push_back(lines_of(rollup_rows(*report.comparison)));
  if (report.check) blocks.push_back(summary_text(*report.check));
  if (report.audit) blocks.push_back(audit_lines(report.audit->stored, report.audit->seconds()));
  blocks.push_back(history_text(report.trend));
  return joined(blocks);
}

}  // namespace gradproof
