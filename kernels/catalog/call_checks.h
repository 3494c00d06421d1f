// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// Throw UsageError for a call that no kernel can answer, naming the tensor: one that is missing,
/// has another shape or type than the call says, or a result that shares memory with any other
/// tensor of the pass. Memory counts from a tensor's first to its last element.
void refuse_bad_forward(const Call& call);
void refuse_bad_backward(const Call& call);

}  // namespace gradproof
