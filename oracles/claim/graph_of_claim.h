// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "core/claim/claim.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/oracle.h"

namespace gradproof {

/// A kernel's claim as that of a graph, which every evaluation takes. Its contract's reductions
/// become orders of sums step by step, its formulas become forms. `inputs` say how many batches a
/// cumulative average has seen.
GraphClaim graph_of_claim(const Claim& claim, const Tensors& inputs);

/// The graph whose gradients an audit asks for: those that the claim asks for, end to end.
GraphClaim audited_graph_of_claim(const Claim& claim, const Tensors& inputs);

/// The name in that graph of a tensor that the claim judges: an output, a norm's statistic or a
/// gradient. Empty for a buffer that no step moves: it keeps its numbers.
std::string target_of(const Claim& claim, const TensorSpec& spec);

/// The statistics that gradients start from, by their names in that graph; empty: the norms' own.
Tensors statistics_from(const std::optional<GivenStatistics>& given);

/// The elements of a buffer that no step moves, or of the count of batches, an integer: the bound
/// of both is 0.
std::vector<double> kept_numbers(const Claim& claim, const TensorSpec& spec, const Tensors& inputs);

}  // namespace gradproof
