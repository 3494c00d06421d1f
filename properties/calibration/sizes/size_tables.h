// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "properties/calibration/cells.h"

namespace gradproof {

/// The tables by computation, type and size, then totals, of the wrong programs that pass and of
/// the right ones that are flagged. The wrong programs that the judge lets pass are listed between.
std::vector<CalibrationTable> tables_of(const SizeTally& tally);

/// The totals, for the last line.
std::vector<std::pair<std::string, std::string>> result_of(const SizeTally& tally);

/// True if the judge convicts some wrong program.
bool convicts_any(const SizeTally& tally);

}  // namespace gradproof
