// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/ceilings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text_file.h"
#include "reports/baseline/comparison.h"
#include "reports/baseline/dead_band.h"
#include "reports/baseline/fields_of_line.h"

namespace gradproof {
namespace {

/// kernel, dtype, tensor
using Name = std::tuple<std::string, std::string, std::string>;

Name name_of(const Ceiling& c) { return {c.kernel, c.dtype, c.tensor}; }
Name name_of(const Record& r) { return {r.kernel, r.dtype, r.tensor}; }

std::vector<Ceiling> as_list(const std::map<Name, double>& figures) {
  std::vector<Ceiling> list;
  for (const auto& [name, figure] : figures)
    list.push_back({std::get<0>(name), std::get<1>(name), std::get<2>(name), figure});
  return list;
}

std::map<Name, double> by_name(const std::vector<Ceiling>& ceilings) {
  std::map<Name, double> figures;
  for (const Ceiling& c : ceilings) figures[name_of(c)] = c.max_ratio;
  return figures;
}

RaisedCeiling parse_raised(const std::string& line) {
  const std::vector<std::string> fields = split_fields(line);
  if (fields.size() != 5 || fields[4].find_first_not_of(' ') == std::string::npos)
    throw UsageError("'KERNEL | DTYPE | TENSOR | max NUMBER | REASON' expected");
  const double figure = number_after("max", fields[3]);
  if (!(figure > 0 && figure <= 1))
    throw UsageError("a ceiling lies above 0 and not above 1, where the bound is");
  return {{fields[0], fields[1], fields[2], figure}, fields[4]};
}

}  // namespace

std::vector<RaisedCeiling> parse_ledger(const std::string& text, const std::string& file) {
  std::vector<RaisedCeiling> ledger;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      ledger.push_back(parse_raised(line));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  return ledger;
}

std::vector<RaisedCeiling> read_ledger(const std::string& file) {
  if (!std::filesystem::exists(file)) return {};
  TextFile lines(file);
  std::string text;
  while (const auto line = lines.next()) text += *line + "\n";
  return parse_ledger(text, file);
}

std::vector<Ceiling> ceilings_of(const std::vector<Record>& records) {
  std::map<Name, double> figures;
  for (const Record& r : records) {
    if (!has_figures(r)) continue;
    double& figure = figures[name_of(r)];
    const double allowed = r.discrepancy().max_ratio * dead_band(r.shape).max;
    figure = std::max({figure, r.discrepancy().max_ratio, std::min(1.0, allowed)});
  }
  return as_list(figures);
}

std::vector<Ceiling> above_ceilings(const std::vector<Ceiling>& ceilings,
                                    const std::vector<Record>& records) {
  const std::map<Name, double> allowed = by_name(ceilings);
  std::map<Name, double> above;
  for (const Record& r : records) {
    if (!has_figures(r) || r.discrepancy().worst.ulp <= 0.5) continue;
    const auto ceiling = allowed.find(name_of(r));
    if (ceiling == allowed.end() || r.discrepancy().max_ratio <= ceiling->second) continue;
    double& figure = above[name_of(r)];
    figure = std::max(figure, r.discrepancy().max_ratio);
  }
  return as_list(above);
}

std::vector<Ceiling> updated_ceilings(const std::vector<Ceiling>& before,
                                      const std::vector<RaisedCeiling>& ledger,
                                      const std::vector<Record>& records) {
  std::map<Name, double> figures = by_name(before);
  for (const RaisedCeiling& raised : ledger)
    if (const auto found = figures.find(name_of(raised.ceiling)); found != figures.end())
      found->second = std::max(found->second, raised.ceiling.max_ratio);
  for (const Ceiling& first : ceilings_of(records))
    figures.insert({name_of(first), first.max_ratio});
  return as_list(figures);
}

std::string ceiling_text(const Ceiling& c) {
  return fmt::format("{} | {} | {} | max {}", c.kernel, c.dtype, c.tensor, c.max_ratio);
}

}  // namespace gradproof
