// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "core/claim/claim.h"
#include "core/compare/known_truth.h"

namespace gradproof {

/// Whether what stands beside the tensor in the line may leave room for another one that is wrong:
/// nothing does where it is 0 or has no elements.
bool may_be_doubted(std::optional<KnownTruth> known);

/// What the graph says of an output's truth, or of that of a gradient d_NAME of what it is given.
std::optional<KnownTruth> known_truth(const Graph& graph, const GraphExtents& extents,
                                      const std::string& tensor, const Discrepancy& found);

/// The same of a kernel's tensors, which have a norm's saved statistics among them.
std::optional<KnownTruth> known_truth(const Claim& claim, const std::string& tensor,
                                      const Discrepancy& found);

}  // namespace gradproof
