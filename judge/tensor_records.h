// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "judge/run_case.h"

namespace gradproof {

/// What a kernel computed against the truth: one Record for each judged tensor of the claim, in its
/// order, outputs and buffers before gradients. The run's findings are somebody else's to tell.
std::vector<Record> truth_records(const Case& c, const CaseRun& run);

/// The verdict on one tensor of the run, whatever other witnesses say of the truth: what judge()
/// finds, a pass that proves little, other bits under another schedule.
Verdict kernel_verdict(const CaseRun& run, const std::string& name, const Discrepancy& found);

}  // namespace gradproof
