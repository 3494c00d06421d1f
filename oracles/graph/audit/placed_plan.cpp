// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/placed_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gradproof {
namespace {

/// The map of an operand that does not move, from the places to its numbers.
IndexMap map_from(const std::vector<std::size_t>& places, const IndexMap& whole) {
  IndexMap map;
  for (const std::size_t p : places)
    map.push_back(whole.empty() ? static_cast<std::int32_t>(p) : whole[p]);
  return map;
}

}  // namespace

PlacedPlan::PlacedPlan(const GraphPlan& plan, const MovedTensors& moved, std::size_t of,
                       std::span<const std::size_t> asked)
    : tensor(of), how(&moved.tensors[of]), places(asked.begin(), asked.end()) {
  if (asked.empty()) {
    places.resize(static_cast<std::size_t>(plan.values[of].count));
    std::iota(places.begin(), places.end(), 0);
  }
  std::vector<bool> moves(plan.values.size());
  moves[of] = true;
  for (const std::size_t k : how->steps) {
    const PlanStep& s = plan.steps[k];
    moves[static_cast<std::size_t>(s.value)] = true;
    if (static_cast<int>(k) == how->normaliser) continue;
    PlacedStep placed;
    placed.position = k;
    placed.step.step = s.step;
    placed.step.row = s.row;
    placed.step.operands = s.operands;
    placed.step.numbers = s.numbers;
    placed.step.value = s.value;
    placed.step.space = static_cast<std::int64_t>(places.size());
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      const bool rests = std::ranges::find(moved.resting[k], o) != moved.resting[k].end();
      OperandField field = rests ? OperandField::still : OperandField::at_rest;
      if (s.operands[o] < 0)
        field = OperandField::none;
      else if (!rests && moves[static_cast<std::size_t>(s.operands[o])])
        field = OperandField::moved;
      const bool is_whole = field == OperandField::at_rest || field == OperandField::still;
      placed.step.maps.push_back(is_whole ? map_from(places, s.maps[o]) : IndexMap());
      placed.fields.push_back(field);
    }
    (static_cast<int>(k) < how->normaliser ? before : behind).push_back(std::move(placed));
  }
}

}  // namespace gradproof
