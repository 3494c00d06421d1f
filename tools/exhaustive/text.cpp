// SPDX-License-Identifier: Apache-2.0
#include "tools/exhaustive/text.h"

#include <bit>

#include <fmt/format.h>

#include "reports/record/json.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// The number whose bits are the pattern.
double value_of(DType dtype, std::uint64_t pattern) {
  if (dtype == DType::f32)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  return from_bits16(dtype, static_cast<std::uint16_t>(pattern));
}

std::string bits_text(DType dtype, std::uint64_t pattern) {
  return fmt::format("0x{:0{}x}", pattern, 2 * size_of(dtype));
}

void append_figures(Json& json, const Extremes& e) {
  const Discrepancy& d = e.discrepancy;
  json["inputs"] = d.elements;
  json["error_over_bound"] = number_json(d.max_ratio);
  json["ulp"] = number_json(d.max_ulp);
  json["bad"] = d.bad;
  json["wrong_class"] = d.wrong_class;
  json["vacuous"] = d.vacuous;
  json["undecided"] = d.undecided;
  json["digits50"] = e.escalated;
  json["verdict"] = name_of(judge(d).outcome);
}

std::string row_json(const ExhaustiveTable& table, const std::string& tensor, const Region& region,
                     const Extremes& e) {
  Json json;
  json["kernel"] = table.kernel;
  json["dtype"] = name_of(table.dtype);
  json["tensor"] = tensor;
  json["region"] = region.name;
  append_figures(json, e);
  json["worst_input"] = bits_text(table.dtype, e.worst);
  json["worst_value"] = number_json(value_of(table.dtype, e.worst));
  json["worst_case"] = e.worst_case;
  return dump(json);
}

std::string row_text(const ExhaustiveTable& table, const std::string& tensor, const Region& region,
                     const Extremes& e) {
  const Discrepancy& d = e.discrepancy;
  return fmt::format("  {:6}{:18}{:>11}{:>12}{:>10}  {:11}{:>12}{:>9}{:>7}{:>9}{:>10}{:>10}",
                     tensor, region.name, d.elements, ratio_text(d.max_ratio), brief(d.max_ulp),
                     bits_text(table.dtype, e.worst), brief(value_of(table.dtype, e.worst)), d.bad,
                     d.wrong_class, d.vacuous, d.undecided, e.escalated);
}

std::string heading() {
  return fmt::format("  {:6}{:18}{:>11}{:>12}{:>10}  {:11}{:>12}{:>9}{:>7}{:>9}{:>10}{:>10}", "",
                     "x", "inputs", "error/bound", "ulp", "worst x", "", "bad", "class", "vacuous",
                     "undecided", "50 digits");
}

std::string fault_line(const SettingRun& run, bool json) {
  if (!json) return fmt::format("  FAILED execution  {}", run.fault);
  Json line;
  line["setting"] = to_string(run.setting);
  line["tensor"] = kExecution;
  line["verdict"] = name_of(Outcome::failed);
  line["reason"] = run.fault;
  return dump(line);
}

}  // namespace

std::vector<std::string> setting_lines(const SettingRun& run, bool json) {
  std::vector<std::string> lines;
  for (const auto& [tensor, regions] : run.found) {
    const Extremes all = total_of(regions);
    const Discrepancy& d = all.discrepancy;
    if (json) {
      Json line;
      line["setting"] = to_string(run.setting);
      line["tensor"] = tensor;
      append_figures(line, all);
      lines.push_back(dump(line));
    } else {
      lines.push_back(fmt::format("  {:6}max {} of bound  {} ulp  {} bad  {}", tensor,
                                  ratio_text(d.max_ratio), brief(d.max_ulp), d.bad,
                                  to_string(run.setting)));
    }
  }
  if (!run.fault.empty()) lines.push_back(fault_line(run, json));
  return lines;
}

std::vector<std::string> table_lines(const ExhaustiveTable& table, bool json) {
  std::vector<std::string> lines;
  if (!json) lines.push_back(heading());
  for (const auto& [tensor, regions] : table.found)
    for (const auto& [region, e] : regions)
      lines.push_back(json ? row_json(table, tensor, table.regions[region], e)
                           : row_text(table, tensor, table.regions[region], e));
  return lines;
}

std::string plain_line(const std::string& key, const std::string& text, bool json) {
  if (!json) return text;
  Json line;
  line[key] = text;
  return dump(line);
}

}  // namespace gradproof
