// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/html/sections.h"
#include "reports/plots/plots.h"
#include "reports/text/evidence.h"
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

std::string other_cases(const FailureGroup& group, const PageLimits& limits) {
  if (group.failures.size() < 2) return "";
  const std::size_t shown = std::min(group.failures.size() - 1, limits.others);
  std::string text =
      fmt::format("<details><summary>{} more of this kernel's {}</summary><dl class=\"copy\">",
                  group.failures.size() - 1, html_escaped(group.tensor));
  for (std::size_t k = 1; k <= shown; ++k) {
    const WrongTensor& failure = group.failures[k];
    text += fmt::format("<dt>{}</dt><dd><code>{}</code></dd>",
                        failure.record->tensor == kExecution ? "-" : ratio_text(failure.ratio()),
                        words(failure.commands.replay(failure.record->case_text), limits));
  }
  text += "</dl>";
  if (shown + 1 < group.failures.size())
    text += fmt::format("<p class=\"muted\">and {} more: --format json has all</p>",
                        group.failures.size() - 1 - shown);
  return text + "</details>\n";
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

std::string card(const FailureGroup& group, const PageLimits& limits) {
  const WrongTensor& worst = group.worst();
  std::string text = fmt::format("<article class=\"card\"><h3>{}</h3><p>{}{}</p>\n",
                                 html_escaped(group.title()), html_escaped(group.summary()),
                                 group.measured == Measured::differences ? ", by audit" : "");
  if (!worst.diagnosis.empty())
    text += fmt::format("<p class=\"diagnosis\"><b>Diagnosis of the audit:</b> {}</p>\n",
                        words(worst.diagnosis, limits));
  const std::string told = failure_facts(worst, limits) + commands(worst, limits);
  const std::string picture = picture_of(*worst.record);
  text += picture.empty()
              ? told
              : fmt::format("<div class=\"body\"><div>{}</div>{}</div>\n", told, picture);
  return text + other_cases(group, limits) + "</article>\n";
}

}  // namespace

std::string failures_section(const std::vector<FailureGroup>& groups, const PageLimits& limits) {
  if (groups.empty()) return "";
  std::string text =
      "<section id=\"failed\"><h2>What failed</h2>\n<p class=\"muted\">By kernel, tensor and type, "
      "the most "
      "severe "
      "first; of each the worst case. Crashes come first, then the largest error/bound.</p>\n";
  for (std::size_t k = 0; k < std::min(groups.size(), limits.groups); ++k)
    text += card(groups[k], limits);
  if (groups.size() <= limits.groups) return text + "</section>\n";
  text += "<details open><summary>Less severe</summary><ul>\n";
  for (std::size_t k = limits.groups; k < std::min(groups.size(), 4 * limits.groups); ++k)
    text += fmt::format("<li>{}: {}</li>\n", words(groups[k].title(), limits),
                        html_escaped(groups[k].summary()));
  return text + fmt::format("</ul><p>{} in all; --format json has all.</p></details></section>\n",
                            groups.size());
}

}  // namespace gradproof
