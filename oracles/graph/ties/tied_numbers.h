// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// An element of one of a graph's tensors.
struct TiedNumber {
  std::size_t tensor = 0;  ///< in Graph::tensors
  std::int64_t index = 0;
};

/// Elements that share the same cotangents: of all of them the sum of the gradients is known.
struct Tie {
  std::vector<TiedNumber> numbers;
  std::int64_t choices = 0;  ///< cotangents that are shared
};

/// The ties of each step that chooses the largest or the smallest of the numbers of tensors. Those
/// that have an element in common are one.
std::vector<Tie> ties_of(const GraphClaim& claim, const Tensors& inputs);

}  // namespace gradproof
