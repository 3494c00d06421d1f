// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/audit/audit_summary.h"
#include "reports/baseline/comparison_rows.h"
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

std::string check_text(const ReportedRun& run) {
  const StoredRecords& stored = run.stored;
  std::string text;
  for (const auto& [name, row] : tensor_rows(stored.records))
    text += fmt::format("{} {}  cases {}  passed {}  failed {}  max {} of bound  p99 {}  {} ulp\n",
                        name.first, name.second, row.cases, row.passed, row.failed,
                        ratio_text(row.max_ratio), ratio_text(row.p99_ratio), brief(row.max_ulp));
  text += lines_of(resolution_rows(stored.records));
  for (const Record& r : stored.records)
    if (r.verdict.outcome != Outcome::passed && r.verdict.outcome != Outcome::mistrusted)
      text += evidence(r, run.commands()) + "\n";
  if (const std::string rungs = rungs_line(stored.records); !rungs.empty()) text += rungs + "\n";
  if (const std::string chains = chains_line(stored.records); !chains.empty())
    text += chains + "\n";
  if (const std::string known = known_line(stored.records); !known.empty()) text += known + "\n";
  if (const std::string little = mistrusted_line(stored.records); !little.empty())
    text += little + "\n";
  if (!stored.note.empty()) text += "note: " + stored.note + "\n";
  const Tally t = tally(stored);
  for (const std::string& gap : t.gaps) text += fmt::format("incomplete: {}\n", gap);
  if (const std::string truth = truth_line(t); !truth.empty()) text += truth + "\n";
  return text + result_line(t, run.seconds()) + "\n";
}

std::string comparison_text(const BaselineComparison& c) {
  if (!c.not_comparable.empty())
    return fmt::format("NOT COMPARABLE with {}: {}\n", c.file, c.not_comparable);
  std::string text = lines_of(rollup_rows(c));
  const std::vector<TextRow> rows = change_rows(c, kShown);
  text += (text.empty() ? "" : "\n") + lines_of(rows);
  if (const auto more = changed_tensors(c) - std::ssize(rows) + 1; more > 0)
    text += fmt::format("and {} more, less severe: --format json has all\n", more);
  for (const ChangedTensor& t : c.tensors)
    if (!t.note.empty() && t.change == Change::missing)
      text +=
          fmt::format("{} of '{}' is missing: {}\n", t.before.tensor, t.before.case_text, t.note);
  for (const std::string& remark : remarks_on(c)) text += remark + "\n";
  return text + fmt::format("against {}: {}\n", c.file, counts_text(c));
}

}  // namespace

std::string plain_text(const Report& report) {
  std::string text;
  if (report.check) text += check_text(*report.check);
  if (report.audit)
    text += (text.empty() ? "" : "\n") + audit_lines(report.audit->stored, report.audit->seconds());
  if (report.comparison) text += comparison_text(*report.comparison);
  for (const TrendPoint& point : report.trend.points)
    text += fmt::format("history  {}  {} of {} tensors wrong  {:.2f} s in its cases  commit {}\n",
                        point.run, point.wrong, point.tensors, point.seconds,
                        point.commit.empty() ? "unknown" : point.commit.substr(0, 12));
  for (const std::string& left_out : report.trend.left_out)
    text += fmt::format("history: {} left out\n", left_out);
  return text;
}

}  // namespace gradproof
