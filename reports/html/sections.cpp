// SPDX-License-Identifier: Apache-2.0
#include "reports/html/sections.h"

#include <fmt/format.h>

#include "reports/audit/audit_summary.h"
#include "reports/baseline/comparison_rows.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

constexpr std::size_t kFewGaps = 6;  ///< that are unfolded

}  // namespace

std::string comparison_section(const Report& report, const PageLimits& limits) {
  if (!report.comparison) return "";
  const BaselineComparison& c = *report.comparison;
  std::string text =
      fmt::format("<section id=\"against\"><h2>Against {}</h2>\n", words(c.file, limits));
  if (!c.not_comparable.empty())
    return text + fmt::format("<p class=\"bad-text\">Not comparable: {}</p></section>\n",
                              words(c.not_comparable, limits));
  text +=
      fmt::format("<p>{}.{}</p>\n", html_escaped(counts_text(c)),
                  c.count(Change::failed) > 0 ? " Those that failed have their cards above." : "");
  for (const std::string& remark : remarks_on(c))
    text += fmt::format("<p class=\"warn-text\">{}.</p>\n", words(remark, limits));
  const std::vector<TextRow> rows = change_rows(c, limits.changes);
  if (rows.size() > 1)
    text += html_table(table_of(rows, {"before", "now", "times", "chance"},
                                "Changes by tensor, the most severe first"),
                       limits);
  if (const auto more = changed_tensors(c) - std::ssize(rows) + 1; more > 0)
    text += fmt::format("<p class=\"muted\">and {} more, less severe: --format json has all</p>\n",
                        more);
  const HtmlTable by_kernel =
      table_of(rollup_rows(c), {"failed", "regressed", "missing", "new", "improved", "unchanged"},
               "Changes by kernel and tensor");
  if (!by_kernel.rows.empty())
    text += "<h3 class=\"gap\">By kernel and tensor</h3>\n" + html_table(by_kernel, limits);
  return text + "</section>\n";
}

std::string gaps_section(const Report& report, const PageLimits& limits) {
  const std::vector<std::string> gaps = gaps_of(report);
  if (gaps.empty()) return "";
  std::string text = fmt::format(
      "<section id=\"not-proved\"><h2>What was not proved</h2>\n<details{}><summary>{} in "
      "all</summary><ul>\n",
      gaps.size() <= kFewGaps ? " open" : "", gaps.size());
  for (std::size_t k = 0; k < std::min(gaps.size(), limits.gaps); ++k)
    text += fmt::format("<li class=\"warn-text\">{}</li>\n", words(gaps[k], limits));
  if (gaps.size() > limits.gaps)
    text += fmt::format("<li>and {} more</li>\n", gaps.size() - limits.gaps);
  return text + "</ul></details></section>\n";
}

std::string audit_section(const Report& report, const PageLimits& limits) {
  if (!report.audit) return "";
  std::vector<TextRow> rows = audit_summary(report.audit->stored.records);
  if (rows.size() > limits.audit_rows + 1) rows.resize(limits.audit_rows + 1);
  return "<section id=\"audit\"><h2>Gradients against finite differences</h2>\n" +
         html_table(table_of(rows,
                             {"ROWS", "DIGITS", "KERNEL", "LIBTORCH", "DUAL", "SECOND", "SECONDS",
                              "CERTIFIED", "WRONG", "INCONCLUSIVE"},
                             "Audit"),
                    limits) +
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
