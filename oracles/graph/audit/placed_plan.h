// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "oracles/graph/audit/moved_tensors.h"

namespace gradproof {

/// The field in which a step finds an operand while some numbers of one tensor move.
enum class OperandField {
  none,     ///< the operand is a number of the text
  moved,    ///< the numbers that move
  at_rest,  ///< the whole value, which does not depend on the tensor
  still     ///< the whole value as it was before the move: the operand rests (MovedTensors)
};

/// One step for the numbers at some places: its space is these places.
struct PlacedStep {
  PlanStep step;
  std::size_t position = 0;  ///< in the plan
  std::vector<OperandField> fields;
};

/// The steps behind a tensor that has a normaliser, before and behind the normaliser, for the
/// numbers at some places: each of these steps makes a number of those with the same index.
struct PlacedPlan {
  /// Without places it has all of the tensor's. Plan and tensors must outlive it.
  PlacedPlan(const GraphPlan& plan, const MovedTensors& moved, std::size_t tensor,
             std::span<const std::size_t> places);

  std::size_t tensor = 0;
  const MovedTensor* how = nullptr;
  std::vector<std::size_t> places;
  std::vector<PlacedStep> before;
  std::vector<PlacedStep> behind;
};

}  // namespace gradproof
