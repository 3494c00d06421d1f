// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// Elements of the widest tensor or value that one number along `axis` has; 1 at least.
std::int64_t widest_number(const GraphClaim& claim, const std::string& axis);

/// The number of equal strips of a graph, cut across the axis of its blocks so that nothing crosses
/// one: a group_norm couples no more than a group of channels. Each strip has some whole groups of
/// all of them. A block of a strip then has several packs of numbers along the axis where it had
/// one, its values stay in a core's cache, and sums over blocks are those of fewer blocks. 1: it is
/// not cut. In row-major order a number's part of a strip is in one piece.
std::int64_t strips_of(const GraphClaim& claim, const std::string& axis);

/// The most strips that there can be, one for each group of channels, in which a tensor of one
/// number may take part. 1: the graph cannot be cut.
std::int64_t most_strips_of(const GraphClaim& claim, const std::string& axis);

/// The claim of one strip.
GraphClaim strip_of(const GraphClaim& claim, std::int64_t strips);

}  // namespace gradproof
