// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/run.h"
#include "core/tensor/tensor.h"
#include "oracles/graph/blocks/blocks.h"

namespace gradproof {

/// A block of a graph, and the count of numbers along its axis in a pack.
struct PackedBlock {
  std::string axis;
  Block block;
  std::int64_t lanes = 1;
};

/// Elements whose packs follow each other: the first is stored at `first`, those of a pack
/// together, and each pack is `lanes` behind the one before. If a pack has fewer elements than
/// lanes, the other lanes are idle.
struct PackedRun {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t lanes = 1;
  Run run = {};  ///< where the elements lie in the whole value

  bool has_idle() const { return static_cast<std::size_t>(run.lanes) < lanes; }
  std::size_t stored(std::size_t i) const {
    const auto used = static_cast<std::size_t>(run.lanes);
    return first + i / used * lanes + i % used;
  }
};

/// The stored places of a value's elements in a block in packs (BlockNumbers): element
/// (outer, p * lanes + lane, inner) at ((outer * packs + p) * inner_count + inner) * lanes + lane.
class PackedPlaces {
 public:
  /// Longer packs are handed on as elements one by one.
  static constexpr std::size_t kMostLanes = 64;

  /// `value` belongs to a plan of the block in packs.
  PackedPlaces(const PlanValue& value, const PackedBlock& packed);

  /// The number of stored elements, idle lanes included.
  std::size_t stored_count() const { return outer_ * packs_ * inner_ * lanes_; }
  /// The stored position of the element that is the block's i-th in row-major order.
  std::size_t stored(std::size_t i) const {
    const std::size_t line = length_ * inner_;
    return stored(i / line, i % line / inner_, i % inner_);
  }
  std::size_t stored(std::size_t outer, std::size_t number, std::size_t inner) const {
    return ((outer * packs_ + number / lanes_) * inner_ + inner) * lanes_ + number % lanes_;
  }

  /// Calls visit(stored) for each element of the k-th number along the block's axis.
  template <class Visit>
  void each_of(std::size_t k, const Visit& visit) const {
    for (std::size_t outer = 0; outer < outer_; ++outer)
      for (std::size_t inner = 0; inner < inner_; ++inner) visit(stored(outer, k, inner));
  }
  /// Calls visit(run) for all elements, run by run.
  template <class Visit>
  void each_run(const Visit& visit) const {
    if (length_ == 0) return;
    if (inner_ > 1) return each_pack(visit);
    const std::size_t lanes = packs_ * lanes_;  // one `outer` as one pack
    if (lanes <= kMostLanes) return visit(run_at({0, 0}, length_, outer_, lanes, outer_stride_));
    for (std::size_t outer = 0; outer < outer_; ++outer)
      visit(run_at({outer, 0}, 1, length_, 1, number_stride_));
  }
  /// Calls visit(stored, index) for each element, with its place in the whole value.
  template <class Visit>
  void each(const Visit& visit) const {
    each_run([&](const PackedRun& of) {
      for (std::size_t i = 0; i < of.count; ++i)
        visit(of.stored(i), static_cast<std::size_t>(of.run.index(static_cast<std::int64_t>(i))));
    });
  }
  /// Calls copy(from, to) for each lane that stands for no number, with one that does.
  template <class Copy>
  void each_idle(const Copy& copy) const {
    for (std::size_t k = length_; k < packs_ * lanes_; ++k)
      for (std::size_t outer = 0; outer < outer_; ++outer)
        for (std::size_t inner = 0; inner < inner_; ++inner)
          copy(stored(outer, length_ - 1, inner), stored(outer, k, inner));
  }

  /// Reads the block's numbers of a whole tensor, in packs. `into` keeps memory that is enough.
  void read(const Tensor& from, std::vector<double>& into) const;

 private:
  struct At {
    std::size_t outer;
    std::size_t number;
  };
  /// A run of `packs` packs with `used` elements each.
  PackedRun run_at(const At& at, std::size_t used, std::size_t packs, std::size_t lanes,
                   std::int64_t stride) const {
    const std::int64_t first = first_ + static_cast<std::int64_t>(at.outer) * outer_stride_ +
                               static_cast<std::int64_t>(at.number) * number_stride_;
    return {stored(at.outer, at.number, 0),
            packs * used,
            lanes,
            {first, stride, static_cast<std::int64_t>(used), number_stride_}};
  }
  template <class Visit>
  void each_pack(const Visit& visit) const {
    for (std::size_t outer = 0; outer < outer_; ++outer)
      for (std::size_t number = 0; number < length_; number += lanes_)
        visit(run_at({outer, number}, std::min(lanes_, length_ - number), inner_, lanes_, 1));
  }
  /// Puts the numbers of one `outer`, in row-major order, to their places.
  void put_line(std::size_t outer, const double* from, double* packed) const;

  BlockLines lines_;
  bool sliced_;
  std::size_t outer_;
  std::size_t length_;  ///< numbers of the block along its axis
  std::size_t packs_;
  std::size_t inner_;
  std::size_t lanes_;
  std::int64_t first_;          ///< index of the block's first element in the whole value
  std::int64_t outer_stride_;   ///< there, of `outer`
  std::int64_t number_stride_;  ///< of numbers along the axis
};

}  // namespace gradproof
