// SPDX-License-Identifier: Apache-2.0
#include "judge/trust.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/graph/dependence.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Depends = std::function<bool(const GraphPlace&)>;

/// The number that all elements have, or NaN if there is none.
double common_number(const Tensor& tensor) {
  for (std::int64_t i = 1; i < tensor.numel(); ++i)
    if (tensor.at(i) != tensor.at(0)) return kNoIdentity;
  return tensor.numel() == 0 ? kNoIdentity : tensor.at(0);
}

/// True if all elements equal the other tensor's and are not all one number, for which there is
/// another reason.
bool has_numbers_of(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.numel() < 2 || !std::isnan(common_number(a))) return false;
  for (std::int64_t i = 0; i < a.numel(); ++i)
    if (a.at(i) != b.at(i)) return false;
  return true;
}

bool is_tensor_of_numbers(const Graph& graph, const std::string& name) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(), [&](const GraphTensor& t) {
    return t.name == name && t.part != TensorPart::labels;
  });
}

std::string reason_against_tensor(const std::string& name, double identity, const Tensor& numbers) {
  const double number = common_number(numbers);
  if (number == identity)
    return fmt::format("{} is {} everywhere: a kernel without it would pass", name, number);
  if (numbers.numel() > 1 && !std::isnan(number))
    return fmt::format("{} is {} everywhere: a wrong index would pass", name, number);
  return "";
}

/// The reason against two tensors with the same numbers: a kernel that reads one in place of the
/// other would pass.
std::string reason_against_pairs(const Graph& graph, const Tensors& inputs,
                                 const Depends& depends) {
  for (std::size_t k = 0; k < graph.steps.size(); ++k)
    for (std::size_t o = 0; o < graph.steps[k].operands.size(); ++o) {
      const std::string& name = graph.steps[k].operands[o].name;
      if (!is_tensor_of_numbers(graph, name) || !depends({k, o})) continue;
      for (const GraphTensor& other : graph.tensors)
        if (other.name != name && has_numbers_of(get(inputs, name), get(inputs, other.name)))
          return fmt::format("{} has the numbers of {}: a kernel that confuses them would pass",
                             name, other.name);
    }
  return "";
}

/// The step that gives the value, if it moves a running statistic.
const GraphStep* moving_step(const Graph& graph, const std::string& value) {
  for (const GraphStep& step : graph.steps)
    if (step.value == value && graph_stage(step.stage).moves_statistic()) return &step;
  return nullptr;
}

/// The reason against the cotangents that the gradient is computed from. A cotangent of zeros
/// belongs to an output that no loss uses, so it is no reason.
std::string reason_against_cotangents(const Graph& graph, const Tensors& inputs,
                                      std::string_view of) {
  for (const std::string& output : graph.outputs) {
    const auto cotangent = inputs.find("d" + output);
    if (cotangent == inputs.end() || cotangent->second.numel() < 2) continue;
    const double number = common_number(cotangent->second);
    if (number == 0 || std::isnan(number)) continue;
    if (gradient_takes(graph, of, output))
      return fmt::format("{} is {} everywhere: a wrong index would pass", cotangent->first, number);
  }
  return "";
}

std::string reason_against_number(std::string_view name, double identity, double number) {
  return number == identity ? fmt::format("{} is {}: a kernel without it would pass", name, number)
                            : "";
}

/// The reason against a tensor that is a step's second or later operand.
std::string reason_against_tensors(const Graph& graph, const Tensors& inputs,
                                   const Depends& depends) {
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const GraphStep& step = graph.steps[k];
    for (std::size_t o = 1; o < step.operands.size(); ++o) {
      const std::string& name = step.operands[o].name;
      if (!is_tensor_of_numbers(graph, name) || !depends({k, o})) continue;
      const double identity = graph_stage(step.stage).operands[o].identity;
      if (std::string reason = reason_against_tensor(name, identity, get(inputs, name));
          !reason.empty())
        return reason;
    }
  }
  return "";
}

/// The reason against a number that is an operand of a step, or the value of an option. The
/// sentence names the stage or the option.
std::string reason_against_numbers(const Graph& graph, const Depends& depends) {
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const GraphStep& step = graph.steps[k];
    const GraphStage& row = graph_stage(step.stage);
    std::string reason;
    for (std::size_t o = 1; o < step.operands.size() && reason.empty(); ++o)
      if (step.operands[o].is_number() && depends({k, o}))
        reason = reason_against_number(row.word, row.operands[o].identity, step.operands[o].number);
    for (const StageOption& option : row.options)
      if (reason.empty() && !std::isnan(option.identity) && depends({k, GraphPlace::kOptions}))
        reason = reason_against_number(option.key, option.identity, step.number(option.key));
    if (!reason.empty()) return reason;
  }
  return "";
}

