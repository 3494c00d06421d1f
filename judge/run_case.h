// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "kernels/kernel.h"
#include "oracles/oracle.h"

namespace gradproof {

/// What one Case is judged by.
struct CaseRun {
  Claim claim;
  Tensors inputs;    ///< of the judged step: buffers as the step before left them
  KernelRun first;   ///< interleaved with another instance
  KernelRun second;  ///< the same step alone, under another schedule: digests alone

  const std::vector<simt::Finding>& findings() const {
    return first.findings.empty() ? second.findings : first.findings;
  }
};

/// Runs all steps, the last one interleaved, then the last once more, alone in another schedule.
CaseRun run_case(const Case& c);

/// The saved statistics that gradients are judged from; nothing where there are none.
std::optional<GivenStatistics> given_statistics(const Claim& claim, const Tensors& got);

}  // namespace gradproof
