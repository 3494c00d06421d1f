// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/catalog/kernel_spec.h"
#include "kernels/kernel.h"

namespace gradproof {

/// Throw UsageError for a call that no kernel can answer, naming the tensor: one that is missing,
/// has another shape or type than the call says, or a result that shares memory with any other
/// tensor of the pass. Memory counts from a tensor's first to its last element.
void refuse_bad_forward(const Call& call);
void refuse_bad_backward(const Call& call);

/// Entry points that refuse a call without a tensor that the system's stages take: a parameter,
/// mean and rstd, in evaluation the running statistics. They would be read and written through
/// null.
EntryPoints refusing_incomplete(const KernelSpec& system, const EntryPoints& entry);

}  // namespace gradproof
