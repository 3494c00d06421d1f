// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reports/html/sections.h"
#include "reports/plots/plots.h"
#include "reports/text/number_text.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

/// Lines to copy: a click takes all of one.
std::string commands(const WrongTensor& failure, const PageLimits& limits) {
  const Record& r = *failure.record;
  const Commands& with = failure.commands;
  std::string text = "<dl class=\"copy\">";
  for (const auto& [name, command] : {std::pair{"replay", with.replay(r.case_text)},
                                      {"explain", with.explain(r)},
                                      {"audit", with.audit(r)}})
    if (!command.empty())
      text += fmt::format("<dt>{}</dt><dd><code>{}</code></dd>", name, words(command, limits));
  return text + "</dl>\n";
}

/// The Cases of a cause but the one that the card shows, each once, with its largest error/bound.
std::string other_cases(const FailureCause& cause, const PageLimits& limits) {
  std::map<std::string, const WrongTensor*> cases;
  for (const FailureGroup& group : cause.groups)
    for (const WrongTensor& tensor : group.failures) {
      const WrongTensor*& worst = cases[tensor.record->case_text];
      if (worst == nullptr || is_worse(tensor, *worst)) worst = &tensor;
    }
  cases.erase(cause.worst().record->case_text);
  if (cases.empty()) return "";
  std::vector<const WrongTensor*> sorted;
  for (const auto& [text, worst] : cases) sorted.push_back(worst);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const WrongTensor* a, const WrongTensor* b) { return is_worse(*a, *b); });
  std::string text =
      fmt::format("<details><summary>{} more {} of this cause</summary><dl class=\"copy\">",
                  sorted.size(), sorted.size() == 1 ? "case" : "cases");
  for (std::size_t k = 0; k < std::min(sorted.size(), limits.others); ++k) {
    const Record& r = *sorted[k]->record;
    const std::string ratio = r.tensor == kExecution ? "" : " " + ratio_text(sorted[k]->ratio());
    text += fmt::format("<dt>{}{}</dt><dd><code>{}</code></dd>", words(r.tensor, limits), ratio,
                        words(sorted[k]->commands.replay(r.case_text), limits));
  }
  text += "</dl>";
  if (sorted.size() > limits.others)
    text += fmt::format("<p class=\"muted\">and {} more: --format json has all</p>",
                        sorted.size() - limits.others);
  return text + "</details>\n";
}

/// A row for each tensor and type, where the cause has several.
std::string tensors_of(const FailureCause& cause, const PageLimits& limits) {
  if (cause.groups.size() < 2) return "";
  HtmlTable table{"Tensors of this cause",
                  {{"tensor"},
                   {"type"},
                   {"wrong", CellKind::number},
                   {"worst error/bound", CellKind::number},
                   {"elements over the bound"}},
                  {}};
  for (const FailureGroup& group : cause.groups) {
    const Record& r = *group.worst().record;
    const bool counted = r.measured() == Measured::comparison && r.discrepancy().bad > 0;
    table.rows.push_back({group.tensor, group.dtype,
                          fmt::format("{} of {}", group.failures.size(), group.judged),
                          group.tensor == kExecution ? "-" : ratio_text(group.worst().ratio()),
                          counted ? over_text(r.discrepancy()) : r.verdict.reason});
    if (table.rows.size() == limits.others) break;
  }
  std::string text = html_table(table, limits);
  if (cause.groups.size() > table.rows.size())
    text += fmt::format("<p class=\"muted\">and {} more: --format json has all</p>\n",
                        cause.groups.size() - table.rows.size());
  return text;
}

std::string map_words(const Discrepancy& d) {
  std::string text =
      "Red: elements over the bound, of these the first, the last and the worst. Green: correct "
      "ones before the first.";
  if (!d.worst_columns.empty())
    text += fmt::format(" Bars: the worst columns, the highest of column {}.",
                        d.worst_columns.front().column);
  return text;
}

std::string picture_of(const Record& r) {
  return r.measured() == Measured::comparison
             ? figure(element_map(r), "Where, by row and column", map_words(r.discrepancy()))
             : figure(v_curve(r), "V-curve", "The error against the adjoint, by the step.");
}

std::string card(const FailureCause& cause, const PageLimits& limits) {
  const WrongTensor& worst = cause.worst();
  const FailureGroup& lead = cause.groups.front();
  std::string text = fmt::format("<article class=\"card\"><h3>{}</h3><p>{}{}</p>\n",
                                 words(cause.title(), limits), html_escaped(cause.summary()),
                                 lead.measured == Measured::differences ? ", by audit" : "");
  if (!worst.diagnosis.empty())
    text += fmt::format("<p class=\"diagnosis\"><b>Diagnosis of the audit:</b> {}</p>\n",
                        words(worst.diagnosis, limits));
  text += tensors_of(cause, limits);
  if (cause.groups.size() > 1)
    text +=
        fmt::format("<h4>{} in {}, its worst case</h4>\n", words(lead.tensor, limits), lead.dtype);
  const std::string told = failure_facts(worst, limits) + commands(worst, limits);
  const std::string picture = picture_of(*worst.record);
  text += picture.empty()
              ? told
              : fmt::format("<div class=\"body\"><div>{}</div>{}</div>\n", told, picture);
  return text + other_cases(cause, limits) + "</article>\n";
}

}  // namespace

std::string failures_section(const std::vector<FailureCause>& causes, const PageLimits& limits) {
  if (causes.empty()) return "";
  std::string text =
      "<section id=\"failed\"><h2>What failed</h2>\n<p class=\"muted\">One card for each cause: "
      "tensors of a kernel that fail in the same cases stand together, led by the one that the "
      "others may follow from. Crashes come first, then the largest error/bound.</p>\n";
  for (std::size_t k = 0; k < std::min(causes.size(), limits.causes); ++k)
    text += card(causes[k], limits);
  if (causes.size() <= limits.causes) return text + "</section>\n";
  text += "<details open><summary>Less severe</summary><ul>\n";
  for (std::size_t k = limits.causes; k < std::min(causes.size(), 4 * limits.causes); ++k)
    text += fmt::format("<li>{}: {}</li>\n", words(causes[k].title(), limits),
                        html_escaped(causes[k].summary()));
  return text + fmt::format("</ul><p>{} in all; --format json has all.</p></details></section>\n",
                            causes.size());
}

}  // namespace gradproof
