// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "properties/calibration/cells.h"
#include "properties/calibration/sizes/programs/computations.h"

namespace gradproof {

/// Judges all programs of a computation on one draw of its inputs, and adds what was found.
void try_size(const CalibrationPlan& plan, const programs::Computation& computation, const Case& c,
              SizeRow& row);

}  // namespace gradproof
