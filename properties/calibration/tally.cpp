// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/tally.h"

#include <algorithm>

#include <fmt/format.h>

#include "properties/calibration/faults.h"

namespace gradproof {
namespace {

std::string extent(std::int64_t n) {
  if (n <= 1) return std::to_string(n);
  return n <= 8 ? "2-8" : n <= 64 ? "9-64" : n <= 511 ? "65-511" : "512-";
}

std::string share(std::int64_t part, std::int64_t count) {
  if (count == 0) return "-";
  return fmt::format("{:.2f}%", 100 * static_cast<double>(part) / static_cast<double>(count));
}

std::vector<std::string> judges(const std::string& first, const std::string& second) {
  std::vector<std::string> columns{first, second, "executor", "bound"};
  for (const char* reference : {"f32", "f64"})
    for (const char* name : kToleranceNames)
      columns.push_back(fmt::format("{} ({})", name, reference));
  return columns;
}

CalibrationTable table_of(const std::string& title, const std::string& first,
                          const std::map<std::string, Flagged>& all) {
  CalibrationTable table{title, judges(first, "count"), {}};
  const auto row = [&](const std::string& name, const Flagged& f) {
    std::vector<std::string> cells{name, std::to_string(f.count), share(f.by_executor, f.count),
                                   share(f.by_bound, f.count - f.by_executor)};
    for (std::size_t k = 0; k < f.by_tolerance.size(); ++k)
      cells.push_back(share(f.by_tolerance[k], f.asked[k / kTolerances]));
    table.rows.push_back(std::move(cells));
  };
  Flagged total;
  for (const auto& [name, f] : all) {
    row(name, f);
    total.merge(f);
  }
  row("all", total);
  return table;
}

}  // namespace

void Flagged::add(bool bound, const Flags& flags) {
  ++count;
  by_bound += bound;
  for (std::size_t k = 0; k < by_tolerance.size(); ++k) by_tolerance[k] += flags.flags[k];
  for (std::size_t k = 0; k < asked.size(); ++k) asked[k] += flags.asked[k];
}

void Flagged::add_executor() {
  ++count;
  ++by_executor;
}

void Flagged::merge(const Flagged& other) {
  count += other.count;
  by_executor += other.by_executor;
  by_bound += other.by_bound;
  for (std::size_t k = 0; k < by_tolerance.size(); ++k) by_tolerance[k] += other.by_tolerance[k];
  for (std::size_t k = 0; k < asked.size(); ++k) asked[k] += other.asked[k];
}

void CalibrationTally::merge(CalibrationTally&& other) {
  thresholds += other.thresholds;
  results += other.results;
  tensors += other.tensors;
  elements += other.elements;
  mistrusted += other.mistrusted;
  vacuous += other.vacuous;
  for (std::string& alarm : other.alarms) alarms.push_back(std::move(alarm));
  for (std::string& miss : other.missed) missed.push_back(std::move(miss));
  for (std::string& failure : other.failures) failures.push_back(std::move(failure));
  for (Case& c : other.mutants) mutants.push_back(std::move(c));
  for (const auto& [what, words] : other.distribution)
    for (const auto& [word, count] : words) distribution[what][word] += count;
  for (const auto& [name, flagged] : other.correct) correct[name].merge(flagged);
  for (const auto& [name, flagged] : other.planted) planted[name].merge(flagged);
}

std::vector<std::string> acquitted(const CalibrationTally& tally) {
  constexpr std::size_t kShown = 20;
  std::vector<std::string> all = tally.missed;
  all.insert(all.end(), tally.failures.begin(), tally.failures.end());
  std::sort(all.begin(), all.end());
  if (all.size() > kShown) all.resize(kShown);
  for (const auto& [name, flagged] : tally.planted) {
    const bool always = name == kFaults.front().name;
    if (flagged.convicted() == 0 || (always && flagged.convicted() < flagged.count))
      all.push_back(fmt::format("planted and not convicted: {}, {} of {}", name,
                                flagged.count - flagged.convicted(), flagged.count));
  }
  return all;
}

std::int64_t CalibrationTally::planted_count() const {
  std::int64_t count = 0;
  for (const auto& [name, flagged] : planted) count += flagged.count;
  return count;
}

std::int64_t CalibrationTally::convicted_count() const {
  std::int64_t count = 0;
  for (const auto& [name, flagged] : planted) count += flagged.convicted();
  return count;
}

void count_case(const CalibrationResult& result, CalibrationTally& tally) {
  const Case& c = result.c;
  const auto count = [&](const std::string& what, const std::string& word) {
    ++tally.distribution[what][word];
  };
  const std::string& fill = c.text("fill");
  count("system", result.who == "kernel" ? c.word() : result.who);
  count("fill", fill.substr(0, fill.find(':')));
  count("shape", extent(c.integer("rows")) + " x " + extent(c.integer("cols")));
  count("dtype", c.is("params", "same") ? c.text("dtype") : c.text("dtype") + ", f32 parameters");
  count("mode", c.schema().has("mode") ? c.text("mode") : "any");
}

std::vector<CalibrationTable> tables_of(const CalibrationTally& tally) {
  std::vector<CalibrationTable> tables;
  for (const auto& [what, words] : tally.distribution) {
    CalibrationTable table{"results by " + what, {what, "results"}, {}};
    for (const auto& [word, count] : words) table.rows.push_back({word, std::to_string(count)});
    tables.push_back(std::move(table));
  }
  tables.push_back(
      table_of("correct results flagged (reference in brackets)", "who", tally.correct));
  tables.push_back(table_of("planted faults convicted", "fault", tally.planted));
  return tables;
}

}  // namespace gradproof
