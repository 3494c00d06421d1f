// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "oracles/graph/blocks/blocks.h"
#include "oracles/graph/tier.h"

namespace gradproof {

/// The truths of the blocks of one graph with one set of inputs. Whoever judges the same results by
/// several contracts evaluates them once. Any thread may ask, about another block than others. At
/// most kMostOfKnownBlocks bytes are kept: a gradient that sums over blocks has all its sums in
/// each.
class KnownBlocks {
 public:
  KnownBlocks() = default;
  KnownBlocks(const KnownBlocks&) = delete;
  KnownBlocks& operator=(const KnownBlocks&) = delete;

  /// Null where the block was not evaluated, or by a plan whose truths may be others.
  const BlockTruths* of(const GraphPlan& plan, const Block& block) const;
  /// True if so many bytes more may be kept.
  bool has_room(std::size_t bytes) const;
  /// Keeps what of() did not find.
  void keep(const GraphPlan& plan, const Block& block, std::unique_ptr<BlockTruths> truths);

 private:
  struct Key {
    std::int64_t strip = 0;
    std::int64_t first = 0;
    std::vector<std::uint64_t> plan;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static Key key_of(const GraphPlan& plan, const Block& block);

  mutable std::mutex mutex_;
  std::map<Key, std::unique_ptr<BlockTruths>> truths_;
  std::size_t bytes_ = 0;  ///< of all truths
};

}  // namespace gradproof
