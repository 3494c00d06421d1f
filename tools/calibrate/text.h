// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "properties/calibration/calibration.h"

namespace gradproof {

/// A calibration's report as lines: findings, aligned tables and the stable last line; or in JSON,
/// one object a line.
std::vector<std::string> lines_of(const CalibrationReport& report, bool json);

/// The plan of a request for a calibration, argument by argument ("cases=100"). Throws UsageError
/// for a key that no calibration has, and for a number that is none or out of its range.
CalibrationPlan plan_of(const Catalog& catalog, const std::vector<std::string>& arguments);

/// A line that says how far a calibration is; in JSON {"progress": ...}.
std::string progress_line(const std::string& text, bool json);

}  // namespace gradproof
