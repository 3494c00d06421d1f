// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "oracles/graph/judge_graph.h"

namespace gradproof {

/// At a tie of max, min, maximum, minimum or max_pool each share of the gradient from none to all
/// is right, but all shares sum to it. The result has, by gradient, a sentence on shares that do
/// not. Ties are looked for among numbers of tensors, and among numbers that steps made in the same
/// way of the same numbers. No sentence is about a sum whose bound is infinite, that has an element
/// out of its own bound, or a part that `got` lacks.
std::map<std::string, std::string, std::less<>> wrong_tie_shares(const GraphClaim& claim,
                                                                 const Tensors& inputs,
                                                                 const JudgedTensors& got);

}  // namespace gradproof
