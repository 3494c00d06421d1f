// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "oracles/graph/graph_claim.h"
#include "oracles/graph/ties/tied_numbers.h"

namespace gradproof {

/// Sets of elements of all tensors, each known by one of them.
class JoinedNumbers {
 public:
  explicit JoinedNumbers(const GraphClaim& claim);

  /// The elements that share one cotangent; `made`: as Tie has it.
  void join(const std::vector<TiedNumber>& tied, bool made);
  bool empty() const { return joined_.empty(); }
  std::vector<Tie> ties();

 private:
  struct Choice {
    std::int64_t place = 0;  ///< of one of its elements
    bool made = false;
  };

  std::int64_t place_of(const TiedNumber& number) const {
    return first_[number.tensor] + number.index;
  }
  TiedNumber number_at(std::int64_t place) const;
  std::int64_t& at(std::int64_t place) { return parent_[static_cast<std::size_t>(place)]; }
  std::int64_t root_of(std::int64_t place) {
    while (at(place) != place) place = at(place) = at(at(place));
    return place;
  }

  std::vector<std::int64_t> first_;   ///< place of each tensor's first element
  std::vector<std::int64_t> parent_;  ///< empty: nothing is joined
  std::vector<std::int64_t> joined_;
  std::vector<Choice> choices_;
};

}  // namespace gradproof
