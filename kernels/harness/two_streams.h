// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// Runs as run_kernel does, with another call in flight on its own stream (the key `streams=2`), on
/// other numbers and in memory of its own:
///   other forward, other backward, forward beside other forward, backward beside other backward
/// In the executor their launches alternate; on the device they overlap as they happen to. Memory
/// that a kernel keeps from one launch of a call to the next, such as partial sums in a static
/// workspace, holds the other call's numbers.
KernelRun run_on_two_streams(const Kernel& kernel, const Case& c, const Claim& claim,
                             const Tensors& inputs, const Execution& execution);

}  // namespace gradproof
