// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/graph.h"
#include "kernels/call.h"

namespace gradproof {

/// Entry points that throw UsageError for a call that a kernel of that pipeline cannot
/// answer. The error names the tensor:
/// one that its stages take and that is missing (a parameter, mean and rstd, in evaluation the
/// running statistics), one that has another shape or type than the call says, or a result that
/// shares memory with any other tensor of the pass. Memory counts from a tensor's first to its last
/// element.
EntryPoints checked(const Graph& pipeline, const EntryPoints& entry);

}  // namespace gradproof
