// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/compare/audit_row.h"
#include "oracles/differences/unit_at_rest.h"

namespace gradproof {

/// Order, step and method for all entries of a tensor, selected by differences of a sample.
struct StepSelection {
  StepChoice choice;
  double self_error = 0;  ///< worst |D(h) - D(2h)| of the sample at the choice, over the scale;
                          ///< entries above step_rules::kHopeless are left out
  Method method = Method::direct;
  std::vector<SweepPoint> sweep;
  /// True if asked for, or if a faster method disagreed with direct moves, as `remark` then
  /// says.
  bool only_direct = false;
  std::string remark;
};

/// Sweeps about 32 numbers of the tensor and selects order, step and method.
StepSelection select_step(LossCache& losses, AuditArithmetic arithmetic, double tolerance,
                          bool direct);

}  // namespace gradproof
