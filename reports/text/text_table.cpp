// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace gradproof {

std::string markdown_cell(const std::string& text) {
  std::string safe;
  for (const char sign : text) {
    if (sign == '|') safe += '\\';
    safe += sign;
  }
  return safe;
}

std::vector<std::string> aligned(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const TextRow& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::vector<std::string> lines;
  for (const TextRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i)
      line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string markdown_table(const std::vector<TextRow>& rows) {
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    text += "|";
    for (const std::string& one : rows[k]) text += fmt::format(" {} |", markdown_cell(one));
    text += "\n";
    if (k > 0) continue;
    text += "|";
    for (std::size_t i = 0; i < rows[k].size(); ++i) text += "---|";
    text += "\n";
  }
  return text;
}

}  // namespace gradproof
