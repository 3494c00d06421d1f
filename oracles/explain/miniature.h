// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/explain/explain.h"

namespace gradproof {

/// A claim about few rows and columns of a large one, with the same contract: what the large one's
/// bounds are made of can be seen there, about, at a small part of the price.
struct Miniature {
  Claim claim;
  Tensors inputs;
  std::optional<GivenStatistics> given;
  std::int64_t index = 0;  ///< of the element, in its tensor's part
};
Miniature miniature_of(const Claim& claim, const Tensors& inputs,
                       const std::optional<GivenStatistics>& given, const TensorSpec& spec,
                       std::int64_t index);

}  // namespace gradproof
