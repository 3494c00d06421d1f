// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/protocol/request.h"
#include "judge/systems.h"
#include "properties/calibration/calibration.h"

namespace gradproof {

/// The lines of a calibration's report: findings, aligned tables and the stable last line; in JSON
/// one object a line.
std::vector<std::string> lines_of(const CalibrationReport& report, bool json);

/// The plan of a request for a calibration. Throws UsageError for a kernel that is not there and
/// for a number out of its range.
CalibrationPlan plan_of(const Catalog& catalog, const CalibrateRequest& request);

/// The plan of a request for a calibration, with the audit that the calibration is about.
CalibrationPlan judged_plan_of(const Systems& systems, const CalibrateRequest& request);

/// A line that says how far a calibration is; in JSON {"progress": ...}.
std::string progress_line(const std::string& text, bool json);

}  // namespace gradproof
