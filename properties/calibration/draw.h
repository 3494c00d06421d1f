// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/draw.h"
#include "core/tensor/dtype.h"
#include "properties/calibration/calibration.h"

namespace gradproof {

/// Random bits of the seed and this name: the same on every machine.
RandomBits random_bits(std::uint64_t seed, const std::string& name);

/// The kernels' schemas that the plan asks for.
std::vector<SchemaPtr> schemas_of(const CalibrationPlan& plan);

/// A fill, each kind equally often (`every` with and without a start is one), with numbers from far
/// below to far above the sizes that are usual, or one of those beside them.
std::string draw_fill(const Key& key, const RandomBits& next,
                      const std::vector<double>& beside = {});

/// Numbers at the ends of a type's range, and those whose squares are.
std::vector<double> extremes_of(DType dtype);

/// Every kernel, type and fill equally often, beside all other keys as they fall; no giant layout.
/// Fills go up to the type's largest numbers.
/// `number` is the Case's seed.
Case draw_fairly(const CalibrationPlan& plan, std::int64_t number, const RandomBits& next);

}  // namespace gradproof
