// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "reports/audit/audit_curve.h"
#include "reports/html/sections.h"
#include "reports/plots/plots.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

/// The row with the fewest digits for each tensor of each kernel; rows that are not certified come
/// first.
std::vector<const Record*> rows_to_draw(const std::vector<Record>& records) {
  std::map<std::pair<std::string, std::string>, const Record*> worst;
  const auto key = [](const Record& r) {
    const double digits = r.audit().digits;
    return std::pair{r.verdict.outcome == Outcome::certified, std::isnan(digits) ? 0 : digits};
  };
  for (const Record& r : records) {
    if (r.audit().sweep.empty()) continue;
    const Record*& row = worst[{r.kernel, r.tensor}];
    if (row == nullptr || key(r) < key(*row)) row = &r;
  }
  std::vector<const Record*> rows;
  for (const auto& [name, row] : worst) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Record* a, const Record* b) { return key(*a) < key(*b); });
  return rows;
}

std::string curves_of(const ReportedRun& audit, const PageLimits& limits) {
  std::string text;
  std::size_t drawn = 0;
  for (const Record* row : rows_to_draw(audit.stored.records)) {
    if (drawn >= limits.curves) break;
    const std::string picture = v_curve(*row);
    if (picture.empty()) continue;
    ++drawn;
    text += figure(picture,
                   fmt::format("{} of {}", row->tensor, shortened(row->case_text, limits.words)),
                   fmt::format("{}: {}", name_of(row->verdict.outcome), curve_words(row->audit())));
  }
  return text;
}

}  // namespace

std::string plots_section(const Report& report, const PageLimits& limits) {
  std::string text;
  if (report.check) {
    const std::vector<Record>& records = report.check->stored.records;
    text += figure(histogram_plot(records), "Elements by error/bound",
                   "All judged elements, in powers of two.");
    text += figure(magnitude_plot(records), "Error by the size of the truth",
                   "A point is the worst element of a tensor; of failed tensors also their first "
                   "and last wrong elements, in red.");
  }
  if (report.comparison)
    text += figure(
        before_after_plot(*report.comparison), "Before and now",
        "A point is a tensor with its largest error/bound: orange regressed, green improved, "
        "red failed, grey within chance.");
  text +=
      figure(trend_plot(report.trend), "Trend", "The largest error/bound of each run, by kernel.");
  if (report.check)
    text += figure(time_plot(report.check->stored.records), "Time",
                   "Seconds of a kernel's cases in one type, the slowest first.");
  std::string section = text.empty() ? ""
                                     : "<section><h2>Pictures</h2>\n<div class=\"plots\">\n" +
                                           text + "</div></section>\n";
  if (!report.audit) return section;
  if (const std::string curves = curves_of(*report.audit, limits); !curves.empty())
    section +=
        "<section><h2>V-curves</h2>\n<p class=\"muted\">Error of the finite differences by the "
        "step, "
        "drawn from the sweep of the row with the fewest digits of each kernel's tensor. A V says "
        "that "
        "the adjoint is the derivative; a flat line says that it is not.</p>\n<div "
        "class=\"plots\">\n" +
        curves + "</div></section>\n";
  return section;
}

}  // namespace gradproof
