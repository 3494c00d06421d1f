// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/graph/graph_parts.h"
#include "core/parallel.h"
#include "oracles/graph/graph_evaluator.h"

namespace gradproof {

/// The blocks that a segment is cut into.
class SegmentBlocks {
 public:
  /// `lanes`: numbers of a pack. The claim outlives it.
  SegmentBlocks(const GraphClaim& claim, std::int64_t lanes)
      : claim_(claim),
        lanes_(lanes),
        axis_(block_axis(claim.graph, claim.extents)),
        whole_(axis_.empty() ? 1 : claim.extents.at(axis_)),
        step_(block_length()),
        count_((whole_ + step_ - 1) / step_) {}

  const std::string& axis() const { return axis_; }
  std::int64_t count() const { return count_; }
  Block at(std::int64_t block) const {
    const std::int64_t first = block * step_;
    return {first, std::min(step_, whole_ - first), whole_};
  }
  /// Of a block in packs; all but the last block have that of the first.
  GraphPlan plan_of(std::int64_t block) const { return claim_.plan(packs(at(block).length)); }
  /// Of one number along the axis.
  GraphPlan single() const { return claim_.plan(std::min<std::int64_t>(whole_, 1)); }

 private:
  std::int64_t packs(std::int64_t length) const { return (length + lanes_ - 1) / lanes_; }

  /// In whole packs, but for a block that is all there is.
  std::int64_t block_length() const {
    if (axis_.empty() || whole_ == 0) return std::max<std::int64_t>(whole_, 1);
    std::int64_t widest = 1;
    for (const GraphStep& s : claim_.graph.steps)
      widest = std::max(widest, numel(claim_.shape_of(s.value)) / whole_);
    const std::int64_t numbers = kBlockElements / std::max<std::int64_t>(widest, 1);
    return std::min(whole_, std::max<std::int64_t>(packs(numbers), 1) * lanes_);
  }

  const GraphClaim& claim_;
  std::int64_t lanes_;
  std::string axis_;
  std::int64_t whole_;  ///< extent of the axis
  std::int64_t step_;   ///< numbers of a block
  std::int64_t count_;
};

/// The sums of blocks that end in any order, merged in the order of the blocks: the same to the
/// last bit, whichever thread is the first.
template <class F>
class OrderedSums {
 public:
  void take(std::int64_t block, CollectedSums<F> sums) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(block, std::move(sums));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; ++next_) {
      merged_.merge(first->second);
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
/// thread, and gives the sums over all blocks.
template <class F, class Put>
CollectedSums<F> evaluate_blocks(const SegmentSetting& setting, const GraphInputs& inputs,
                                 const Put& put) {
  const int lanes = graph_tier(setting.graph)->lanes();
  const SegmentBlocks blocks(setting.segment.claim, lanes);
  const std::int64_t last = blocks.count() - 1;
  const GraphPlan full = blocks.plan_of(0);
  const GraphPlan rest = blocks.plan_of(last);
  const GraphPlan single = blocks.single();
  const GraphEvaluator<F> evaluator(setting, inputs, blocks.axis(), single);
  OrderedSums<F> sums;
  for_each_index(
      blocks.count(),
      [&](std::int64_t b) {
        const Block block = blocks.at(b);
        CollectedSums<F> own;
        for (const BlockAnswer& a : evaluator.evaluate(b == last ? rest : full, block, own))
          put(a, PackedBlock{blocks.axis(), block, lanes});
        sums.take(b, std::move(own));
      },
      [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
  return sums.merged();
}

}  // namespace gradproof
