// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/normalised_tensor.h"

#include <algorithm>

#include "core/graph/stages.h"
#include "properties/laws/axes.h"

namespace gradproof {

std::int64_t takers_of(const Claim& claim, const std::string& name) {
  return std::ranges::count_if(claim.graph.steps, [&](const GraphStep& step) {
    return step.takes(name) && (claim.by_graph || !graph_stage(step.stage).moves_statistic());
  });
}

namespace {

bool is_tensor(const Claim& claim, const std::string& name) {
  return std::ranges::any_of(claim.graph.tensors, [&](const auto& t) { return t.name == name; });
}

/// The step that makes a value which is no output and which one step takes; null if there is none.
const GraphStep* step_of(const Claim& claim, const std::string& value) {
  if (has_name(claim.graph.outputs, value) || takers_of(claim, value) != 1) return nullptr;
  for (const GraphStep& step : claim.graph.steps)
    if (step.value == value) return &step;
  return nullptr;
}

bool is_taken_once(const Claim& claim, const std::string& name) {
  return is_tensor(claim, name) && takers_of(claim, name) == 1;
}

/// True if the step multiplies by a tensor that is the same for all that the norm takes together.
bool is_factor_in_front(const Claim& claim, const GraphStep& step, const GraphStep& norm) {
  if (!graph_stage(step.stage).is_factor() || step.operands[0].is_number()) return false;
  const GraphOperand& factor = step.operands[1];
  if (factor.is_number() || !is_taken_once(claim, factor.name)) return false;
  const std::vector<std::string>& axes = claim.graph.axes_of(factor.name);
  return std::ranges::none_of(axes, [&](const auto& axis) { return has_name(norm.axes, axis); });
}

std::optional<NormalisedTensor> through_factors(const Claim& claim, const GraphStep& norm) {
  NormalisedTensor found{norm.operands[0].name, norm, ""};
  while (!is_tensor(claim, found.tensor)) {
    const GraphStep* const step = step_of(claim, found.tensor);
    if (step == nullptr || !is_factor_in_front(claim, *step, norm)) return std::nullopt;
    if (found.factor.empty()) found.factor = step->operands[1].name;
    found.tensor = step->operands[0].name;
  }
  if (takers_of(claim, found.tensor) != 1) return std::nullopt;
  return found;
}

std::optional<NormalisedTensor> summand_before(const Claim& claim, const GraphStep& norm) {
  const GraphStep* const step = step_of(claim, norm.operands[0].name);
  if (step == nullptr || !graph_stage(step->stage).is_summand()) return std::nullopt;
  const GraphOperand& summand = step->operands[1];
  if (summand.is_number() || !is_taken_once(claim, summand.name)) return std::nullopt;
  return NormalisedTensor{summand.name, norm, ""};
}

}  // namespace

std::string NormalisedTensor::weight_of(const Claim& claim) const {
  const std::string weight = operand_of(norm, "weight");
  return is_taken_once(claim, weight) ? weight : "";
}

std::optional<NormalisedTensor> normalised_tensor(const Claim& claim) {
  for (const GraphStep& step : claim.graph.steps)
    if (graph_stage(step.stage).is_norm())
      if (auto found = through_factors(claim, step)) return found;
  return std::nullopt;
}

std::optional<NormalisedTensor> shifted_tensor(const Claim& claim) {
  for (const GraphStep& step : claim.graph.steps) {
    if (!graph_stage(step.stage).ignores_shift) continue;
    if (auto found = through_factors(claim, step)) return found;
    if (auto found = summand_before(claim, step)) return found;
  }
  return std::nullopt;
}

namespace {

/// The number of units along a dimension of the tensor, and the number of places of each unit.
struct UnitsAlong {
  std::int64_t count = 1;
  std::int64_t width = 1;
};

UnitsAlong units_along(const Claim& claim, const GraphStep& step, const TensorSpec& spec,
                       std::size_t d) {
  const std::int64_t extent = std::max<std::int64_t>(1, spec.layout.shape[d]);
  const std::int64_t width = use_of(claim.graph, step, spec.axes.at(d)).width(extent);
  return {extent / width, width};
}

}  // namespace

std::int64_t unit_of(const Claim& claim, const GraphStep& step, const TensorSpec& spec,
                     std::int64_t index) {
  const std::vector<std::int64_t> places = places_of(spec, index);
  std::int64_t unit = 0;
  for (std::size_t d = 0; d < places.size(); ++d) {
    const UnitsAlong along = units_along(claim, step, spec, d);
    unit = unit * along.count + places[d] / along.width;
  }
  return unit;
}

std::int64_t units_of(const Claim& claim, const GraphStep& step, const TensorSpec& spec) {
  std::int64_t units = 1;
  for (std::size_t d = 0; d < spec.layout.shape.size(); ++d)
    units *= units_along(claim, step, spec, d).count;
  return units;
}

}  // namespace gradproof
