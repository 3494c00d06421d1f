// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "core/compare/verdict.h"
#include "core/error.h"
#include "core/graph/draw_graph.h"
#include "core/graph/graph_case.h"
#include "core/graph/stages.h"
#include "core/parallel.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/graph.h"
#include "properties/calibration/calibration.h"

namespace gradproof {
namespace {

constexpr std::int64_t kGraphs = 100000;
constexpr std::int64_t kPart = 20;          ///< Cases that one thread takes at a time
constexpr std::uint64_t kPlantedEvery = 4;  ///< one Case of so many gets a fault
constexpr double kPlanted = 3;              ///< bounds that it is off

/// Of one stage in graphs of that step alone, where it is clear whose bound was reached.
struct StageRow {
  std::int64_t cases = 0;
  double value = 0;     ///< largest error/bound of the output
  double gradient = 0;  ///< of a gradient
};

struct GraphTally {
  std::vector<std::string> alarms;
  std::vector<std::string> missed;
  std::map<std::pair<std::string, std::string>, StageRow> stages;  ///< by stage and dtype
  std::set<std::string> drawn;
  std::int64_t cases = 0;
  std::int64_t refused = 0;
  std::int64_t tensors = 0;
  std::int64_t elements = 0;
  std::int64_t mistrusted = 0;
  std::int64_t planted = 0;

  void join(GraphTally&& other) {
    const auto append = [](std::vector<std::string>& to, std::vector<std::string>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(alarms, other.alarms);
    append(missed, other.missed);
    drawn.merge(other.drawn);
    cases += other.cases;
    refused += other.refused;
    tensors += other.tensors;
    elements += other.elements;
    mistrusted += other.mistrusted;
    planted += other.planted;
    for (const auto& [key, row] : other.stages) {
      StageRow& into = stages[key];
      into.cases += row.cases;
      into.value = std::max(into.value, row.value);
      into.gradient = std::max(into.gradient, row.gradient);
    }
  }
};

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
      const DType storage = parse_dtype(c.text("dtype"));
      const GraphClaim claim{graph, extents_of(graph, c), libtorch_graph_contract(storage)};
      const Tensors inputs = make_graph_inputs(graph, c);
      Tensors got = graph_in_libtorch(graph, inputs, storage);
      for (auto& [name, tensor] : got) bias(tensor);
      ++tally_.cases;
      for (const GraphStep& s : graph.steps) tally_.drawn.insert(s.stage);
      const auto judged = judge_graph(claim, inputs, got);
      for (const auto& [name, found] : judged) count(c, graph, name, found.discrepancy);
      if (number_ % kPlantedEvery == 0) plant(c, claim, inputs, got, judged);
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
      StageRow& row = tally_.stages[{graph.steps[0].stage, c.text("dtype")}];
      const bool value = name == graph.outputs.front();
      row.cases += value;
      double& worst = value ? row.value : row.gradient;
      if (std::isfinite(d.max_ratio)) worst = std::max(worst, d.max_ratio);
    }
    if (verdict.outcome == Outcome::passed || verdict.outcome == Outcome::mistrusted) return;
    tally_.alarms.push_back(fmt::format("{} {}: {}, error/bound {:.4g}  replay '{}'",
                                        name_of(verdict.outcome), name, verdict.reason,
                                        d.max_ratio, to_string(c)));
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
        tally_.missed.push_back(fmt::format("{} off by {} bounds passed  replay '{}'", name,
                                            kPlanted, to_string(c)));
      tensor.set(worst.index, before);
      return;
    }
  }

  const CalibrationPlan& plan_;
  std::uint64_t number_;
  GraphTally& tally_;
};

GraphTally tally_graphs(const CalibrationPlan& plan, std::int64_t count) {
  GraphTally all;
  std::mutex mutex;
  std::int64_t done = 0;
  for_each_index((count + kPart - 1) / kPart, [&](std::int64_t part) {
    GraphTally own;
    const ThreadLimit one(1);
    for (std::int64_t k = part * kPart; k < std::min(count, (part + 1) * kPart); ++k)
      GraphTrial(plan, static_cast<std::uint64_t>(k), own).run();
    const std::lock_guard lock(mutex);
    all.join(std::move(own));
    done += kPart;
    if (done % (50 * kPart) == 0)
      plan.progress(fmt::format("graphs: {} of {}, {} alarms", done, count, all.alarms.size()));
  });
  return all;
}

CalibrationTable table_of(const GraphTally& tally) {
  CalibrationTable table{"largest error/bound of LibTorch, of graphs of one step",
                         {"stage", "dtype", "cases", "value", "gradients"},
                         {}};
  for (const auto& [key, row] : tally.stages)
    table.rows.push_back({key.first, key.second, std::to_string(row.cases),
                          fmt::format("{:.3f}", row.value), fmt::format("{:.3f}", row.gradient)});
  return table;
}

/// Stages that are drawn at all and never came.
std::vector<std::string> never_drawn(const GraphTally& tally) {
  std::vector<std::string> lines;
  for (const GraphStage& s : graph_stages()) {
    const bool drawn = s.form != StageForm::selects && s.form != StageForm::turns;
    if (drawn && !tally.drawn.contains(std::string(s.word)))
      lines.push_back(fmt::format("incomplete: no graph had the stage {}", s.word));
  }
  if (tally.planted == 0) lines.emplace_back("incomplete: no fault was planted");
  return lines;
}

}  // namespace

CalibrationReport calibrate_graphs(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t count = plan.cases > 0 ? plan.cases : kGraphs;
  const GraphTally tally = tally_graphs(plan, count);
  CalibrationReport report{tally.alarms, {table_of(tally)}, {}, 0};
  std::sort(report.findings.begin(), report.findings.end());
  report.findings.insert(report.findings.end(), tally.missed.begin(), tally.missed.end());
  const std::vector<std::string> open = never_drawn(tally);
  report.findings.insert(report.findings.end(), open.begin(), open.end());
  report.code = !tally.alarms.empty() ? 1 : !tally.missed.empty() ? 3 : open.empty() ? 0 : 4;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  report.result = {{"graphs", number(tally.cases)},
                   {"refused", number(tally.refused)},
                   {"tensors", number(tally.tensors)},
                   {"elements", number(tally.elements)},
                   {"false_alarms", number(std::ssize(tally.alarms))},
                   {"mistrusted", number(tally.mistrusted)},
                   {"planted", number(tally.planted)},
                   {"convicted", number(tally.planted - std::ssize(tally.missed))},
                   {"seconds", fmt::format("{:.1f}", seconds.count())}};
  return report;
}

}  // namespace gradproof
