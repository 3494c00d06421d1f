// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The range of a number in every program of the contract; infinite if it may be anything.
struct Interval {
  double low = 0;
  double high = 0;
};
using Intervals = std::vector<Interval>;

/// The intervals of a tensor's elements, or of a step's value, up to which the graph is evaluated.
Intervals intervals_of(const GraphClaim& claim, const Tensors& inputs, const std::string& name);
/// The interval of a number in the graph's text.
Interval interval_of(const GraphClaim& claim, double number);

/// The elements of a group that may be the largest, or the smallest; nullopt if one of the group
/// may be anything.
std::optional<std::vector<std::int64_t>> possible_extremes(const Intervals& all,
                                                           const std::vector<std::int64_t>& group,
                                                           bool smallest);

}  // namespace gradproof
