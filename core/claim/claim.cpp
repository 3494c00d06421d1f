// SPDX-License-Identifier: Apache-2.0
#include "core/claim/claim.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/resolve.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

bool moves_statistic(const GraphStep& step) { return graph_stage(step.stage).moves_statistic(); }

bool takes_tensor(const Graph& graph, std::string_view name) {
  for (const GraphStep& step : graph.steps)
    for (const GraphOperand& operand : step.operands)
      if (operand.name == name) return true;
  return false;
}

}  // namespace

std::int64_t Claim::extent(std::string_view axis) const {
  const auto found = extents.find(axis);
  if (found == extents.end())
    throw InstrumentError(fmt::format("the claim has no extent of axis '{}'", axis));
  return found->second;
}

std::int64_t Claim::groups() const {
  for (const GraphStep& step : graph.steps)
    if (const auto found = step.options.find("groups"); found != step.options.end())
      return std::stoll(found->second);
  return 0;
}

bool Claim::batch_statistics() const {
  return std::none_of(graph.steps.begin(), graph.steps.end(), [](const GraphStep& step) {
    return graph_stage(step.stage).statistics == StageStatistics::given;
  });
}

bool Claim::update_running() const {
  return std::any_of(graph.steps.begin(), graph.steps.end(), moves_statistic);
}

std::vector<GraphStep> Claim::chain() const {
  std::vector<GraphStep> steps;
  std::remove_copy_if(graph.steps.begin(), graph.steps.end(), std::back_inserter(steps),
                      moves_statistic);
  return steps;
}

bool Claim::is_matrix(const TensorSpec& spec) const {
  return spec.role == Role::input || spec.role == Role::cotangent || spec.name == "y" ||
         (spec.role == Role::gradient && tensor(spec.name.substr(2)).role == Role::input);
}

bool Claim::has(std::string_view name) const {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const TensorSpec& spec) { return spec.name == name; });
}

const TensorSpec& Claim::tensor(std::string_view name) const {
  for (const TensorSpec& spec : tensors)
    if (spec.name == name) return spec;
  throw InstrumentError("the claim has no tensor '" + std::string(name) + "'");
}

Graph with_groups(Graph graph, std::int64_t groups) {
  for (GraphStep& step : graph.steps)
    if (const auto found = step.options.find("groups"); found != step.options.end())
      found->second = std::to_string(groups);
  return graph;
}

std::size_t first_norm(const std::vector<GraphStep>& chain) {
  std::size_t k = 0;
  while (k < chain.size() && !graph_stage(chain[k].stage).is_norm()) ++k;
  return k;
}

namespace {

/// True for a norm of this input that computes its own statistics.
bool is_norm_of(const GraphStep& step, const GraphOperand& input) {
  return graph_stage(step.stage).statistics == StageStatistics::own && step.operands[0] == input;
}

}  // namespace

Graph chain_part(const Claim& claim, std::size_t first, std::size_t last) {
  const std::vector<GraphStep> chain = claim.chain();
  Graph part;
  part.steps.assign(chain.begin() + static_cast<std::ptrdiff_t>(first),
                    chain.begin() + static_cast<std::ptrdiff_t>(last));
  part.steps.back().value = "y";
  std::vector<GraphStep> moved;
  for (const GraphStep& step : claim.graph.steps)
    for (const GraphStep& norm : part.steps)
      if (moves_statistic(step) && is_norm_of(norm, step.operands[0])) moved.push_back(step);
  part.steps.insert(part.steps.end(), moved.begin(), moved.end());
  const std::string from = part.steps.front().operands.front().name;
  for (GraphStep& step : part.steps)
    for (GraphOperand& operand : step.operands)
      if (operand.name == from) operand.name = "x";
  std::vector<FixedTensor> fixed;
  for (const GraphTensor& tensor : claim.graph.tensors) {
    if (!takes_tensor(part, tensor.name)) continue;
    if (tensor.declared) part.tensors.push_back(tensor);
    if (tensor.part == TensorPart::fixed) fixed.push_back({tensor.name, tensor.kind});
  }
  return resolved(std::move(part), to_string(claim.graph), fixed);
}

std::string operand_of(const GraphStep& step, std::string_view word) {
  const GraphStage& row = graph_stage(step.stage);
  for (std::size_t k = 0; k < row.operands.size(); ++k)
    if (row.operands[k].word == word)
      return k < step.operands.size() ? step.operands[k].name : std::string();
  throw InstrumentError(fmt::format("{} has no operand '{}'", row.word, word));
}

}  // namespace gradproof
