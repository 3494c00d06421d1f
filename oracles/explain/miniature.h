// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/explain/explain.h"

namespace gradproof {

/// A claim about few rows and columns of a large claim, with the same contract. The shares of its
/// bounds estimate those of the large claim at a small part of the cost.
struct Miniature {
  Claim claim;
  Tensors inputs;
  std::optional<GivenStatistics> given;
  std::int64_t index = 0;  ///< of the element in the tensor of the miniature
};
Miniature miniature_of(const Claim& claim, const Tensors& inputs,
                       const std::optional<GivenStatistics>& given, const TensorSpec& spec,
                       std::int64_t index);

}  // namespace gradproof
