// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "properties/calibration/cells.h"
#include "properties/calibration/sizes/programs/computations.h"

namespace gradproof {

/// Judges all programs of a computation on one draw of each of its inputs, and adds what was found.
/// A program is wrong by a rule that flags it on any of them.
void try_size(const CalibrationPlan& plan, const programs::Computation& computation,
              std::uint64_t seed, SizeRow& row);

}  // namespace gradproof
