// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// A sum whose roundings are in a tensor's bound.
struct GraphSum {
  SumOrder order;           ///< of the contract
  std::int64_t length = 0;  ///< numbers
  /// Two additions join two of Welford's sums of squares (Chan, Golub, LeVeque 1979).
  bool may_be_welford = false;

  std::int64_t additions() const { return order.chain_of(length) * (may_be_welford ? 2 : 1); }
  bool is_open() const { return order.kind == SumOrder::Kind::any; }
};

/// The sums behind a tensor: for an output those of forward; for a gradient also those of the
/// adjoint and of the elements that share a number of its tensor.
std::vector<GraphSum> sums_behind(const GraphClaim& claim, std::string_view tensor);

/// The contract with another order of those sums that it has in any order.
GraphContract with_open_sums(const GraphClaim& claim, SumOrder order);

}  // namespace gradproof
