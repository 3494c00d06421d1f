// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "core/claim/claim.h"
#include "core/compare/known_truth.h"

namespace gradproof {

/// True if a pass may prove little because of what stands beside the tensor in the line; false for
/// a tensor whose truth is 0 or that has no elements.
bool may_be_doubted(std::optional<KnownTruth> known);

/// The known truth of an output, or of a gradient d_NAME of a tensor that the graph is given.
std::optional<KnownTruth> known_truth(const Graph& graph, const GraphExtents& extents,
                                      const std::string& tensor, const Discrepancy& found);

/// The known truth of a kernel's tensor, which may be a norm's saved statistic.
std::optional<KnownTruth> known_truth(const Claim& claim, const std::string& tensor,
                                      const Discrepancy& found);

}  // namespace gradproof
