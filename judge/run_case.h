// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "judge/systems.h"
#include "oracles/oracle.h"

namespace gradproof {

/// Runs the kernel on the inputs that `run` has, interleaved, then once more alone under another
/// schedule, unless the first run has findings.
void run_twice(const Kernel& kernel, const Case& c, CaseRun& run);

/// Runs all steps, the last one interleaved, then the last once more, alone under another schedule.
CaseRun run_case(const Kernel& kernel, const Case& c);

/// Runs a kernel, or the kernel behind a model pair's Linear on what the Linear gave. Throws
/// UsageError for an unknown word.
CaseRun run_case(const Systems& systems, const Case& c);

/// The Case's claim and inputs, without a run of its kernel; a model pair runs, because its Linear
/// makes the inputs.
CaseRun inputs_of_case(const Systems& systems, const Case& c);

/// The saved statistics that gradients are judged from; nothing where there are none.
std::optional<GivenStatistics> given_statistics(const Claim& claim, const Tensors& got);

}  // namespace gradproof
