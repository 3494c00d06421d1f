// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/known_blocks.h"

#include <bit>
#include <utility>

#include "core/graph/graph_memory.h"

namespace gradproof {

/// A contract decides this much of a plan: its scalar type the numbers of the text, an eps among
/// them, its forms which gradient is one number for a group, and in which order an infinite weight
/// is multiplied in.
KnownBlocks::Key KnownBlocks::key_of(const GraphPlan& plan, const Block& block) {
  constexpr double kOfManyDigits = 0.1;
  Key key{block.strip, block.first, {}};
  key.plan = {static_cast<std::uint64_t>(plan.block_length), plan.first_of_ties ? 1U : 0U,
              std::bit_cast<std::uint64_t>(plan.scalar(kOfManyDigits))};
  for (const PlanStep& s : plan.steps) {
    key.plan.push_back(static_cast<std::uint64_t>(std::int64_t{s.scaled_by}));
    key.plan.push_back(s.weighted_after ? 1U : 0U);
  }
  return key;
}

const BlockTruths* KnownBlocks::of(const GraphPlan& plan, const Block& block) const {
  const Key key = key_of(plan, block);
  const std::lock_guard lock(mutex_);
  const auto found = truths_.find(key);
  return found == truths_.end() ? nullptr : found->second.get();
}

bool KnownBlocks::has_room(std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  return bytes_ + bytes <= kMostOfKnownBlocks;
}

void KnownBlocks::keep(const GraphPlan& plan, const Block& block,
                       std::unique_ptr<BlockTruths> truths) {
  Key key = key_of(plan, block);
  const std::lock_guard lock(mutex_);
  bytes_ += truths->bytes();
  truths_.emplace(std::move(key), std::move(truths));
}

}  // namespace gradproof
