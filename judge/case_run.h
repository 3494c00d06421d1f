// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/claim/claim.h"
#include "kernels/kernel.h"

namespace gradproof {

/// The claim, the inputs and the runs that one Case is judged by.
struct CaseRun {
  Claim claim;
  Tensors inputs;    ///< of the judged step: buffers as the step before left them
  KernelRun judged;  ///< interleaved with another instance on the same memory
  KernelRun rerun;   ///< the same step alone, under another schedule: digests alone

  const std::vector<simt::Finding>& findings() const {
    return judged.findings.empty() ? rerun.findings : judged.findings;
  }
};

}  // namespace gradproof
