// SPDX-License-Identifier: Apache-2.0
// Errors in the middle of a graph that are as large as is permitted there, each number to the side
// that is worst for an element behind it, move that element within its bound. LibTorch's own
// errors are far smaller, and of both signs: they do not see a bound that is ten times too small.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph_parts.h"
#include "core/graph/stages.h"
#include "oracles/graph/judge_graph.h"
#include "tests/graph/errors/drawn.h"
#include "tests/graph/errors/moved.h"

namespace gradproof {
namespace {

constexpr std::int64_t kMostNumbers = 64;  ///< that are moved in one graph

/// Calls `tried` with each drawn graph that there is, until so many were tried.
void each_drawn(const Trial& trial, int graphs, const std::function<void(const Drawn&)>& tried) {
  for (std::uint64_t number = 0; number < 40000 && trial.graphs < graphs; ++number) {
    try {
      tried(Drawn(number));
    } catch (const UsageError&) {  // groups that do not divide an axis, and the like
    }
  }
}

/// The tensors that are asked of the claim: these outputs and all gradients.
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
  FurtherInputs further;
  for (auto& [name, tensor] : statistics) {
    const auto more = uncertain_numbers(name, own.at(name).truths);
    if (!more) return;
    numbers.insert(numbers.end(), more->begin(), more->end());
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set(i, own.at(name).truths.hi[static_cast<std::size_t>(i)]);
  }
  if (numbers.empty()) return;
  further.statistics = statistics;
  const auto given = [&] { return truths_of_graph(claim, drawn.inputs, asked(targets), further); };
  const Found base = given();
  const Found judged = truths_of_graph(claim, drawn.inputs, asked(targets));
  for (const unsigned sides : {0U, 0x55555555U, 0x35c0a796U, 0x9e3779b9U}) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Uncertain& one = numbers[k];
      const double side = (sides >> k % 32 & 1) != 0 ? -1 : 1;
      further.statistics.at(one.tensor).set(one.place, one.number + side * one.error);
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

/// A graph cut in two: the steps behind take nothing from before but the last value. The errors of
/// that value, or of its cotangent, are independent if no norm made them.
struct Cut {
  Cut(const Drawn& from, std::size_t at)
      : drawn(from),
        value(from.graph.steps[at - 1].value),
        before{part_of(from.graph, 0, at, "", {value}), from.claim.extents, from.claim.contract},
        behind{part_of(from.graph, at, from.graph.steps.size(), value, from.graph.outputs),
               from.claim.extents, from.claim.contract} {}

  bool is_one() const {
    const auto is_taken = [&](const std::string& name) {
      return has_name(drawn.graph.outputs, name) ||
             std::any_of(behind.graph.steps.begin(), behind.graph.steps.end(),
                         [&](const GraphStep& s) { return s.takes(name); });
    };
    const auto& steps = before.graph.steps;
    const auto& tensors = before.graph.tensors;
    return is_taken(value) && !has_name(drawn.graph.outputs, value) &&
           std::none_of(steps.begin(), steps.end() - 1,
                        [&](const GraphStep& s) { return is_taken(s.value); }) &&
           std::none_of(tensors.begin(), tensors.end(),
                        [&](const GraphTensor& t) { return is_taken(t.name); });
  }

  const Drawn& drawn;
  std::string value;
  GraphClaim before;
  GraphClaim behind;
};

bool has_norm(const Graph& graph) {
  return std::any_of(graph.steps.begin(), graph.steps.end(), [](const GraphStep& s) {
    return graph_stage(s.stage).form == StageForm::normalises;
  });
}

Tensor in_tensor(const Truths& truths, const Shape& shape) {
  Tensor all(DType::f64, shape);
  for (std::int64_t i = 0; i < all.numel(); ++i) all.set(i, truths.hi[static_cast<std::size_t>(i)]);
  return all;
}

/// One part of the cut reads a tensor that the other part made: each of its numbers is off in turn.
void try_part(const Cut& cut, const GraphClaim& part, Tensors inputs, const std::string& name,
              const Truths& truths, const Tensors& targets, Trial& trial) {
  const auto numbers = uncertain_numbers(name, truths);
  if (!numbers || numbers->empty() || std::ssize(*numbers) > kMostNumbers || targets.empty())
    return;
  inputs.insert_or_assign(name, in_tensor(truths, cut.behind.shape_of(cut.value)));
  const auto given = [&] { return truths_of_graph(part, inputs, asked(targets)); };
  const auto with = [&](const Uncertain& one, double number) {
    inputs.at(name).set(one.place, number);
    Found found = given();
    inputs.at(name).set(one.place, one.number);
    return found;
  };
  trial.add(moved(*numbers, given(), with),
            truths_of_graph(cut.drawn.claim, cut.drawn.inputs, asked(targets)), cut.drawn.line);
  ++trial.graphs;
}

void try_value(const Cut& cut, Trial& trial) {
  if (has_norm(cut.before.graph)) return;
  Tensors targets = targets_of(cut.behind, cut.drawn.graph.outputs);
  targets.erase(gradient_name(cut.value));
  const Tensor like(DType::f64, cut.before.shape_of(cut.value));
  try_part(cut, cut.behind, cut.drawn.inputs, cut.value,
           truths_of_graph(cut.before, cut.drawn.inputs, cut.value, like).truths, targets, trial);
}

void try_cotangent(const Cut& cut, Trial& trial) {
  if (has_norm(cut.behind.graph)) return;
  const Tensor like(DType::f64, cut.before.shape_of(cut.value));
  Tensors inputs = cut.drawn.inputs;
  const Truths value = truths_of_graph(cut.before, inputs, cut.value, like).truths;
  inputs.insert_or_assign(cut.value, in_tensor(value, like.shape()));
  try_part(cut, cut.before, cut.drawn.inputs, cotangent_name(cut.value),
           truths_of_graph(cut.behind, inputs, gradient_name(cut.value), like).truths,
           targets_of(cut.before, {}), trial);
}

void each_cut(Trial& trial, int graphs, void (*tried)(const Cut&, Trial&)) {
  each_drawn(trial, graphs, [&](const Drawn& drawn) {
    for (std::size_t at = 1; at < drawn.graph.steps.size(); ++at)
      if (const Cut cut(drawn, at); cut.is_one()) tried(cut, trial);
  });
}

/// Expects no movement over its bound; the control: many are over half of it.
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
  constexpr int kCuts = 250;
  Trial trial;
  each_cut(trial, kCuts, try_value);
  expect_within(trial, kCuts);
}

TEST(Propagation, OfACotangentStaysWithinTheGradientsBounds) {
  constexpr int kCuts = 250;
  Trial trial;
  each_cut(trial, kCuts, try_cotangent);
  expect_within(trial, kCuts);
}

}  // namespace
}  // namespace gradproof
