// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/draw.h"
#include "core/tensor/dtype.h"
#include "properties/calibration/calibration.h"
#include "properties/search/draw_fill.h"

namespace gradproof {

/// The kernels' schemas that the plan asks for.
std::vector<SchemaPtr> schemas_of(const CalibrationPlan& plan);

/// Numbers at the ends of a type's range, and those whose squares are.
std::vector<double> extremes_of(DType dtype);

/// Every kernel, type and fill equally often, beside all other keys as they fall; no giant layout.
/// Fills go up to the type's largest numbers.
/// `number` is the Case's seed.
Case draw_fairly(const CalibrationPlan& plan, std::int64_t number, const RandomBits& next);

}  // namespace gradproof
