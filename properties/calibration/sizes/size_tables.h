// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "properties/calibration/cells.h"

namespace gradproof {

/// By computation, type and size; then totals; each of wrong programs that pass and of right ones
/// that are flagged. The wrong programs that the judge lets pass are listed between.
std::vector<CalibrationTable> tables_of(const SizeTally& tally);

/// The totals, for the last line.
std::vector<std::pair<std::string, std::string>> result_of(const SizeTally& tally);

/// Whether the judge convicts some wrong program.
bool convicts_any(const SizeTally& tally);

}  // namespace gradproof
