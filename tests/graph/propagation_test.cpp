// SPDX-License-Identifier: Apache-2.0
// What is off in the middle of a graph by as much as is permitted there, each number to the side
// that is worst for an element behind it, moves that element within its bound. LibTorch's own
// errors are far smaller, and of both signs: they do not see a bound that is ten times too small.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/draw_graph.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_parts.h"
#include "core/graph/stages.h"
#include "oracles/graph/judge_graph.h"
#include "tests/graph/moved.h"

namespace gradproof {
namespace {

constexpr std::uint64_t kSeed = 20261127;
constexpr std::int64_t kMostNumbers = 64;  ///< that are moved in one graph

/// A drawn graph in float32, whose results are rounded no more than its steps are.
struct Drawn {
  explicit Drawn(std::uint64_t number) : line(in_float32(drawn_graph_case(kSeed, number))) {
    const Case c = parse_case(line, {});
    graph = graph_of(c);
    inputs = make_graph_inputs(graph, c);
    claim = {graph, extents_of(graph, c), libtorch_graph_contract(graph, types_of(graph, c))};
  }

  static std::string in_float32(std::string line) {
    line = line.substr(0, line.find(" dtypes="));
    const std::size_t at = line.find("dtype=");
    return line.replace(at, line.find(' ', at) - at, "dtype=f32");
  }

  std::string line;
  Graph graph;
  Tensors inputs;
  GraphClaim claim;
};

/// Each drawn graph that there is, until so many were tried.
void each_drawn(const Trial& trial, int graphs, const std::function<void(const Drawn&)>& tried) {
  for (std::uint64_t number = 0; number < 20000 && trial.graphs < graphs; ++number) {
    try {
      tried(Drawn(number));
    } catch (const UsageError&) {  // groups that do not divide an axis, and the like
    }
  }
}

/// What is asked of the claim: the gradients, or else everything.
Tensors targets_of(const GraphClaim& claim, const std::vector<std::string>& outputs) {
  Tensors all;
  for (const std::string& output : outputs)
    all.emplace(output, Tensor(DType::f32, claim.shape_of(output)));
  for (const GraphTensor& t : claim.graph.tensors)
    if (has_gradient(t.part))
      all.emplace(gradient_name(t.name), Tensor(DType::f32, claim.shape_of(t.name)));
  return all;
}

JudgedTensors asked(const Tensors& tensors) {
  JudgedTensors all;
  for (const auto& [name, tensor] : tensors) all.emplace(name, &tensor);
  return all;
}

/// The only step that has statistics of its own; null where there are none, or several.
const GraphStep* only_norm(const Graph& graph) {
  const GraphStep* found = nullptr;
  for (const GraphStep& step : graph.steps) {
    if (graph_stage(step.stage).statistics != StageStatistics::own) continue;
    if (found != nullptr) return nullptr;
    found = &step;
  }
  return found;
}

/// Each group's mean and 1/std is off, to one side, in turns, and to sides of no order: gradients
/// follow from those.
void try_statistics(const Drawn& drawn, Trial& trial) {
  const GraphStep* const norm = only_norm(drawn.graph);
  if (norm == nullptr) return;
  GraphClaim claim = drawn.claim;
  claim.statistics = {{"own.rstd", norm->value, true}};
  if (norm->stage != "rms_norm") claim.statistics.push_back({"own.mean", norm->value, false});
  const std::string axis = block_axis(claim.graph, claim.extents);
  Tensors statistics;
  for (const PlanStatistic& s : claim.plan(axis.empty() ? 1 : claim.extents.at(axis)).statistics)
    statistics.emplace(s.value.name, Tensor(DType::f64, s.value.extents));
  const Tensors targets = targets_of(claim, {});
  const Found own = truths_of_graph(claim, drawn.inputs, asked(statistics));
  std::vector<Uncertain> numbers;
  BesideInputs beside;
  for (auto& [name, tensor] : statistics) {
    const auto more = uncertain_numbers(name, own.at(name).truths);
    if (!more) return;
    numbers.insert(numbers.end(), more->begin(), more->end());
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set(i, own.at(name).truths.hi[static_cast<std::size_t>(i)]);
  }
  if (numbers.empty()) return;
  beside.statistics = statistics;
  const auto given = [&] { return truths_of_graph(claim, drawn.inputs, asked(targets), beside); };
  const Found base = given();
  const Found judged = truths_of_graph(claim, drawn.inputs, asked(targets));
  for (const unsigned sides : {0U, 0x55555555U, 0x35c0a796U, 0x9e3779b9U}) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Uncertain& one = numbers[k];
      const double side = (sides >> k % 32 & 1) != 0 ? -1 : 1;
      beside.statistics.at(one.tensor).set(one.place, one.number + side * one.error);
    }
    trial.add(moved(base, given()), judged, drawn.line);
  }
  ++trial.graphs;
}

