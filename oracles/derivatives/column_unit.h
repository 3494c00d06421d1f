// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/derivatives/read_unit.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {

/// The number by which a column of the Jacobian is computed: its tensor, by position in the target,
/// its entry there, and its place in each unit that it affects.
struct ColumnNumber {
  std::size_t tensor = 0;
  std::int64_t entry = 0;
  std::size_t place = 0;
};
ColumnNumber column_number(const PipelineTarget& target, std::size_t tensor, std::int64_t entry);

/// Central differences of order 2(order_index + 1) at h = 2^log2_step.
struct ColumnStep {
  int log2_step = 0;
  int order_index = kOrders - 1;
  Real error;  ///< max |D(h) - D(2h)| over the outputs
};

/// The step and the order with the smallest max |D(h) - D(2h)| in a unit, searched downhill from
/// the step that usually is best in 50 digits. 2^log2_scale is the width on which the outputs
/// change.
ColumnStep best_step(const PipelineTarget& target, std::int64_t unit, const ColumnNumber& number,
                     int log2_scale);

/// The part of a column in one unit, by output: y, element by element, then the side values by
/// CompiledPipeline::sides.
struct ColumnPart {
  Values<Real> rest;
  Values<Real> difference;
  Values<Real> self_error;  ///< |D(h) - D(2h)|
  Values<Real> dual;
  std::vector<std::optional<Real>> adjoint;  ///< of y, where it was computed
};

/// The adjoint is computed of every element whose place is a multiple of `apart`, and of the
/// number's own.
ColumnPart column_part(const PipelineTarget& target, std::int64_t unit, const ColumnNumber& number,
                       const ColumnStep& step, std::int64_t apart);

/// How many outputs of the unit differ where the inputs are others.
std::int64_t outputs_that_move(const PipelineTarget& target, const Tensors& changed,
                               std::int64_t unit);

}  // namespace gradproof
