// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/graphs/graph_trial.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/compare/verdict.h"
#include "core/error.h"
#include "core/graph/draw/draw_graph.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/graph/likely/whole_tensor.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

constexpr std::uint64_t kGraphPlantedEvery = 4;  ///< one Case of so many gets a fault
constexpr double kPlanted = 3;                   ///< bounds that it is off
constexpr double kFewRoundings = 16;             ///< of a bound over the truth, in units of u

using Judgement = std::map<std::string, Judged, std::less<>>;

/// LibTorch's results on one Case, and the oracle's judgement of them.
struct JudgedGraph {
  /// Throws UsageError if groups do not divide, NoOperator if LibTorch has no operator.
  JudgedGraph(const CalibrationPlan& plan, const Case& c)
      : graph(graph_of(c)),
        claim{graph, extents_of(graph, c), libtorch_graph_contract(graph, types_of(graph, c))},
        inputs(make_graph_inputs(graph, c)),
        got(graph_in_libtorch(graph, inputs, types_of(graph, c))) {
    if (plan.biased != 0)
      for (auto& [name, tensor] : got) bias(tensor, plan.biased);
    if (plan.is_likely) claim.contract.bound = ErrorBound::likely;
    judged = judge_graph(claim, inputs, got);
    if (plan.is_likely) judge_whole();
  }

  Graph graph;
  GraphClaim claim;
  Tensors inputs;
  Tensors got;
  Judgement judged;
  std::map<std::string, WholeTensor, std::less<>> beyond;  ///< as whole tensors

 private:
  void judge_whole() {
    JudgedTensors tensors;
    for (const auto& [name, found] : judged)
      if (may_be_beyond(claim, name, found.discrepancy)) tensors.emplace(name, &got.at(name));
    if (tensors.empty()) return;
    for (const auto& [name, whole] : whole_tensors(claim, inputs, tensors))
      if (whole.is_beyond()) beyond.emplace(name, whole);
  }

  /// Moves every result a little: the calibration's own fault.
  static void bias(Tensor& tensor, double by) {
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, tensor.at(i) * (1 + by));
  }
};

std::int64_t nan_in_place_of_finite(const Discrepancy& d) {
  return d.classes[static_cast<std::size_t>(NumberClass::finite)]
                  [static_cast<std::size_t>(NumberClass::nan)];
}

bool is_alarm(const Verdict& verdict) {
  return verdict.outcome != Outcome::passed && verdict.outcome != Outcome::mistrusted;
}

/// Draws and judges one Case, and counts its results.
class GraphTrial {
 public:
  GraphTrial(const CalibrationPlan& plan, std::uint64_t number, GraphTally& tally,
             std::vector<Suspect>& suspects)
      : plan_(plan), number_(number), tally_(tally), suspects_(suspects) {}

  void run() {
    const std::string line = plan_.is_likely ? drawn_long_graph_case(plan_.seed, number_)
                                             : drawn_graph_case(plan_.seed, number_);
    try {
      const Case c = parse_case(line, {});
      JudgedGraph all(plan_, c);
      ++tally_.graphs;
      for (const GraphStep& s : all.graph.steps) ++tally_.drawn[s.stage];
      for (const auto& [name, found] : all.judged) count(c, all.graph, name, found);
      for (const auto& [name, whole] : all.beyond) suspect(c, name, whole);
      if (number_ % kGraphPlantedEvery == 0) plant(c, all);
    } catch (const UsageError&) {  // groups that do not divide
      ++tally_.refused;
    } catch (const NoOperator&) {
      ++tally_.refused;
    }
  }