/// The reason against a momentum m for which a wrong update of a running statistic gives the same
/// number as the right one, (1 - m) old + m new.
std::string reason_against_momentum(const GraphStep& step) {
  const double momentum = step.number("momentum");
  if (momentum == 0) return "momentum is 0: a kernel that never updates would pass";
  if (momentum == 1) return "momentum is 1: a kernel that forgets the old number would pass";
  if (momentum == 0.5) return "momentum is 0.5: a kernel that exchanges the shares would pass";
  return "";
}

std::string first_reason(const Graph& graph, const Tensors& inputs, const Depends& depends) {
  std::string reason = reason_against_tensors(graph, inputs, depends);
  if (reason.empty()) reason = reason_against_numbers(graph, depends);
  return reason.empty() ? reason_against_pairs(graph, inputs, depends) : reason;
}

/// Tests if the output or the gradient depends on a place in the graph.
Depends dependence_of(const Graph& graph, const std::string& tensor) {
  const bool value = has_name(graph.outputs, tensor);
  return [&graph, tensor, value](const GraphPlace& place) {
    return value ? value_depends(graph, tensor, place)
                 : gradient_depends(graph, tensor.substr(2), place);
  };
}

/// True if mean or rstd depends on the place: on what runs into the norm if the statistics are its
/// own, else on the statistics that it is given.
bool side_value_depends(const Claim& claim, const GraphPlace& place, const std::string& tensor) {
  const std::vector<GraphStep> chain = claim.chain();
  const std::size_t k = first_norm(chain);
  if (k == chain.size()) return false;
  const GraphStep& norm = chain[k];
  const GraphStep& step = claim.graph.steps[place.step];
  if (graph_stage(norm.stage).statistics == StageStatistics::given)
    return step == norm && place.operand < step.operands.size() &&
           step.operands[place.operand].name == operand_of(norm, tensor == "mean" ? "mean" : "var");
  const std::string& taken = norm.operands.front().name;
  return std::any_of(chain.begin(), chain.end(),
                     [&](const GraphStep& s) { return s.value == taken; }) &&
         value_depends(claim.graph, taken, place);
}

/// The value that a buffer has afterwards; empty where the step leaves it alone.
std::string moved_value(const Graph& graph, const std::string& buffer) {
  for (const GraphStep& step : graph.steps)
    if (graph_stage(step.stage).moves_statistic() && step.operands[1].name == buffer)
      return step.value;
  return "";
}

}  // namespace

std::string reason_to_mistrust(const Graph& graph, const Tensors& inputs,
                               const std::string& tensor) {
  std::string reason = first_reason(graph, inputs, dependence_of(graph, tensor));
  if (reason.empty() && !has_name(graph.outputs, tensor))
    reason = reason_against_cotangents(graph, inputs, tensor.substr(2));
  const GraphStep* const moving = moving_step(graph, tensor);
  return reason.empty() && moving != nullptr ? reason_against_momentum(*moving) : reason;
}

std::string reason_to_mistrust_given(const Graph& graph, const Tensors& inputs,
                                     const std::string& tensor) {
  std::string reason = reason_against_pairs(graph, inputs, dependence_of(graph, tensor));
  if (reason.empty() && !has_name(graph.outputs, tensor))
    reason = reason_against_cotangents(graph, inputs, tensor.substr(2));
  return reason;
}

std::string reason_to_mistrust(const Claim& claim, const Tensors& inputs,
                               const std::string& tensor) {
  const Graph& graph = claim.graph;
  const TensorSpec& spec = claim.tensor(tensor);
  if (spec.dtype == DType::i64) return "";  // the count of batches
  if (spec.role == Role::gradient) return reason_to_mistrust(graph, inputs, tensor);
  const std::string value = spec.role == Role::buffer ? moved_value(graph, tensor)
                            : tensor == "y"           ? graph.outputs.front()
                                                      : std::string();
  const bool side = spec.role == Role::output && value.empty();
  const std::string reason = first_reason(graph, inputs, [&](const GraphPlace& place) {
    if (side) return side_value_depends(claim, place, tensor);
    return !value.empty() && value_depends(graph, value, place);
  });
  const GraphStep* const moving = claim.cumulative ? nullptr : moving_step(graph, value);
  return reason.empty() && moving != nullptr ? reason_against_momentum(*moving) : reason;
}

}  // namespace gradproof
