// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/case/case_file.h"
#include "core/error.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

constexpr std::uint64_t kMostCases = 1000000000;
/// Below what a program in between makes of a number that does not fit in 63 bits.
constexpr std::uint64_t kHighestSeed = 1000000000000000000;

/// A whole number from `least` to `most`, nothing behind it.
std::uint64_t number_of(const std::string& key, const std::string& text, std::uint64_t least,
                        std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= least && number <= most) return number;
  throw UsageError(
      fmt::format("--{} '{}' is no whole number from {} to {}", key, text, least, most));
}

std::vector<std::size_t> widths_of(const CalibrationTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    widths.push_back(table.columns[k].size());
    for (const auto& row : table.rows) widths[k] = std::max(widths[k], row[k].size());
  }
  return widths;
}

/// Words to the left, numbers to the right.
std::vector<bool> are_words(const CalibrationTable& table) {
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

nlohmann::json json_of(const CalibrationTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : table.rows) rows.push_back(row);
  return {{"table", table.title}, {"columns", table.columns}, {"rows", rows}};
}

std::vector<std::string> json_lines(const CalibrationReport& report) {
  std::vector<std::string> lines;
  for (const std::string& finding : report.findings)
    lines.push_back(nlohmann::json{{"finding", finding}}.dump());
  for (const CalibrationTable& table : report.tables) lines.push_back(json_of(table).dump());
  nlohmann::json result;
  for (const auto& [name, text] : report.result) result[name] = text;
  lines.push_back(nlohmann::json{{"result", result}}.dump());
  return lines;
}

}  // namespace

CalibrationPlan plan_of(const Catalog& catalog, const std::vector<std::string>& arguments) {
  CalibrationPlan plan{.catalog = catalog};
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (key == "cases")
      plan.cases = static_cast<std::int64_t>(number_of(key, text, 1, kMostCases));
    else if (key == "seed")
      plan.seed = number_of(key, text, 0, kHighestSeed);
    else if (key == "kernel")
      plan.kernels.push_back(catalog.named(text).schema->word);
    else if (key == "suite")
      plan.suite = read_cases(text, catalog.schemas());
    else if (key != "json")
      throw UsageError("unknown argument '" + argument + "'");
  }
  return plan;
}

std::vector<std::string> lines_of(const CalibrationReport& report, bool json) {
  if (json) return json_lines(report);
  std::vector<std::string> lines = report.findings;
  for (const CalibrationTable& table : report.tables) {
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
