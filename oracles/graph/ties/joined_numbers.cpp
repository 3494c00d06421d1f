// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/ties/joined_numbers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace gradproof {

JoinedNumbers::JoinedNumbers(const GraphClaim& claim) {
  std::int64_t all = 0;
  for (const GraphTensor& t : claim.graph.tensors) {
    first_.push_back(all);
    all += numel(claim.shape_of(t.name));
  }
  first_.push_back(all);
}

void JoinedNumbers::join(const std::vector<TiedNumber>& tied, bool made) {
  if (parent_.empty()) {
    parent_.resize(static_cast<std::size_t>(first_.back()));
    std::iota(parent_.begin(), parent_.end(), std::int64_t{0});
  }
  for (const TiedNumber& number : tied) {
    joined_.push_back(place_of(number));
    at(root_of(place_of(number))) = root_of(place_of(tied.front()));
  }
  choices_.push_back({place_of(tied.front()), made});
}

std::vector<Tie> JoinedNumbers::ties() {
  std::sort(joined_.begin(), joined_.end());
  joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
  std::map<std::int64_t, Tie> by_root;
  for (const std::int64_t place : joined_)
    by_root[root_of(place)].numbers.push_back(number_at(place));
  for (const Choice& choice : choices_) {
    Tie& tie = by_root[root_of(choice.place)];
    ++tie.choices;
    tie.made = tie.made || choice.made;
  }
  std::vector<Tie> all;
  for (auto& [root, tie] : by_root) all.push_back(std::move(tie));
  return all;
}

TiedNumber JoinedNumbers::number_at(std::int64_t place) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), place);
  const auto tensor = static_cast<std::size_t>(next - first_.begin()) - 1;
  return {tensor, place - first_[tensor]};
}

}  // namespace gradproof
