// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/audit/audit_summary.h"
#include "reports/baseline/comparison_rows.h"
#include "reports/causes/cause_text.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/record/tally.h"
#include "reports/resolution_rows.h"
#include "reports/rows.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/overview.h"
#include "reports/text/run_summary.h"

namespace gradproof {
namespace {

/// The length that a comment of a pull request may have, less what the last line needs.
constexpr std::size_t kLongest = 65536 - 512;
constexpr std::size_t kWorst = 20;      ///< rows of tables
constexpr std::size_t kGaps = 20;       ///< things that were not proved
constexpr std::size_t kLongCase = 400;  ///< characters of a Case in a table

/// A page of sections, as long as there is room; what does not fit is named at the end.
class Page {
 public:
  void add(const std::string& title, const std::string& body) {
    if (body.empty()) return;
    const std::string section = fmt::format("\n## {}\n\n{}", title, body);
    if (text_.size() + section.size() > kLongest)
      left_out_ += (left_out_.empty() ? "" : ", ") + title;
    else
      text_ += section;
  }
  void add_folded(const std::string& title, const std::string& body) {
    if (body.empty()) return;
    const std::string section =
        fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title, body);
    if (text_.size() + section.size() > kLongest)
      left_out_ += (left_out_.empty() ? "" : ", ") + title;
    else
      text_ += section;
  }
  std::string finish() {
    if (!left_out_.empty())
      text_ +=
          fmt::format("\nFor want of room left out: {}. `--format html` has all.\n", left_out_);
    return std::move(text_);
  }

  std::string text_;

