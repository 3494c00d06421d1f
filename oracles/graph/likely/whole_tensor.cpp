// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/likely/whole_tensor.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/graph/axes/operand_axes.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

const Axes* axes_of(const Graph& graph, std::string_view name) {
  for (const GraphStep& step : graph.steps)
    if (step.value == name) return &step.value_axes;
  for (const GraphTensor& tensor : graph.tensors)
    if (tensor.name == name || gradient_name(tensor.name) == name) return &tensor.axes;
  return nullptr;
}

/// Axes along which some step makes one number of several, or several of one.
std::set<std::string> joined_axes(const Graph& graph) {
  std::set<std::string> all;
  for (const GraphStep& step : graph.steps) {
    all.insert(step.axes.begin(), step.axes.end());
    if (graph_stage(step.stage).form != StageForm::contracts) continue;
    // All that a product makes along an axis that its first factor lacks is of the same numbers.
    const std::vector<std::string> second = product_axes(graph, step).of_second;
    all.insert(second.begin(), second.end());
  }
  return all;
}

}  // namespace

std::int64_t independent_groups(const GraphClaim& claim, std::string_view tensor) {
  const Axes* axes = axes_of(claim.graph, tensor);
  if (axes == nullptr) return 1;
  const std::set<std::string> joined = joined_axes(claim.graph);
  std::int64_t groups = 1;
  for (const std::string& axis : *axes)
    if (!joined.contains(axis)) groups *= claim.extents.at(axis);
  return groups;
}

double most_root_mean_square(std::int64_t groups) {
  constexpr double kQuantile = 7.034484;  // of a normal number, at 1 - 1e-12
  const double variance = 2 / (9 * static_cast<double>(groups));
  const double root = 1 - variance + kQuantile * std::sqrt(variance);
  return std::sqrt(root * root * root);
}

bool may_be_beyond(const GraphClaim& claim, std::string_view tensor, const Discrepancy& likely) {
  return likely.bad == 0 && likely.vacuous == 0 && likely.elements > 0 &&
         deviations_of(ErrorBound::likely) * likely.rms_ratio >
             most_root_mean_square(independent_groups(claim, tensor));
}

std::map<std::string, WholeTensor, std::less<>> whole_tensors(GraphClaim claim,
                                                              const Tensors& inputs,
                                                              const JudgedTensors& got) {
  claim.contract.bound = ErrorBound::typical;
  std::map<std::string, WholeTensor, std::less<>> found;
  for (const auto& [name, judged] : judge_graph(claim, inputs, got)) {
    const std::int64_t groups = independent_groups(claim, name);
    found[name] = {judged.discrepancy.rms_ratio, most_root_mean_square(groups), groups};
  }
  return found;
}

}  // namespace gradproof
