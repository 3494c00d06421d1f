// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// Where a number lies in every program of the contract; infinite where it may be anything.
struct Interval {
  double low = 0;
  double high = 0;
};
using Intervals = std::vector<Interval>;

/// The elements of a tensor, or of a step's value, for which the graph is evaluated as far as it.
Intervals intervals_of(const GraphClaim& claim, const Tensors& inputs, const std::string& name);
/// A number of the text.
Interval interval_of(const GraphClaim& claim, double number);

/// Those of a group that may be the largest, or the smallest; nothing where one of the group may be
/// anything.
std::optional<std::vector<std::int64_t>> possible_extremes(const Intervals& all,
                                                           const std::vector<std::int64_t>& group,
                                                           bool smallest);

}  // namespace gradproof
