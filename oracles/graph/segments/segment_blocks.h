// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph_parts.h"
#include "core/parallel.h"
#include "oracles/graph/graph_evaluator.h"
#include "oracles/graph/segments/strips.h"

namespace gradproof {

/// The most elements that the widest value may have at one number of the axis for packs to be
/// taken: in packs of 8, with half a kilobyte for an element's bound, they are 64 MiB.
inline constexpr std::int64_t kWidestOfPack = std::int64_t{1} << 17;

/// The blocks that a segment is cut into, those of one strip after the other.
class SegmentBlocks {
 public:
  /// If there is no second number along the axis, the other lanes of a pack would hold the same
  /// numbers, in so many times the memory, and memory, not arithmetic, takes the time of a row of
  /// 2^20 numbers. Two rows share a pack unless they are so wide that each value of a pack takes 64
  /// MiB: each thread has a dozen of these.
  static TierLanes lanes_of(const GraphClaim& claim) {
    const std::string axis = block_axis(claim.graph, claim.extents);
    if (axis.empty() || claim.extents.at(axis) == 1) return TierLanes::single;
    const bool is_wide = widest_number(claim, axis) / strips_of(claim, axis) > kWidestOfPack;
    return is_wide ? TierLanes::single : TierLanes::pack;
  }

  /// `lanes` counts the numbers of a pack. The claim must outlive this object.
  SegmentBlocks(const GraphClaim& claim, std::int64_t lanes)
      : lanes_(lanes),
        axis_(block_axis(claim.graph, claim.extents)),
        whole_(axis_.empty() ? 1 : claim.extents.at(axis_)),
        strips_(strips_of(claim, axis_)),
        strip_(strips_ > 1 ? std::optional(strip_of(claim, strips_)) : std::nullopt),
        claim_(strip_ ? *strip_ : claim),
        step_(block_length()),
        blocks_((whole_ + step_ - 1) / step_) {}

  const std::string& axis() const { return axis_; }
  std::int64_t strips() const { return strips_; }
  std::int64_t count() const { return strips_ * blocks_; }
  Block at(std::int64_t block) const {
    if (blocks_ == 0) return {0, 0, 0};
    const std::int64_t first = block % blocks_ * step_;
    return {first, std::min(step_, whole_ - first), whole_, block / blocks_, strips_};
  }
  bool is_last_of_strip(std::int64_t block) const { return block % blocks_ == blocks_ - 1; }
  /// The number of packs in a block.
  std::int64_t packs_of(std::int64_t block) const { return packs(at(block).length); }
  /// The argument of plan_of() for one number along the axis: 0 if the axis is empty.
  std::int64_t one() const { return std::min<std::int64_t>(whole_, 1); }
  /// The plan of a block of so many packs or numbers. All blocks of a strip but the last have the
  /// same plan.
  GraphPlan plan_of(std::int64_t packs) const {
    GraphPlan plan = claim_.plan(packs);
    plan.blocks = blocks_;
    return plan;
  }

  SegmentBlocks(const SegmentBlocks&) = delete;
  SegmentBlocks& operator=(const SegmentBlocks&) = delete;

 private:
  std::int64_t packs(std::int64_t length) const { return (length + lanes_ - 1) / lanes_; }

  /// The numbers of a block: whole packs, unless the block is the only one.
  std::int64_t block_length() const {
    if (axis_.empty() || whole_ == 0) return std::max<std::int64_t>(whole_, 1);
    const std::int64_t numbers = kBlockElements / widest_number(claim_, axis_);
    return std::min(whole_, std::max<std::int64_t>(packs(numbers), 1) * lanes_);
  }

  std::int64_t lanes_;
  std::string axis_;
  std::int64_t whole_;  ///< extent of the axis
  std::int64_t strips_;
  std::optional<GraphClaim> strip_;  ///< empty: the whole claim is that of the only strip
  const GraphClaim& claim_;
  std::int64_t step_;    ///< numbers of a block
  std::int64_t blocks_;  ///< of a strip
};

/// The sums of blocks that end in any order, merged in the order of the blocks: equal to the last
/// bit, whichever thread is first.
template <class F>
class OrderedSums {
 public:
  void take(std::int64_t block, CollectedSums<F> sums) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(block, std::move(sums));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; ++next_) {
      merged_.merge(std::move(first->second));
      first = waiting_.erase(first);
    }
  }
  CollectedSums<F> merged() { return std::move(merged_); }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, CollectedSums<F>> waiting_;
  std::int64_t next_ = 0;
  CollectedSums<F> merged_;
};

/// Evaluates all blocks of a segment, hands each block's answers to put(answer, block), on any
/// thread, and returns the sums over all blocks, by strip.
template <class F, class Put>
std::vector<CollectedSums<F>> evaluate_blocks(const SegmentSetting& setting,
                                              const GraphInputs& inputs, const Put& put) {
  const TierLanes of_tier = SegmentBlocks::lanes_of(setting.segment.claim);
  const int lanes = graph_tier(setting.graph, of_tier)->lanes();
  const SegmentBlocks blocks(setting.segment.claim, lanes);
  // The plans are kept by their count of packs: a wide row's plan has 16 bytes for a number.
  std::map<std::int64_t, GraphPlan> plans;
  const auto plan_of = [&](std::int64_t packs) -> const GraphPlan& {
    if (!plans.contains(packs)) plans.emplace(packs, blocks.plan_of(packs));
    return plans.at(packs);
  };
  const GraphPlan& full = plan_of(blocks.packs_of(0));
  const GraphPlan& rest = plan_of(blocks.packs_of(blocks.count() - 1));
  const GraphPlan& single = plan_of(blocks.one());
  const GraphEvaluator<F> evaluator(setting, inputs, blocks.axis(), of_tier, single);
  std::vector<OrderedSums<F>> sums(static_cast<std::size_t>(blocks.strips()));
  const std::int64_t of_strip = blocks.count() / blocks.strips();
  for_each_index(
      blocks.count(),
      [&](std::int64_t b) {
        const Block block = blocks.at(b);
        CollectedSums<F> own;
        for (const BlockAnswer& a :
             evaluator.evaluate(blocks.is_last_of_strip(b) ? rest : full, block, own))
          put(a, PackedBlock{blocks.axis(), block, lanes});
        sums[static_cast<std::size_t>(block.strip)].take(b % of_strip, std::move(own));
      },
      [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
  std::vector<CollectedSums<F>> merged;
  for (OrderedSums<F>& of_one : sums) merged.push_back(of_one.merged());
  return merged;
}

}  // namespace gradproof
