// SPDX-License-Identifier: Apache-2.0
#include "reports/html/sections.h"

#include <fmt/format.h>

#include "reports/audit/audit_summary.h"
#include "reports/baseline/comparison_rows.h"
#include "reports/plots/plots.h"
#include "reports/record/tally.h"
#include "reports/rows.h"
#include "reports/text/number_text.h"
#include "reports/text/overview.h"
#include "reports/text/run_summary.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

constexpr std::size_t kFewGaps = 6;  ///< that are unfolded

std::string tile(const std::string& number, const std::string& what, const std::string& style) {
  return fmt::format(
      "<div class=\"tile\"><b class=\"{}\">{}</b><span class=\"muted\">{}</span></div>\n", style,
      number, what);
}

/// "16,121,631"
std::string grouped(std::int64_t count) {
  std::string digits = fmt::to_string(count);
  for (std::size_t k = 3; k < digits.size(); k += 4) digits.insert(digits.size() - k, 1, ',');
  return digits;
}

std::string count_tile(std::int64_t count, const std::string& what, const std::string& style) {
  return tile(grouped(count), what, count > 0 ? style : "muted");
}

std::string tiles_of(const ReportedRun& run) {
  const Tally t = tally(run.stored);
  const bool audit = run.header.kind == Measured::differences;
  std::string text =
      count_tile(t.failed, audit ? "gradients wrong" : "tensors failed", "bad-text") +
      count_tile(t.incomplete, audit ? "inconclusive" : "not proved", "warn-text");
  if (!audit) text += count_tile(t.mistrusted, "passes that prove little", "");
  if (!audit) text += count_tile(t.skipped, "skipped", "");
  if (t.known_failures > 0) text += count_tile(t.known_failures, "known failures", "warn-text");
  return text +
         count_tile(t.passed, audit ? "gradients certified" : "tensors passed", "good-text") +
         count_tile(t.elements, audit ? "entries audited" : "elements judged", "");
}

std::string verdict_style(const Conclusion& conclusion) {
  const int code = exit_code(conclusion.findings);
  return code == 0 ? "pass" : code == 1 || code == 3 ? "fail" : "open";
}

TextRow cell_row(const JudgedCell& cell) {
  const auto& [name, row] = cell;
  return {name.kernel,
          name.dtype,
          name.mode,
          name.tensor,
          fmt::to_string(row.cases),
          fmt::to_string(row.failed),
          fmt::to_string(row.mistrusted + row.other),
          ratio_text(row.max_ratio),
          ratio_text(row.p99_ratio),
          brief(row.max_ulp)};
}

}  // namespace

std::string header_section(const Report& report, const PageLimits& limits) {
  const Conclusion conclusion = conclusion_of(report);
  std::string text =
      fmt::format("<header><h1>gradproof <span class=\"verdict {}\">{}</span></h1>\n<p>{}.</p>\n",
                  verdict_style(conclusion), conclusion.word, html_escaped(conclusion.sentence));
  for (const ReportedRun* run : runs_of(report)) {
    text +=
        fmt::format("<p class=\"muted\">{}: {}</p>\n<div class=\"tiles\">\n{}</div>\n",
                    kind_name(run->header.kind), words(run->stored.note, limits), tiles_of(*run));
  }
  return text + "</header>\n";
}

std::string comparison_section(const Report& report, const PageLimits& limits) {
  if (!report.comparison) return "";
  const BaselineComparison& c = *report.comparison;
  std::string text = fmt::format("<section><h2>Against {}</h2>\n", words(c.file, limits));
  if (!c.not_comparable.empty())
    return text + fmt::format("<p class=\"bad-text\">Not comparable: {}</p></section>\n",
                              words(c.not_comparable, limits));
  text += fmt::format("<p>{}.</p>\n", html_escaped(counts_text(c)));
  for (const std::string& remark : remarks_on(c))
    text += fmt::format("<p class=\"warn-text\">{}.</p>\n", words(remark, limits));
  text +=
      html_table(rollup_rows(c), {"failed", "regressed", "missing", "new", "improved", "unchanged"},
                 limits, "Changes by kernel and tensor");
  const std::vector<TextRow> rows = change_rows(c, limits.changes);
  if (rows.size() > 1)
    text += "<h3 class=\"gap\">The most severe changes</h3>\n" +
            html_table(rows, {"before", "now", "times", "chance"}, limits, "Changes by tensor");
  if (const auto more = changed_tensors(c) - std::ssize(rows) + 1; more > 0)
    text += fmt::format("<p class=\"muted\">and {} more, less severe: --format json has all</p>\n",
                        more);
  return text + "</section>\n";
}

