// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/html/sections.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

constexpr std::size_t kRowsInView = 14;  ///< of the box's height (style.cpp), at least

/// The style of a cell, whose colour says something about the kernel.
std::string style_of(const HtmlColumn& column, const std::string& text) {
  if (column.kind == CellKind::number)
    return column.name == "failed" && text != "0" ? "n bad-text" : "n";
  if (column.kind == CellKind::command) return "case";
  if (text == "failed" || text == "over the bound") return "bad-text";
  if (text == "regressed" || text == "missing" || text == "near the bound") return "warn-text";
  return text == "improved" ? "good-text" : "";
}

std::string html_cell(const HtmlColumn& column, const std::string& text, const PageLimits& limits) {
  const std::string style = style_of(column, text);
  const std::string shown = column.kind == CellKind::picture ? text : words(text, limits);
  return fmt::format("<td{}>{}</td>", style.empty() ? "" : " class=\"" + style + "\"",
                     column.kind == CellKind::command ? "<code>" + shown + "</code>" : shown);
}

}  // namespace

PageLimits PageLimits::halved() const {
  return {causes / 2, others / 2,     changes / 2,     gaps / 2,     rows / 2,
          curves / 2, audit_rows / 2, message / 2 + 1, words / 2 + 1};
}

std::string words(const std::string& text, const PageLimits& limits) {
  return html_escaped(shortened(text, limits.words));
}

HtmlTable table_of(const std::vector<TextRow>& rows, const std::vector<std::string>& numbers,
                   const std::string& caption) {
  HtmlTable table{caption, {}, {}};
  if (rows.size() < 2) return table;
  for (const std::string& name : rows.front()) {
    const bool number = std::find(numbers.begin(), numbers.end(), name) != numbers.end();
    table.columns.push_back({name, number           ? CellKind::number
                                   : name == "case" ? CellKind::command
                                                    : CellKind::text});
  }
  table.rows.assign(rows.begin() + 1, rows.end());
  return table;
}

std::string html_table(const HtmlTable& table, const PageLimits& limits) {
  if (table.rows.empty()) return "";
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
      html_escaped(table.caption));
  for (const HtmlColumn& column : table.columns)
    text += fmt::format("<th scope=\"col\"{}>{}</th>",
                        column.kind == CellKind::number ? " class=\"n\"" : "",
                        html_escaped(column.name));
  text += "</tr></thead>\n<tbody>\n";
  for (const TextRow& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += html_cell(table.columns[i], row[i], limits);
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  if (table.rows.size() > kRowsInView)
    text += fmt::format("<p class=\"hint\">{} rows: scroll in the table for the others</p>\n",
                        table.rows.size());
  return text;
}

std::string figure(const std::string& picture, const std::string& title, const std::string& says) {
  if (picture.empty()) return "";
  return fmt::format("<figure><figcaption><b>{}</b>{}</figcaption>\n{}</figure>\n",
                     html_escaped(title), html_escaped(says), picture);
}

}  // namespace gradproof
