// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_claim.h"
#include "oracles/oracle.h"

namespace gradproof {

/// Compares with their truth, block by block, those outputs and gradients that `got` has. `inputs`
/// has all tensors and a cotangent for each output. Throws UsageError
/// for labels that are out of range.
std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got);

}  // namespace gradproof
