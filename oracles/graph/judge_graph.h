// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/oracle.h"

namespace gradproof {

/// Compares with their truth, block by block, those outputs and gradients that `got` has. `inputs`
/// has all tensors and a cotangent for each output. Throws UsageError
/// for labels that are out of range.
std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got);

/// The truths that judge_graph() compares one output or gradient with, in row-major order.
struct GraphTruths {
  Truths truths;
  std::vector<char> escalated;  ///< 1: double-double left the element to 50 digits
};
/// `like` has the type and the shape of the target.
GraphTruths truths_of_graph(const GraphClaim& claim, const Tensors& inputs,
                            const std::string& target, const Tensor& like);

}  // namespace gradproof
