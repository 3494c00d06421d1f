// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// As run_kernel, in the middle of what another instance of the kernel does on other numbers in the
/// memory of the same inputs, with results of its own that nobody else may change:
///   other forward, other backward, forward, other forward, backward
/// So memory that a kernel keeps for itself from one call to the next, whatever it is found by (the
/// first call's, the last one's, one address's), holds what is wrong for the judged call, and what
/// it hands out twice is reported (the finding `result-changed`).
KernelRun run_interleaved(const Kernel& kernel, const Case& c, const Claim& claim,
                          const Tensors& inputs, const Execution& execution);

}  // namespace gradproof