 private:
  void count(const Case& c, const Graph& graph, const std::string& name, const Judged& judged) {
    const Discrepancy& d = judged.discrepancy;
    const Verdict verdict = judge(judged);
    ++tally_.tensors;
    tally_.elements += d.elements;
    tally_.mistrusted += verdict.outcome == Outcome::mistrusted;
    if (graph.steps.size() == 1) {
      StageRow& row = tally_.alone[graph.steps[0].stage + " " + c.text("dtype")];
      const bool value = name == graph.outputs.front();
      row.cases += value;
      widen(value ? row.value : row.gradient, reach_of(d, parse_dtype(c.text("dtype"))));
    }
    if (!is_alarm(verdict)) return;
    const std::string text = to_string(c);
    suspects_.push_back(
        {name, text,
         fmt::format("{} {}: {}, error/bound {:.4g}  replay '{}'", name_of(verdict.outcome), name,
                     verdict.reason, d.max_ratio, text),
         nan_in_place_of_finite(d) == d.bad});
  }

  void suspect(const Case& c, const std::string& name, const WholeTensor& whole) {
    const std::string text = to_string(c);
    suspects_.push_back(
        {name, text,
         fmt::format("Improbable {}: {:.3g} typical errors off in root mean square of {}, limit "
                     "{:.3g}  replay '{}'",
                     name, whole.root_mean_square, whole.groups, whole.most, text),
         false});
  }

  StageReach reach_of(const Discrepancy& d, DType dtype) const {
    const double ratio = std::isfinite(d.max_ratio) ? d.max_ratio / plan_.widened : 0;
    const double relative = d.resolution.median * plan_.widened / unit_roundoff(dtype);
    return {ratio, d.resolution.rms_bound, std::isfinite(relative) && relative > kFewRoundings};
  }

  /// Moves the worst element of one tensor to three bounds from the truth; the bound follows from
  /// the element's error and ratio.
  void plant(const Case& c, JudgedGraph& all) {
    for (const auto& [name, found] : all.judged) {
      const Element& worst = found.discrepancy.worst;
      if (!(worst.ratio > 0) || !std::isfinite(worst.ratio)) continue;
      const double bound = std::abs(worst.got - worst.want) / worst.ratio;
      Tensor& tensor = all.got.at(name);
      const double before = tensor.at(worst.index);
      tensor.set(worst.index, worst.want + kPlanted * bound * (worst.got < worst.want ? -1 : 1));
      const double off = std::abs(tensor.at(worst.index) - worst.want);
      if (!(off > 2 * bound) || !std::isfinite(off)) {  // the type has no such number
        tensor.set(worst.index, before);
        continue;
      }
      ++tally_.planted;
      if (judge_graph(all.claim, all.inputs, all.got).at(name).discrepancy.bad == 0)
        tally_.missed.push_back(
            fmt::format("{} off by {} bounds passed  replay '{}'", name, kPlanted, to_string(c)));
      tensor.set(worst.index, before);
      return;
    }
  }

  const CalibrationPlan& plan_;
  std::uint64_t number_;
  GraphTally& tally_;
  std::vector<Suspect>& suspects_;
};

}  // namespace

void widen(StageReach& into, const StageReach& other) {
  into.ratio = std::max(into.ratio, other.ratio);
  into.bound = std::max(into.bound, other.bound);
  into.loose += other.loose;
}

bool Suspect::is_of_onednn(const CalibrationPlan& plan) const {
  const Case c = parse_case(case_text, {});
  const Graph graph = graph_of(c);
  const bool has_product = std::any_of(
      graph.steps.begin(), graph.steps.end(),
      [](const GraphStep& s) { return s.stage == "linear" || graph_stage(s.stage).convolves(); });
  if (!is_nan_alone || c.text("dtype") != "bf16" || !has_product) return false;
  const WithoutOneDnn without;
  return !is_alarm(judge(JudgedGraph(plan, c).judged.at(tensor).discrepancy));
}

void try_graph(const CalibrationPlan& plan, std::uint64_t number, GraphTally& tally,
               std::vector<Suspect>& suspects) {
  GraphTrial(plan, number, tally, suspects).run();
}

}  // namespace gradproof
