// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "core/compare/verdict.h"
#include "core/error.h"
#include "core/graph/draw_graph.h"
#include "core/graph/graph_case.h"
#include "core/graph/stages.h"
#include "core/parallel.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/graph.h"
#include "properties/calibration/cells.h"

namespace gradproof {
namespace {

constexpr std::int64_t kGraphs = 100000;
constexpr std::int64_t kGraphPart = 20;          ///< Cases that one thread takes at a time
constexpr std::uint64_t kGraphPlantedEvery = 4;  ///< one Case of so many gets a fault
constexpr double kPlanted = 3;                   ///< bounds that it is off
constexpr std::int64_t kEnough = 8;   ///< Cases of a stage and dtype that say how wide its bound is
constexpr double kLeastReach = 0.01;  ///< error/bound that some result is to reach
constexpr double kFewRoundings = 16;  ///< of a bound over the truth, in units of u

void widen(StageReach& into, const StageReach& other) {
  into.ratio = std::max(into.ratio, other.ratio);
  into.bound = std::max(into.bound, other.bound);
  into.loose += other.loose;
}

/// What one drawn Case says.
class GraphTrial {
 public:
  GraphTrial(const CalibrationPlan& plan, std::uint64_t number, GraphTally& tally)
      : plan_(plan), number_(number), tally_(tally) {}

  void run() {
    const std::string line = drawn_graph_case(plan_.seed, number_);
    try {
      const Case c = parse_case(line, {});
      const Graph graph = graph_of(c);
      const GraphTypes types = types_of(graph, c);
      const GraphClaim claim{graph, extents_of(graph, c), libtorch_graph_contract(graph, types)};
      const Tensors inputs = make_graph_inputs(graph, c);
      Tensors got = graph_in_libtorch(graph, inputs, types);
      for (auto& [name, tensor] : got) bias(tensor);
      ++tally_.graphs;
      for (const GraphStep& s : graph.steps) ++tally_.drawn[s.stage];
      const auto judged = judge_graph(claim, inputs, got);
      for (const auto& [name, found] : judged) count(c, graph, name, found.discrepancy);
      if (number_ % kGraphPlantedEvery == 0) plant(c, claim, inputs, got, judged);
    } catch (const UsageError&) {  // groups that do not divide
      ++tally_.refused;
    } catch (const NoOperator&) {
      ++tally_.refused;
    }
  }

 private:
  using Judgement = std::map<std::string, Judged, std::less<>>;

  /// The calibration's own fault: every result a little off.
  void bias(Tensor& tensor) const {
    if (plan_.biased == 0) return;
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set(i, tensor.at(i) * (1 + plan_.biased));
  }

  void count(const Case& c, const Graph& graph, const std::string& name, const Discrepancy& d) {
    const Verdict verdict = judge(d);
    ++tally_.tensors;
    tally_.elements += d.elements;
    tally_.mistrusted += verdict.outcome == Outcome::mistrusted;
    if (graph.steps.size() == 1) {
      StageRow& row = tally_.alone[graph.steps[0].stage + " " + c.text("dtype")];
      const bool value = name == graph.outputs.front();
      row.cases += value;
      widen(value ? row.value : row.gradient, reach_of(d, parse_dtype(c.text("dtype"))));
    }
    if (verdict.outcome == Outcome::passed || verdict.outcome == Outcome::mistrusted) return;
    tally_.alarms.push_back(fmt::format("{} {}: {}, error/bound {:.4g}  replay '{}'",
                                        name_of(verdict.outcome), name, verdict.reason, d.max_ratio,
                                        to_string(c)));
  }

  StageReach reach_of(const Discrepancy& d, DType dtype) const {
    const double ratio = std::isfinite(d.max_ratio) ? d.max_ratio / plan_.widened : 0;
    const double relative = d.resolution.median * plan_.widened / unit_roundoff(dtype);
    return {ratio, d.resolution.rms_bound, std::isfinite(relative) && relative > kFewRoundings};
  }

  /// Moves the worst element of one tensor to three bounds from the truth: its bound is what its
  /// error and its ratio say.
  void plant(const Case& c, const GraphClaim& claim, const Tensors& inputs, Tensors& got,
             const Judgement& judged) {
    for (const auto& [name, found] : judged) {
      const Element& worst = found.discrepancy.worst;
      if (!(worst.ratio > 0) || !std::isfinite(worst.ratio)) continue;
      const double bound = std::abs(worst.got - worst.want) / worst.ratio;
      Tensor& tensor = got.at(name);
      const double before = tensor.at(worst.index);
      tensor.set(worst.index, worst.want + kPlanted * bound * (worst.got < worst.want ? -1 : 1));
      const double off = std::abs(tensor.at(worst.index) - worst.want);
      if (!(off > 2 * bound) || !std::isfinite(off)) {  // the type has no such number
        tensor.set(worst.index, before);
        continue;
      }
      ++tally_.planted;
      if (judge_graph(claim, inputs, got).at(name).discrepancy.bad == 0)
        tally_.missed.push_back(
            fmt::format("{} off by {} bounds passed  replay '{}'", name, kPlanted, to_string(c)));
      tensor.set(worst.index, before);
      return;
    }
  }

  const CalibrationPlan& plan_;
  std::uint64_t number_;
  GraphTally& tally_;
};

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
  std::mutex mutex;
  std::int64_t done = 0;
  const std::int64_t count = range.end - range.first;
  const std::int64_t stride = std::max(kGraphPart, count / 200);
  for_each_index((count + kGraphPart - 1) / kGraphPart, [&](std::int64_t part) {
    GraphTally own;
    const ThreadLimit one(1);
    const std::int64_t end = std::min(count, (part + 1) * kGraphPart);
    for (std::int64_t k = part * kGraphPart; k < end; ++k)
      GraphTrial(plan, static_cast<std::uint64_t>(range.first + k), own).run();
    const std::lock_guard lock(mutex);
    const std::int64_t before = done;
    done += end - part * kGraphPart;
    plan.counted("graphs", done, count);
    for (const std::string& alarm : own.alarms) plan.progress(alarm);
    all.merge(own);
    if (done / stride != before / stride)
      plan.progress(fmt::format("{} of {} graphs, {} alarms", done, count, all.alarms.size()));
  });
  return all;
}

CalibrationReport graph_report(const GraphTally& tally, double seconds) {
  CalibrationReport report{tally.alarms, {table_of(tally)}, {}, 0};
  report.findings.insert(report.findings.end(), tally.missed.begin(), tally.missed.end());
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
