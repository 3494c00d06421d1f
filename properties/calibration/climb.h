// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/case/draw.h"
#include "properties/calibration/calibration.h"
#include "properties/calibration/subject.h"

namespace gradproof {

/// The highest error/bound that a search met in one tensor.
struct Peak {
  double ratio = 0;
  bool inexact = false;  ///< whether any bound was not 0
  std::optional<Case> at;
  std::int64_t steps = 0;  ///< Cases that the search ran for this tensor
  std::int64_t elements = 0;
};

/// Peaks by tensor.
using Peaks = std::map<std::string, Peak, std::less<>>;

/// Runs the correct kernel on random Cases with these keys, then climbs for each tensor from the
/// best: one key drawn again, another seed, or one element of x set, kept where error/bound does
/// not fall. `steps` for the draws, and as many for each tensor's climb. Sizes stay small.
Peaks climb(const CalibrationPlan& plan, const SchemaPtr& schema,
            const std::vector<std::string>& pinned, std::int64_t steps, const RandomBits& next);

}  // namespace gradproof
