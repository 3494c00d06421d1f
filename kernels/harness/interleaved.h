// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// Runs as run_kernel does, amid calls of another instance of the kernel on other numbers in the
/// memory of the same inputs, with results of its own that nobody else may change:
///   other forward, other backward, forward, other forward, backward
/// So memory that a kernel keeps from one call to the next, however it is found (as the first
/// call's, the last one's, one address's), holds wrong numbers for the judged call, and memory that
/// the kernel hands out twice is reported (the finding `result-changed`).
KernelRun run_interleaved(const Kernel& kernel, const Case& c, const Claim& claim,
                          const Tensors& inputs, const Execution& execution);

}  // namespace gradproof
