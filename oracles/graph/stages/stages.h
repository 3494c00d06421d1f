// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/elementwise_stage.h"
#include "oracles/graph/stages/evaluated_norm_stage.h"
#include "oracles/graph/stages/moment_stage.h"
#include "oracles/graph/stages/move_stage.h"
#include "oracles/graph/stages/nll_stage.h"
#include "oracles/graph/stages/norm_stage.h"
#include "oracles/graph/stages/product_stage.h"
#include "oracles/graph/stages/rotary_stage.h"
#include "oracles/graph/stages/running_stage.h"
#include "oracles/graph/stages/scale_gradient.h"
#include "oracles/graph/stages/scan_stage.h"
#include "oracles/graph/stages/softmax_stage.h"
#include "oracles/graph/stages/sort_stage.h"
#include "oracles/graph/stages/window_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class A>
Field<typename A::Scalar> normalised_value(const StepContext<A>& context) {
  if (context.s.row->axes == StageAxes::none) return EvaluatedNormStage<A>(context).value();
  if (context.s.row->is_norm()) return NormStage<A>(context, StoredPart::used_statistics).value();
  return SoftmaxStage<A>(context).value();
}

/// A norm's statistics after its value: one for each group, or for each channel if they are given.
template <class A>
std::vector<GroupStatistics<typename A::Scalar>> norm_statistics(const StepContext<A>& context) {
  if (context.s.row->statistics == StageStatistics::given)
    return EvaluatedNormStage<A>(context).statistics();
  return memory_of(context, context.position).statistics;
}

template <class A>
void normalised_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& y,
                        const Field<typename A::Scalar>& dy, Terms<typename A::Scalar>& terms) {
  if (context.s.row->axes == StageAxes::none)
    EvaluatedNormStage<A>(context).adjoint(dy, terms);
  else if (context.s.row->is_norm())
    NormStage<A>(context, StoredPart::saved_statistics).adjoint(dy, terms);
  else
    SoftmaxStage<A>(context).adjoint(y, dy, terms);
}

template <class A>
Field<typename A::Scalar> reduced_value(const StepContext<A>& context) {
  if (is_running(context)) return RunningStage<A>(context).value();
  return is_moment(context) ? MomentStage<A>(context).value() : reduction_value(context);
}

template <class A>
void reduced_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& y,
                     const Field<typename A::Scalar>& dy, Terms<typename A::Scalar>& terms) {
  if (is_running(context)) return;
  if (is_moment(context))
    MomentStage<A>(context).adjoint(y, dy, terms);
  else
    reduction_adjoint(context, y, dy, terms);
}

/// A step's value; `chosen` has the numbers that labels choose where the stage takes labels.
template <class A>
Field<typename A::Scalar> stage_value(const StepContext<A>& context, const MovedNumbers& chosen) {
  switch (context.s.row->form) {
    case StageForm::elementwise:
      return elementwise_value(context);
    case StageForm::normalises:
      return normalised_value(context);
    case StageForm::reduces:
      return reduced_value(context);
    case StageForm::slides:
      return pool_value(context);
    case StageForm::selects:
      return NllStage<A>(context, chosen.from).value();
    case StageForm::turns:
      return rotary_value(context);
    case StageForm::contracts:
      return ProductStage<A>(context).value();
    case StageForm::moves:
      return moved_value(context, chosen);
    case StageForm::scans:
      return ScanStage<A>(context).value();
    case StageForm::sorts:
      return SortStage<A>(context).value();
  }
  return {};
}

/// Computes the terms that a step gives its operands, element by element; none where nothing goes
/// back. A product gives sums alone (ProductStage), and a move numbers of its cotangent.
template <class A>
void stage_adjoint(const StepContext<A>& context, const MovedNumbers& chosen,
                   const Field<typename A::Scalar>& y, const Field<typename A::Scalar>& dy,
                   Terms<typename A::Scalar>& terms) {
  switch (context.s.row->form) {
    case StageForm::elementwise:
      elementwise_adjoint(context, dy, terms);
      break;
    case StageForm::normalises:
      normalised_adjoint(context, y, dy, terms);
      break;
    case StageForm::reduces:
      reduced_adjoint(context, y, dy, terms);
      break;
    case StageForm::slides:
      pool_adjoint(context, dy, terms);
      break;
    case StageForm::selects:
      NllStage<A>(context, chosen.from).adjoint(dy, terms);
      break;
    case StageForm::turns:
      rotary_adjoint(context, dy, terms);
      break;
    case StageForm::scans:
      ScanStage<A>(context).adjoint(y, dy, terms);
      break;
    case StageForm::sorts:
      SortStage<A>(context).adjoint(dy, terms);
      break;
    case StageForm::contracts:
    case StageForm::moves:
      return;
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
