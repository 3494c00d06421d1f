// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/coverage_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

constexpr std::size_t kNamed = 3;  ///< missing combinations of each of several rows

std::string share(std::int64_t part, std::int64_t all) {
  return all == 0 ? "-" : fmt::format("{}/{}", part, all);
}

Reached reached_of(const CoverageRow& row, const ReachedCode& reached) {
  const auto found = reached.find(row.kernel + " " + row.types);
  return found == reached.end() ? Reached{} : found->second;
}

CoverageRow sum_of(const std::vector<CoverageRow>& rows) {
  CoverageRow sum;
  for (const CoverageRow& row : rows) {
    sum.cases += row.cases;
    sum.possible += row.possible;
    sum.covered += row.covered;
    sum.excused += row.excused;
    sum.impossible += row.impossible;
    sum.too_large += row.too_large;
    sum.missing.insert(sum.missing.end(), row.missing.begin(), row.missing.end());
  }
  return sum;
}

std::vector<std::string> json_lines(const std::vector<CoverageRow>& rows,
                                    const ReachedCode& reached) {
  std::vector<std::string> lines;
  for (const CoverageRow& row : rows) {
    const Reached code = reached_of(row, reached);
    Json json{
        {"kernel", row.kernel},       {"types", row.types},     {"together", row.together},
        {"cases", row.cases},         {"levels", row.levels},   {"possible", row.possible},
        {"covered", row.covered},     {"excused", row.excused}, {"impossible", row.impossible},
        {"too_large", row.too_large}, {"missing", row.missing}};
    if (code.all_lines > 0)
      json.update({{"lines", {code.lines, code.all_lines}},
                   {"branches", {code.branches, code.all_branches}}});
    lines.push_back(dump(json));
  }
  const CoverageRow sum = sum_of(rows);
  lines.push_back(dump(Json{{"result",
                             {{"possible", sum.possible},
                              {"covered", sum.covered},
                              {"excused", sum.excused},
                              {"missing", sum.missing.size()}}}}));
  return lines;
}

std::string row_line(const std::string& kernel, const std::string& types, std::string_view together,
                     std::string_view cases, std::string_view covered, std::string_view excused,
                     std::string_view missing, std::string_view lines, std::string_view branches) {
  return fmt::format("{:<31} {:<9} {:>8} {:>6} {:>12} {:>8} {:>8} {:>10} {:>10}", kernel, types,
                     together, cases, covered, excused, missing, lines, branches);
}

}  // namespace

ReachedCode read_reached(const std::string& path) {
  ReachedCode all;
  if (!std::filesystem::exists(path)) return all;
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json json = parse_json(text, path + " is not what scripts/coverage wrote");
  reading(path + " is not what scripts/coverage wrote", [&] {
    for (const auto& [name, row] : json.items())
      all[name] = {row.at("lines").at(0), row.at("lines").at(1), row.at("branches").at(0),
                   row.at("branches").at(1)};
  });
  return all;
}

CoverageRow coverage_row(const std::string& kernel, const std::string& types, std::size_t cases,
                         const Covering& covering) {
  using enum Covering::State;
  CoverageRow row;
  row.kernel = kernel;
  row.types = types;
  row.together = covering.strength().together;
  row.cases = cases;
  row.levels = covering.space().levels();
  row.covered = covering.count(covered);
  row.excused = covering.count(excused);
  row.impossible = covering.count(impossible);
  row.too_large = covering.count(too_large);
  for (const Combination& at : covering.all(missing)) row.missing.push_back(covering.name(at));
  row.possible = row.covered + row.excused + row.missing.size();
  return row;
}

std::vector<std::string> coverage_lines(const std::vector<CoverageRow>& rows,
                                        const ReachedCode& reached, bool json) {
  if (json) return json_lines(rows, reached);
  std::vector<std::string> lines{row_line("kernel", "types", "together", "cases", "covered",
                                          "excused", "missing", "lines", "branches")};
  for (const CoverageRow& row : rows) {
    const Reached code = reached_of(row, reached);
    lines.push_back(
        row_line(row.kernel, row.types, fmt::to_string(row.together), fmt::to_string(row.cases),
                 fmt::format("{}/{}", row.covered, row.possible), fmt::to_string(row.excused),
                 fmt::to_string(row.missing.size()), share(code.lines, code.all_lines),
                 share(code.branches, code.all_branches)));
  }
  for (const CoverageRow& row : rows) {
    const std::size_t named = rows.size() == 1 ? row.missing.size() : kNamed;
    for (std::size_t i = 0; i < std::min(named, row.missing.size()); ++i)
      lines.push_back(fmt::format("missing: {} {} {}", row.kernel, row.types, row.missing[i]));
    if (named < row.missing.size())
      lines.push_back(fmt::format("... and {} more; --json names all", row.missing.size() - named));
  }
  const CoverageRow sum = sum_of(rows);
  lines.push_back(
      fmt::format("{} combinations are impossible, {} need a matrix too large for the suite",
                  sum.impossible, sum.too_large));
  if (reached.empty()) lines.push_back("lines and branches: scripts/coverage measures them");
  lines.push_back(fmt::format("RESULT possible={} covered={} excused={} missing={}", sum.possible,
                              sum.covered, sum.excused, sum.missing.size()));
  return lines;
}

}  // namespace gradproof