/// Some steps of a graph as one of its own, that is given the value `made`.
Graph part_of(const Graph& graph, std::size_t first, std::size_t last, const std::string& made,
              const std::vector<std::string>& outputs) {
  Graph part = graph;
  const auto begin = graph.steps.begin();
  part.steps.assign(begin + static_cast<std::ptrdiff_t>(first),
                    begin + static_cast<std::ptrdiff_t>(last));
  part.outputs = outputs;
  std::erase_if(part.tensors, [&](const GraphTensor& t) {
    return std::none_of(part.steps.begin(), part.steps.end(),
                        [&](const GraphStep& s) { return s.takes(t.name); });
  });
  if (!made.empty()) part.tensors.push_back({made, TensorPart::input, graph.axes_of(made), true});
  return part;
}

/// True if steps from `at` on take, of what was made before, the last value alone, and that is
/// off independently in each element: no norm came before.
bool can_be_cut(const Graph& graph, std::size_t at) {
  const std::string& value = graph.steps[at - 1].value;
  if (has_name(graph.outputs, value)) return false;
  for (std::size_t k = 0; k < at; ++k) {
    if (graph_stage(graph.steps[k].stage).form == StageForm::normalises) return false;
    const std::string& made = graph.steps[k].value;
    const bool is_taken =
        std::any_of(graph.steps.begin() + static_cast<std::ptrdiff_t>(at), graph.steps.end(),
                    [&](const GraphStep& s) { return s.takes(made); });
    if (is_taken != (k + 1 == at) || (k + 1 < at && has_name(graph.outputs, made))) return false;
  }
  return true;
}

/// Each number of a value between two steps is off.
void try_cut(const Drawn& drawn, std::size_t at, Trial& trial) {
  const std::string& value = drawn.graph.steps[at - 1].value;
  const GraphClaim& whole = drawn.claim;
  const GraphClaim before{part_of(drawn.graph, 0, at, "", {value}), whole.extents, whole.contract};
  const GraphClaim behind{
      part_of(drawn.graph, at, drawn.graph.steps.size(), value, drawn.graph.outputs), whole.extents,
      whole.contract};
  Tensor made(DType::f64, whole.shape_of(value));
  const Truths truths = truths_of_graph(before, drawn.inputs, value, made).truths;
  const auto numbers = uncertain_numbers(value, truths);
  if (!numbers || numbers->empty() || std::ssize(*numbers) > kMostNumbers) return;
  for (std::int64_t i = 0; i < made.numel(); ++i)
    made.set(i, truths.hi[static_cast<std::size_t>(i)]);
  Tensors targets = targets_of(behind, drawn.graph.outputs);
  targets.erase(gradient_name(value));
  Tensors inputs = drawn.inputs;
  inputs.insert_or_assign(value, made);
  const auto given = [&] { return truths_of_graph(behind, inputs, asked(targets)); };
  const auto with = [&](const Uncertain& one, double number) {
    inputs.at(value).set(one.place, number);
    Found found = given();
    inputs.at(value).set(one.place, one.number);
    return found;
  };
  trial.add(moved(*numbers, given(), with), truths_of_graph(whole, drawn.inputs, asked(targets)),
            drawn.line);
  ++trial.graphs;
}

/// No element moves by more than its bound; the control: by more than half of it many do.
void expect_within(const Trial& trial, int graphs) {
  EXPECT_GE(trial.graphs, graphs);
  EXPECT_GT(trial.elements, 10 * graphs);
  EXPECT_LE(trial.worst, 1.001) << trial.worst_line;
  EXPECT_GT(trial.over_half, graphs) << "a control: half the bound is passed";
}

TEST(Propagation, OfStatisticsStaysWithinTheGradientsBounds) {
  constexpr int kGraphs = 1500;
  Trial trial;
  each_drawn(trial, kGraphs, [&](const Drawn& drawn) { try_statistics(drawn, trial); });
  expect_within(trial, kGraphs);
}

TEST(Propagation, OfAValueStaysWithinTheBoundsBehindIt) {
  constexpr int kGraphs = 250;
  Trial trial;
  each_drawn(trial, kGraphs, [&](const Drawn& drawn) {
    for (std::size_t at = 1; at < drawn.graph.steps.size(); ++at)
      if (can_be_cut(drawn.graph, at)) try_cut(drawn, at, trial);
  });
  expect_within(trial, kGraphs);
}

}  // namespace
}  // namespace gradproof
