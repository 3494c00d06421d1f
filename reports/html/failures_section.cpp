// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/causes/cause_text.h"
#include "reports/causes/severity.h"
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

/// The Cases of a cause but the one that the card shows, the most severe in front.
std::string other_cases(const ReportedCause& reported, const PageLimits& limits) {
  const std::vector<WrongCase>& cases = reported.cause.cases;
  if (cases.size() < 2) return "";
  std::string text =
      fmt::format("<details><summary>{} more {} of this cause</summary><dl class=\"copy\">",
                  cases.size() - 1, cases.size() == 2 ? "case" : "cases");
  for (std::size_t k = 1; k < std::min(cases.size(), limits.others + 1); ++k) {
    const Record& r = cases[k].worst();
    const std::string ratio = r.tensor == kExecution ? "" : " " + ratio_text(error_over_bound(r));
    text += fmt::format("<dt>{}{}</dt><dd><code>{}</code></dd>", words(r.tensor, limits), ratio,
                        words(reported.commands.replay(r.case_text), limits));
  }
  text += "</dl>";
  if (cases.size() > limits.others + 1)
    text += fmt::format("<p class=\"muted\">and {} more: --format json has all</p>",
                        cases.size() - 1 - limits.others);
  return text + "</details>\n";
}

/// A tensor in all Cases of a cause.
struct TensorOfCause {
  std::string name;
  std::int64_t cases = 0;
  const Record* worst = nullptr;
};

/// The wrong tensors of the cause, in the order of computation.
std::vector<TensorOfCause> tensors_of(const Cause& cause) {
  std::vector<TensorOfCause> tensors{{cause.first().tensor}};
  for (const std::string& name : cause.followers()) tensors.push_back({name});
  for (TensorOfCause& tensor : tensors)
    for (const WrongCase& wrong : cause.cases)
      for (const Record* r : wrong.wrong) {
        if (r->tensor != tensor.name) continue;
        ++tensor.cases;
        if (tensor.worst == nullptr || is_more_severe(*r, *tensor.worst)) tensor.worst = r;
      }
  return tensors;
}

/// A row for each tensor, where the cause has several.
std::string tensors_table(const Cause& cause, const PageLimits& limits) {
  const std::vector<TensorOfCause> tensors = tensors_of(cause);
  if (tensors.size() < 2) return "";
  HtmlTable table{"Tensors of this cause",
                  {{"tensor"},
                   {"wrong cases", CellKind::number},
                   {"worst error/bound", CellKind::number},
                   {"type"},
                   {"in its worst case"}},
                  {}};
  for (const TensorOfCause& tensor : tensors) {
    if (table.rows.size() == limits.others) break;
    const Record& r = *tensor.worst;
    const std::string where = where_text(r);
    table.rows.push_back({tensor.name, fmt::to_string(tensor.cases),
                          tensor.name == kExecution ? "-" : ratio_text(error_over_bound(r)),
                          r.dtype, where.empty() ? amount_text(r) : amount_text(r) + "; " + where});
  }
  std::string text = html_table(table, limits);
  if (tensors.size() > table.rows.size())
    text += fmt::format("<p class=\"muted\">and {} more: --format json has all</p>\n",
                        tensors.size() - table.rows.size());
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

std::string card(const ReportedCause& reported, const PageLimits& limits) {
  const Cause& cause = reported.cause;
  const WrongTensor first = reported.first();
  std::string text = fmt::format(
      "<article class=\"card\"><h3>{}</h3><p>{}.</p><p class=\"muted\">In {}: {}.</p>\n",
      words(reported.title(), limits), words(what_text(cause), limits),
      fmt::join(cause.dtypes, ", "), words(order_text(cause), limits));
  if (!reported.diagnosis.empty())
    text += fmt::format("<p class=\"diagnosis\"><b>Diagnosis of the audit:</b> {}</p>\n",
                        words(reported.diagnosis, limits));
  const std::string table = tensors_table(cause, limits);
  text += table;
  if (!table.empty())
    text += fmt::format("<h4>{} in the worst case</h4>\n", words(cause.first().tensor, limits));
  const std::string told = failure_facts(first, limits) + commands(first, limits);
  const std::string picture = picture_of(cause.first());
  text += picture.empty()
              ? told
              : fmt::format("<div class=\"body\"><div>{}</div>{}</div>\n", told, picture);
  return text + other_cases(reported, limits) + "</article>\n";
}

}  // namespace

std::string failures_section(const std::vector<ReportedCause>& causes, const PageLimits& limits) {
  if (causes.empty()) return "";
  std::string text =
      "<section id=\"failed\"><h2>What failed</h2>\n<p class=\"muted\">One card for each cause: "
      "what fails of a kernel in the same part of it, led by the tensor that is computed first. "
      "The kernels with a crash come first, then those with the largest error/bound.</p>\n";
  for (std::size_t k = 0; k < std::min(causes.size(), limits.causes); ++k)
    text += card(causes[k], limits);
  if (causes.size() <= limits.causes) return text + "</section>\n";
  text += "<details open><summary>Less severe</summary><ul>\n";
  for (std::size_t k = limits.causes; k < std::min(causes.size(), 4 * limits.causes); ++k)
    text += fmt::format("<li>{}: {}</li>\n", words(causes[k].title(), limits),
                        words(what_text(causes[k].cause), limits));
  return text + fmt::format("</ul><p>{} in all; --format json has all.</p></details></section>\n",
                            causes.size());
}

}  // namespace gradproof
