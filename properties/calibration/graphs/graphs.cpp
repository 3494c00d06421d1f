// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <mutex>

#include <fmt/format.h>

#include "core/graph/stages.h"
#include "core/parallel.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/graphs/graph_trial.h"

namespace gradproof {
namespace {

constexpr std::int64_t kGraphs = 100000;
constexpr std::int64_t kGraphPart = 20;  ///< Cases that one thread takes at a time
constexpr std::int64_t kEnough = 8;   ///< Cases of a stage and dtype that say how wide its bound is
constexpr double kLeastReach = 0.01;  ///< error/bound that some result is to reach

std::string text_of(const StageReach& reach) {
  return reach.bound == 0 ? "exact" : fmt::format("{:.2g}", reach.ratio);
}

CalibrationTable table_of(const GraphTally& tally) {
  CalibrationTable table{"largest error/bound of LibTorch, of graphs of one step",
                         {"stage", "dtype", "cases", "value", "gradients"},
                         {}};
  for (const auto& [name, row] : tally.alone) {
    const std::size_t blank = name.find(' ');
    table.rows.push_back({name.substr(0, blank), name.substr(blank + 1), std::to_string(row.cases),
                          text_of(row.value), text_of(row.gradient)});
  }
  return table;
}

/// Bounds of more than a few roundings that no result of LibTorch comes near: they are too wide, or
/// nothing tests them.
std::vector<std::string> wide_bounds(const GraphTally& tally) {
  std::vector<std::string> lines;
  for (const auto& [name, row] : tally.alone) {
    const auto ask = [&](const StageReach& reach, const char* what) {
      if (row.cases < kEnough || 2 * reach.loose < row.cases || reach.ratio >= kLeastReach) return;
      lines.push_back(fmt::format("wide: {} of {} reach {:.2g} of their bound at most, in {} Cases",
                                  what, name, reach.ratio, row.cases));
    };
    ask(row.value, "values");
    ask(row.gradient, "gradients");
  }
  return lines;
}

/// Stages that never came.
std::vector<std::string> never_drawn(const GraphTally& tally) {
  std::vector<std::string> lines;
  for (const GraphStage& s : graph_stages())
    if (!tally.drawn.contains(std::string(s.word)))
      lines.push_back(fmt::format("incomplete: no graph had the stage {}", s.word));
  if (tally.planted == 0) lines.emplace_back("incomplete: no fault was planted");
  return lines;
}

}  // namespace

void GraphTally::merge(const GraphTally& other) {
  alarms.insert(alarms.end(), other.alarms.begin(), other.alarms.end());
  of_onednn.insert(of_onednn.end(), other.of_onednn.begin(), other.of_onednn.end());
  missed.insert(missed.end(), other.missed.begin(), other.missed.end());
  for (const auto& [stage, count] : other.drawn) drawn[stage] += count;
  graphs += other.graphs;
  refused += other.refused;
  tensors += other.tensors;
  elements += other.elements;
  mistrusted += other.mistrusted;
  planted += other.planted;
  for (const auto& [name, row] : other.alone) {
    StageRow& into = alone[name];
    into.cases += row.cases;
    widen(into.value, row.value);
    widen(into.gradient, row.gradient);
  }
}

std::int64_t graph_cases(const CalibrationPlan& plan) {
  return plan.cases > 0 ? plan.cases : kGraphs;
}

GraphTally graph_tally(const CalibrationPlan& plan, const CaseRange& range) {
  GraphTally all;
  std::vector<Suspect> suspects;
  std::mutex mutex;
  std::int64_t done = 0;
  const std::int64_t count = range.end - range.first;
  const std::int64_t stride = std::max(kGraphPart, count / 200);
  for_each_index((count + kGraphPart - 1) / kGraphPart, [&](std::int64_t part) {
    GraphTally own;
    std::vector<Suspect> found;
    const ThreadLimit one(1);
    const std::int64_t end = std::min(count, (part + 1) * kGraphPart);
    for (std::int64_t k = part * kGraphPart; k < end; ++k)
      try_graph(plan, static_cast<std::uint64_t>(range.first + k), own, found);
    const std::lock_guard lock(mutex);
    const std::int64_t before = done;
    done += end - part * kGraphPart;
    plan.counted("graphs", done, count);
    for (const Suspect& s : found) plan.progress(s.line);
    all.merge(own);
    suspects.insert(suspects.end(), found.begin(), found.end());
    if (done / stride != before / stride)
      plan.progress(fmt::format("{} of {} graphs, {} alarms", done, count, suspects.size()));
  });
  for (const Suspect& s : suspects)
    (s.is_of_onednn(plan) ? all.of_onednn : all.alarms).push_back(s.line);
  return all;
}

CalibrationReport graph_report(const GraphTally& tally, double seconds) {
  CalibrationReport report{tally.alarms, {table_of(tally)}, {}, 0};
  report.findings.insert(report.findings.end(), tally.missed.begin(), tally.missed.end());
  for (const std::string& line : tally.of_onednn)
    report.findings.push_back("not without oneDNN: " + line);
  std::sort(report.findings.begin(), report.findings.end());
  std::vector<std::string> open = never_drawn(tally);
  const std::vector<std::string> wide = wide_bounds(tally);
  open.insert(open.end(), wide.begin(), wide.end());
  report.findings.insert(report.findings.end(), open.begin(), open.end());
  report.code = !tally.alarms.empty() ? 1 : !tally.missed.empty() ? 3 : open.empty() ? 0 : 4;
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  report.result = {{"graphs", number(tally.graphs)},
                   {"refused", number(tally.refused)},
                   {"tensors", number(tally.tensors)},
                   {"elements", number(tally.elements)},
                   {"false_alarms", number(std::ssize(tally.alarms))},
                   {"of_onednn", number(std::ssize(tally.of_onednn))},
                   {"mistrusted", number(tally.mistrusted)},
                   {"planted", number(tally.planted)},
                   {"convicted", number(tally.planted - std::ssize(tally.missed))},
                   {"wide", number(std::ssize(wide))},
                   {"seconds", fmt::format("{:.1f}", seconds)}};
  return report;
}

CalibrationReport calibrate_graphs(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const GraphTally tally = graph_tally(plan, {0, graph_cases(plan)});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return graph_report(tally, seconds.count());
}

}  // namespace gradproof