std::string gaps_section(const Report& report, const PageLimits& limits) {
  const std::vector<std::string> gaps = gaps_of(report);
  if (gaps.empty()) return "";
  std::string text = fmt::format(
      "<section><h2>What was not proved</h2>\n<details{}><summary>{} in all</summary><ul>\n",
      gaps.size() <= kFewGaps ? " open" : "", gaps.size());
  for (std::size_t k = 0; k < std::min(gaps.size(), limits.gaps); ++k)
    text += fmt::format("<li class=\"warn-text\">{}</li>\n", words(gaps[k], limits));
  if (gaps.size() > limits.gaps)
    text += fmt::format("<li>and {} more</li>\n", gaps.size() - limits.gaps);
  return text + "</ul></details></section>\n";
}

std::string cells_section(const Report& report, const PageLimits& limits) {
  if (!report.check) return "";
  const std::vector<JudgedCell> cells = judged_cells(report.check->stored.records);
  if (cells.empty()) return "";
  std::string text =
      "<section><h2>Tensors</h2>\n<p class=\"muted\">All cases of a kernel in one type and mode. "
      "The "
      "small histogram has elements by error/bound, powers of two, the bound dashed.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Tensors\"><table>\n<thead><tr>";
  for (const char* name : {"kernel", "dtype", "mode", "tensor"})
    text += fmt::format("<th scope=\"col\">{}</th>", name);
  for (const char* name : {"cases", "failed", "prove little", "max error/bound", "p99", "max ulp"})
    text += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", name);
  text +=
      "<th scope=\"col\">error/bound</th><th scope=\"col\">worst case</th></tr></thead>\n<tbody>\n";
  const auto line = [&](const JudgedCell& cell) {
    const TextRow row = cell_row(cell);
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += fmt::format("<td{}>{}</td>",
                          i == 5 && cell.second.failed > 0 ? " class=\"n bad-text\""
                          : i >= 4                         ? " class=\"n\""
                                                           : "",
                          words(row[i], limits));
    text +=
        fmt::format("<td>{}</td><td class=\"case\"><code>{}</code></td></tr>\n",
                    small_histogram(cell.second.histogram), words(cell.second.worst_case, limits));
  };
  std::size_t shown = 0;
  for (const bool failed : {true, false})
    for (const JudgedCell& cell : cells)
      if ((cell.second.failed > 0) == failed && shown < limits.rows) {
        line(cell);
        ++shown;
      }
  text += "</tbody></table></div>\n";
  if (shown < cells.size())
    text += fmt::format("<p>and {} more rows: --format json has all</p>\n", cells.size() - shown);
  if (const std::string rungs = rungs_line(report.check->stored.records); !rungs.empty())
    text += fmt::format("<p class=\"muted\">{}</p>\n", words(rungs, limits));
  if (const std::string chains = chains_line(report.check->stored.records); !chains.empty())
    text += fmt::format("<p class=\"muted\">{}</p>\n", words(chains, limits));
  for (const std::string& doubt : doubt_lines(report.check->stored.records, limits.groups))
    text += fmt::format("<p class=\"muted\">{}</p>\n", words(doubt, limits));
  return text + "</section>\n";
}

std::string audit_section(const Report& report, const PageLimits& limits) {
  if (!report.audit) return "";
  std::vector<TextRow> rows = audit_summary(report.audit->stored.records);
  if (rows.size() > limits.audit_rows + 1) rows.resize(limits.audit_rows + 1);
  return "<section><h2>Gradients against finite differences</h2>\n" +
         html_table(rows,
                    {"ROWS", "DIGITS", "KERNEL", "LIBTORCH", "DUAL", "SECOND", "SECONDS",
                     "CERTIFIED", "WRONG", "INCONCLUSIVE"},
                    limits, "Audit") +
         "</section>\n";
}

std::string facts_section(const Report& report, const PageLimits& limits) {
  std::string text = "<section><h2>The run</h2>\n";
  for (const ReportedRun* run : runs_of(report)) {
    text += "<dl class=\"facts\">\n";
    for (const auto& [name, value] : facts_of(*run))
      text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, words(value, limits));
    text += "</dl>\n";
  }
  return text + "</section>\n";
}

}  // namespace gradproof
