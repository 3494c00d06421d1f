// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/steps/step_choice.h"

namespace gradproof {

/// The worst error and the worst |D(h) - D(2h)| of all sweeps, over the scale, step by step from
/// the coarsest; NaN where a difference cannot be formed or none is finite.
std::vector<SweepPoint> drawn(const std::vector<Sweep>& sweeps);

/// Slopes, floor and plateau of the curve of one order.
CurveShape shape_of(const std::vector<SweepPoint>& sweep, const StepChoice& choice);

}  // namespace gradproof
