// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_claim.h"
#include "oracles/oracle.h"

namespace gradproof {

/// Compares outputs and gradients with their truth, block by block. `inputs` has all tensors and a
/// cotangent for each output, `got` each output and each gradient. Throws UsageError for labels
/// that are out of range.
std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got);

}  // namespace gradproof
