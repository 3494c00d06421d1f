// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "oracles/graph/explain/graph_site.h"

namespace gradproof {

/// A claim about few numbers along each axis of a claim, under the same contract: the shares of its
/// bounds estimate those of the whole at a small part of the cost.
struct SampledClaim {
  GraphClaim claim;
  Tensors inputs;
  Tensors statistics;
  std::int64_t index = 0;  ///< of the element in the sample's target
};

/// `claim` is about the target alone. Kept are the element and about a hundred numbers that decide
/// it. An axis that windows slide over stays whole.
SampledClaim sampled(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
                     const std::string& target, std::int64_t index);

}  // namespace gradproof
