// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "cli/case_run.h"
#include "core/record.h"

namespace gradproof {

/// What a kernel computed against the truth: one Record for each judged tensor of the claim, in its
/// order, outputs and buffers before gradients. The run's findings are somebody else's to tell.
std::vector<Record> truth_records(const Case& c, const CaseRun& run);

}  // namespace gradproof
