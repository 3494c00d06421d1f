// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/case/case_file.h"
#include "core/error.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

constexpr std::int64_t kMostCases = 1000000000;
/// The limit is below what a program in between makes of a number that does not fit in 63 bits.
constexpr std::int64_t kHighestSeed = 1000000000000000000;

/// A request for 0 cases means the calibration's own number of cases.
void refuse_wrong_options(const CalibrateRequest& request) {
  if (request.cases < 0 || request.cases > kMostCases)
    throw UsageError(
        fmt::format("--cases '{}' is no whole number from 1 to {}", request.cases, kMostCases));
  if (request.seed < 0 || request.seed > kHighestSeed)
    throw UsageError(
        fmt::format("--seed '{}' is no whole number from 0 to {}", request.seed, kHighestSeed));
  const bool of_sizes = request.name == "sizes";
  if (!of_sizes && !request.sizes.empty())
    throw UsageError(
        fmt::format("--sizes has a meaning for 'sizes' alone, not for '{}'", request.name));
  if (of_sizes && !request.kernels.empty())
    throw UsageError("--kernel has no meaning for 'sizes': its programs are no kernels");
}

std::vector<std::size_t> widths_of(const CalibrationTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    widths.push_back(table.columns[k].size());
    for (const auto& row : table.rows) widths[k] = std::max(widths[k], row[k].size());
  }
  return widths;
}

/// True for each column of words, which is aligned to the left; numbers are aligned to the right.
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

CalibrationPlan plan_of(const Catalog& catalog, const CalibrateRequest& request) {
  refuse_wrong_options(request);
  CalibrationPlan plan{.catalog = catalog, .cases = request.cases};
  plan.seed = static_cast<std::uint64_t>(request.seed);
  plan.sizes = request.sizes;
  for (const std::string& kernel : request.kernels)
    plan.kernels.push_back(catalog.named(kernel).schema->word);
  if (!request.suite.empty()) plan.suite = read_suite(request.suite, catalog.schemas());
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
