// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// An element of one of a graph's tensors.
struct TiedNumber {
  std::size_t tensor = 0;  ///< in Graph::tensors
  std::int64_t index = 0;
};

/// The elements that share the same cotangents: only the sum of their gradients is known.
struct Tie {
  std::vector<TiedNumber> numbers;
  std::int64_t choices = 0;  ///< cotangents that are shared
  bool made = false;         ///< of one of them, among numbers that steps made of the elements
};

/// True if the stage gives the largest or the smallest of some numbers.
bool chooses(std::string_view stage);

/// The ties of each step that chooses the largest or the smallest of the numbers of tensors, or of
/// numbers that are made of them (MadeChoices). Ties with an element in common are one. A tensor's
/// ties are left out if another choice takes one of its numbers and it is unknown which.
std::vector<Tie> ties_of(const GraphClaim& claim, const Tensors& inputs);

}  // namespace gradproof
