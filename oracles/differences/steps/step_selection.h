// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/audit_row.h"
#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_choice.h"

namespace gradproof {

/// What a tensor's sample says before all entries are differenced.
struct StepSelection {
  StepChoice choice;
  double self_error = 0;  ///< worst |D(h) - D(2h)| there, over the scale, of what is smooth
  Method method = Method::direct;
  std::vector<SweepPoint> sweep;
  CurveShape curve;
  std::string objection;  ///< why its differences are not to be trusted at all; empty: they are
  std::string remark;  ///< where a quicker method disagrees with direct moves, which are then taken
};

/// The ground of a unit's or a block's entries, differenced as the trial says; `noise` is that of
/// rounding.
ErrorScales error_scales_of(const Values<Entry>& entries, const Real& scale,
                            double typical_gradient, double noise, const StepSelection& selection);

/// Sweeps about 32 numbers of the tensor, each in one unit.
StepSelection select_step(LossCache& losses, std::size_t tensor, AuditArithmetic arithmetic,
                          const Aim& aim);

}  // namespace gradproof
