// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/audit_row.h"
#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_choice.h"

namespace gradproof {

/// Order, step and method for all entries of a tensor, selected by differences of a sample.
struct StepSelection {
  StepChoice choice;
  double self_error = 0;  ///< worst |D(h) - D(2h)| of the sample at the choice, over the scale;
                          ///< entries above kHopeless are left out
  Method method = Method::direct;
  std::vector<SweepPoint> sweep;
  CurveShape curve;
  std::string objection;  ///< why the differences cannot be trusted; empty: they can
  std::string remark;     ///< not empty where a faster method disagreed with direct moves
};

/// The error scales of the entries of a unit or a block; `noise` is one rounding of L over h. Their
/// noise is at least the median |D(h) - D(2h)| and the sample's worst self_error times the scale.
ErrorScales error_scales_of(const Values<Entry>& entries, const Real& scale,
                            double typical_gradient, double noise, const StepSelection& selection);

/// Sweeps about 32 numbers of the tensor and selects order, step and method.
StepSelection select_step(LossCache& losses, std::size_t tensor, AuditArithmetic arithmetic,
                          const Aim& aim);

}  // namespace gradproof
