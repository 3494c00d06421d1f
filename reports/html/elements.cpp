// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/html/sections.h"
#include "reports/text/evidence.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

/// What a cell of a table says about the kernel, for its colour.
std::string style_of(const std::string& text) {
  if (text == "failed" || text == "over the bound") return "bad-text";
  if (text == "regressed" || text == "missing" || text == "near the bound") return "warn-text";
  return text == "improved" ? "good-text" : "";
}

}  // namespace

PageLimits PageLimits::halved() const {
  return {groups / 2, others / 2,     changes / 2,     gaps / 2,     rows / 2,
          curves / 2, audit_rows / 2, message / 2 + 1, words / 2 + 1};
}

std::string words(const std::string& text, const PageLimits& limits) {
  return html_escaped(shortened(text, limits.words));
}

std::string html_table(const std::vector<TextRow>& rows, const std::vector<std::string>& numbers,
                       const PageLimits& limits, const std::string& caption) {
  if (rows.size() < 2) return "";
  const TextRow& head = rows.front();
  std::vector<std::string> styles;
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
      html_escaped(caption));
  for (const std::string& name : head) {
    const bool number = std::find(numbers.begin(), numbers.end(), name) != numbers.end();
    styles.push_back(number ? "n" : name == "case" ? "case" : "");
    text += fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"n\"" : "",
                        html_escaped(name));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t k = 1; k < rows.size(); ++k) {
    text += "<tr>";
    for (std::size_t i = 0; i < head.size(); ++i) {
      const std::string style = styles[i].empty() ? style_of(rows[k][i]) : styles[i];
      const std::string shown = words(rows[k][i], limits);
      text += fmt::format("<td{}>{}</td>", style.empty() ? "" : " class=\"" + style + "\"",
                          styles[i] == "case" ? "<code>" + shown + "</code>" : shown);
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string figure(const std::string& picture, const std::string& title, const std::string& says) {
  if (picture.empty()) return "";
  return fmt::format("<figure><figcaption><b>{}</b>{}</figcaption>\n{}</figure>\n",
                     html_escaped(title), html_escaped(says), picture);
}

}  // namespace gradproof