 private:
  std::string left_out_;
};

std::string code(const std::string& text) {
  const bool cut = text.size() > kLongCase;
  return "`" + (cut ? text.substr(0, kLongCase) + "..." : text) + "`";
}

std::string table(const std::vector<TextRow>& rows) {
  return rows.size() > 1 ? markdown_table(rows) : "";
}

std::string fenced(const std::string& text) { return text.empty() ? "" : "```\n" + text + "```\n"; }

std::string causes_table(const std::vector<ReportedCause>& causes) {
  std::vector<TextRow> rows{{"kernel", "verdict", "types", "what is wrong", "diagnosis", "replay"}};
  for (const ReportedCause& reported : causes) {
    if (rows.size() > 2 * kWorst) break;
    const Cause& cause = reported.cause;
    rows.push_back({cause.kernel, std::string(name_of(cause.first().verdict.outcome)),
                    fmt::format("{}", fmt::join(cause.dtypes, ", ")), what_text(cause),
                    reported.diagnosis, code(reported.replay())});
  }
  std::string text = table(rows);
  if (const auto more = std::ssize(causes) - std::ssize(rows) + 1; more > 0)
    text += fmt::format("\nand {} more\n", more);
  return text;
}

std::string messages(const std::vector<ReportedCause>& causes) {
  std::string text;
  for (std::size_t k = 0; k < std::min(kMessages, causes.size()); ++k)
    text += message_of(causes[k].first());
  return fenced(text);
}

std::string comparison_section(const BaselineComparison& c) {
  if (!c.not_comparable.empty()) return "**not comparable**: " + c.not_comparable + "\n";
  std::string text = counts_text(c) + "\n";
  for (const std::string& remark : remarks_on(c)) text += fmt::format("\n- {}", remark);
  if (text.back() != '\n') text += "\n";
  if (const std::string rollup = table(rollup_rows(c)); !rollup.empty()) text += "\n" + rollup;
  std::vector<TextRow> rows = change_rows(c, kWorst);
  for (std::size_t k = 1; k < rows.size(); ++k) rows[k].back() = code(rows[k].back());
  if (rows.size() > 1) text += "\n" + markdown_table(rows);
  if (const auto more = changed_tensors(c) - std::ssize(rows) + 1; more > 0)
    text += fmt::format("\nand {} more, less severe\n", more);
  return text;
}

std::string tensors_table(const ReportedRun& run) {
  std::vector<TextRow> rows{{"kernel", "tensor", "cases", "passed", "failed", "mistrusted", "other",
                             "max error/bound", "p99", "max ulp", "error/bound by octave",
                             "worst case"}};
  bool many_ulps = false;
  for (const auto& [name, row] : tensor_rows(run.stored.records)) {
    rows.push_back(
        {name.first, name.second, fmt::to_string(row.cases), fmt::to_string(row.passed),
         fmt::to_string(row.failed), fmt::to_string(row.mistrusted), fmt::to_string(row.other),
         ratio_text(row.max_ratio), ratio_text(row.p99_ratio), ulp_text(row),
         "`" + histogram_digits(row.histogram) + "`",
         fmt::format("{} {}", row.worst_index, code(run.commands().replay(row.worst_case)))});
    many_ulps = many_ulps || has_many_ulps(row);
  }
  return table(rows) + (many_ulps ? fmt::format("\n{}\n", kManyUlps) : "");
}

std::string gaps_list(const Report& report) {
  const std::vector<std::string> gaps = gaps_of(report);
  std::string text;
  for (std::size_t k = 0; k < std::min(kGaps, gaps.size()); ++k)
    text += fmt::format("- {}\n", gaps[k]);
  if (gaps.size() > kGaps) text += fmt::format("- and {} more\n", gaps.size() - kGaps);
  return text;
}

std::string doubts_list(const std::vector<Record>& records) {
  std::string text;
  for (const DoubtedPasses& doubted : doubted_passes(records))
    text += fmt::format("- {} {}\n", doubted.count, doubted.words);
  return text;
}

std::string skipped_messages(const std::vector<Record>& records) {
  std::string text;
  for (const Record& r : records)
    if (r.verdict.outcome == Outcome::skipped) text += evidence(r) + "\n";
  return fenced(text);
}

std::string history_table(const Trend& trend) {
  std::vector<TextRow> rows{{"run", "commit", "wrong", "tensors", "seconds in its cases"}};
  for (const TrendPoint& p : trend.points)
    rows.push_back({p.run, p.commit.substr(0, 12), fmt::to_string(p.wrong),
                    fmt::to_string(p.tensors), fmt::format("{:.2f}", p.seconds)});
  std::string text = table(rows);
  for (const std::string& left_out : trend.left_out)
    text += fmt::format("\n{} left out\n", left_out);
  return text;
}

std::string facts_section(const Report& report) {
  std::string text;
  for (const ReportedRun* run : runs_of(report)) {
    text += fmt::format("- {}: {}\n", kind_name(run->header.kind), run->stored.note);
    for (const Context& c : contexts_of(run->stored.records))
      text +=
          fmt::format("  - {}: {}, {}, gradproof {}\n", c.backend, c.device, c.toolkit, c.version);
    if (const std::string truth = truth_line(tally(run->stored)); !truth.empty())
      text += fmt::format("  - {}\n", truth);
  }
  return text;
}

std::string results(const Report& report) {
  std::string text;
  for (const ReportedRun* run : runs_of(report)) {
    const Tally t = tally(run->stored);
    if (run->header.kind == Measured::differences)
      text += fmt::format("- audit: {} rows: {} certified, {} wrong, {} inconclusive; {} entries\n",
                          t.tensors, t.passed, t.failed, t.open(), t.elements);
    else
      text += fmt::format(
          "- check: {} passed, {} failed, {} mistrusted, {} skipped, {} incomplete{}; {} elements, "
          "{:.2f} s\n",
          t.passed, t.failed, t.mistrusted, t.skipped, t.incomplete,
          t.known_failures > 0 ? fmt::format(", {} known failures", t.known_failures) : "",
          t.elements, run->seconds());
  }
  return text;
}

}  // namespace

std::string markdown(const Report& report) {
  const Conclusion conclusion = conclusion_of(report);
  const std::vector<ReportedCause> causes = reported_causes(report);
  Page page;
  const std::string proof = proof_of(report);
  page.text_ = fmt::format("# gradproof: {}\n\n{}.{}\n\n{}", conclusion.word, conclusion.sentence,
                           proof.empty() ? "" : fmt::format(" {}.", proof), results(report));
  page.add("What is wrong", causes_table(causes));
  page.add_folded("Messages of the worst", messages(causes));
  page.add("Not proved", gaps_list(report));
  if (report.comparison)
    page.add("Against " + report.comparison->file, comparison_section(*report.comparison));
  page.add("The run", facts_section(report));
  page.add("Runs before", history_table(report.trend));
  if (report.check) {
    const std::vector<Record>& records = report.check->stored.records;
    page.add_folded("Tensors", tensors_table(*report.check));
    page.add_folded("What the passes resolve", table(resolution_rows(records)));
    if (const std::string rungs = rungs_line(records); !rungs.empty())
      page.add_folded("What the passes round", rungs + "\n");
    if (const std::string chains = chains_line(records); !chains.empty())
      page.add_folded("How long the sums' chains are", chains + "\n");
    page.add_folded("Passes that prove little", doubts_list(records));
    page.add_folded("Skipped", skipped_messages(records));
  }
  if (report.audit) page.add_folded("Audit", table(audit_summary(report.audit->stored.records)));
  return page.finish();
}

}  // namespace gradproof
