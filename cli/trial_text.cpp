// SPDX-License-Identifier: Apache-2.0
#include "cli/trial_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradproof {
namespace {

std::vector<std::size_t> widths_of(const TrialTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    widths.push_back(table.columns[k].size());
    for (const auto& row : table.rows) widths[k] = std::max(widths[k], row[k].size());
  }
  return widths;
}

/// Words to the left, numbers to the right.
std::vector<bool> are_words(const TrialTable& table) {
  std::vector<bool> words(table.columns.size(), false);
  for (const auto& row : table.rows)
    for (std::size_t k = 0; k < row.size(); ++k)
      if (!row[k].empty() && std::isalpha(static_cast<unsigned char>(row[k][0])) != 0)
        words[k] = words[k] || (row[k] != "exact" && row[k] != "inf");
  return words;
}

std::string aligned(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                    const std::vector<bool>& words) {
  std::string line;
  for (std::size_t k = 0; k < cells.size(); ++k)
    line += words[k] ? fmt::format("  {:<{}}", cells[k], widths[k])
                     : fmt::format("  {:>{}}", cells[k], widths[k]);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

nlohmann::json json_of(const TrialTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : table.rows) rows.push_back(row);
  return {{"table", table.title}, {"columns", table.columns}, {"rows", rows}};
}

std::vector<std::string> json_lines(const TrialReport& report) {
  std::vector<std::string> lines;
  for (const std::string& finding : report.findings)
    lines.push_back(nlohmann::json{{"finding", finding}}.dump());
  for (const TrialTable& table : report.tables) lines.push_back(json_of(table).dump());
  nlohmann::json result;
  for (const auto& [name, text] : report.result) result[name] = text;
  lines.push_back(nlohmann::json{{"result", result}}.dump());
  return lines;
}

}  // namespace

std::vector<std::string> lines_of(const TrialReport& report, bool json) {
  if (json) return json_lines(report);
  std::vector<std::string> lines = report.findings;
  for (const TrialTable& table : report.tables) {
    const std::vector<std::size_t> widths = widths_of(table);
    lines.push_back(table.title);
    const std::vector<bool> words = are_words(table);
    lines.push_back(aligned(table.columns, widths, words));
    for (const auto& row : table.rows) lines.push_back(aligned(row, widths, words));
  }
  std::string last = "RESULT";
  for (const auto& [name, text] : report.result) last += fmt::format(" {}={}", name, text);
  lines.push_back(last);
  return lines;
}

std::string progress_line(const std::string& text, bool json) {
  return json ? nlohmann::json{{"progress", text}}.dump() : text;
}

}  // namespace gradproof
