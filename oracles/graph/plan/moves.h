// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/graph/labels.h"
#include "core/tensor/tensor.h"
#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// The numbers that the step of a move takes of each operand in a block; `whole` are the extents of
/// all axes. A move couples no numbers along the axis that blocks are cut from.
std::vector<MovedNumbers> moved_numbers(const PlanStep& step, const std::vector<PlanValue>& values,
                                        const GraphExtents& whole);

/// The numbers that the labels of a step choose, as chosen_numbers() has them.
MovedNumbers numbers_by_labels(const PlanStep& step, const std::vector<PlanValue>& values,
                               const Tensor& labels, const LabelRange& range);

}  // namespace gradproof
