// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "properties/calibration/calibration.h"

namespace gradproof {

/// A trial's report as lines: findings, aligned tables and the stable last line; or in JSON, one
/// object a line.
std::vector<std::string> lines_of(const CalibrationReport& report, bool json);

/// The plan of a worker's request for a trial, argument by argument ("cases=100"). Throws
/// UsageError for a key that no trial has and for a number that is none or beyond what is sensible.
CalibrationPlan plan_of(const Catalog& catalog, const std::vector<std::string>& arguments);

/// How far a trial is.
std::string progress_line(const std::string& text, bool json);

}  // namespace gradproof
