// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_table.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "reports/text/wrap.h"

namespace gradproof {
namespace {

using Widths = std::vector<std::size_t>;

constexpr std::size_t kBetween = 2;  ///< blanks between columns

Widths widths_of(const std::vector<TextRow>& rows) {
  Widths widths(rows.empty() ? 0 : rows.front().size());
  for (const TextRow& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  return widths;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (true) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, end);
    if (end == text.size()) return longest;
    text.remove_prefix(end + 1);
  }
}

/// The least that each column needs.
Widths least_widths(const std::vector<TextRow>& rows) {
  Widths widths(rows.empty() ? 0 : rows.front().size());
  for (const TextRow& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], longest_word(row[i]));
  return widths;
}

std::size_t width_of(const Widths& widths) {
  std::size_t all = widths.empty() ? 0 : kBetween * (widths.size() - 1);
  for (const std::size_t one : widths) all += one;
  return all;
}

/// Takes from the widest column that can give, until the row fits or none can.
Widths narrowed(Widths widths, const Widths& least, std::size_t width) {
  for (std::size_t all = width_of(widths); all > width; --all) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

std::string line_of(const TextRow& row, const Widths& widths) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i)
    line += fmt::format("{:<{}}{:{}}", row[i], widths[i], "", kBetween);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// The lines of a cell.
std::vector<std::string> broken(const std::string& cell, std::size_t width) {
  const std::string text = filled({"", 0, width}, cell);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> lines_of(const TextRow& row, const Widths& widths) {
  std::vector<std::string> lines;
  std::vector<std::vector<std::string>> cells;
  std::size_t most = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    cells.push_back(broken(row[i], widths[i]));
    most = std::max(most, cells.back().size());
  }
  for (std::size_t k = 0; k < most; ++k) {
    TextRow part;
    for (const auto& cell : cells) part.push_back(k < cell.size() ? cell[k] : "");
    lines.push_back(line_of(part, widths));
  }
  return lines;
}

}  // namespace

std::string markdown_cell(const std::string& text) {
  std::string safe;
  for (const char sign : text) {
    if (sign == '|') safe += '\\';
    safe += sign;
  }
  return safe;
}

std::vector<std::string> aligned(const std::vector<TextRow>& rows) {
  const Widths widths = widths_of(rows);
  std::vector<std::string> lines;
  for (const TextRow& row : rows) lines.push_back(line_of(row, widths));
  return lines;
}

std::vector<std::vector<std::string>> fitted_rows(const std::vector<TextRow>& rows,
                                                  std::size_t width) {
  if (rows.empty()) return {};
  const Widths widths = narrowed(widths_of(rows), least_widths(rows), width);
  std::vector<std::vector<std::string>> all;
  for (const TextRow& row : rows) all.push_back(lines_of(row, widths));
  return all;
}

std::vector<std::string> fitted(const std::vector<TextRow>& rows, std::size_t width) {
  std::vector<std::string> lines;
  for (std::vector<std::string>& row : fitted_rows(rows, width))
    lines.insert(lines.end(), row.begin(), row.end());
  return lines;
}

bool fits(const std::vector<TextRow>& rows, std::size_t width) {
  return width_of(widths_of(rows)) <= width;
}

std::vector<TextRow> without_columns(const std::vector<TextRow>& rows, const TextRow& heads) {
  std::vector<TextRow> left(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t i = 0; i < rows[k].size(); ++i)
      if (std::find(heads.begin(), heads.end(), rows.front()[i]) == heads.end())
        left[k].push_back(rows[k][i]);
  return left;
}

std::vector<std::string> fitted_without(std::vector<TextRow> rows, std::size_t width,
                                        const TextRow& least_heads) {
  for (const std::string& head : least_heads)
    if (!fits(rows, width)) rows = without_columns(rows, {head});
  return fitted(rows, width);
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
