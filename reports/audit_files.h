// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "reports/runs/store.h"

namespace gradproof {

/// Draws an audit into FOLDER/ID: the V-curve of each row that has one as SVG, and audit.md, which
/// shows them. Throws InstrumentError where they cannot be written.
void draw_audit(const StoredRun& run, const std::string& folder);

}  // namespace gradproof
