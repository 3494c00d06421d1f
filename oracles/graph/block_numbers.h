// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "oracles/graph/blocks.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/graph/segments/kept_numbers.h"
#include "oracles/graph/tier.h"

namespace gradproof {

/// A block of a graph, and how many numbers along its axis stand in a pack.
struct PackedBlock {
  std::string axis;
  Block block;
  std::int64_t lanes = 1;
};

/// Where a value's elements in a block stand: `at` counts them number by number along the block's
/// axis, (number, outer, inner); `stored` is the place in packs (BlockNumbers), element (outer,
/// p * lanes + lane, inner) at ((outer * packs + p) * inner_count + inner) * lanes + lane.
class PackedPlaces {
 public:
  /// `value` of a plan of the block in packs.
  PackedPlaces(const PlanValue& value, const PackedBlock& packed);

  std::size_t count() const { return outer_ * length_ * inner_; }
  std::size_t stored_count() const { return outer_ * packs_ * inner_ * lanes_; }
  /// Of the element that is the i-th of the block's in row-major order.
  std::size_t stored(std::size_t i) const {
    const std::size_t line = length_ * inner_;
    return stored(i / line, i % line / inner_, i % inner_);
  }
  std::size_t stored(std::size_t outer, std::size_t number, std::size_t inner) const {
    return ((outer * packs_ + number / lanes_) * inner_ + inner) * lanes_ + number % lanes_;
  }

  /// Calls visit(at, stored) for each element.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t k = 0; k < length_; ++k) each_of(k, visit);
  }
  /// Those of the k-th number along the block's axis.
  template <class Visit>
  void each_of(std::size_t k, const Visit& visit) const {
    for (std::size_t outer = 0; outer < outer_; ++outer)
      for (std::size_t inner = 0; inner < inner_; ++inner)
        visit((k * outer_ + outer) * inner_ + inner, stored(outer, k, inner));
  }
  /// What stands in packs, number by number.
  template <class Number>
  std::vector<Number> by_number(const std::vector<Number>& packed) const {
    std::vector<Number> all(count());
    Number* to = all.data();
    const std::size_t step = packs_ * inner_ * lanes_;  // of `outer`
    for (std::size_t k = 0; k < length_; ++k) {
      const Number* from = packed.data() + stored(0, k, 0);
      for (std::size_t outer = 0; outer < outer_; ++outer, from += step)
        for (std::size_t inner = 0; inner < inner_; ++inner) *to++ = from[inner * lanes_];
    }
    return all;
  }
  /// Puts the numbers of one `outer`, in row-major order, to their places in packs.
  void put_line(std::size_t outer, const double* from, std::vector<double>& packed) const;
  /// Calls copy(from, to) for each lane that stands for no number, with one that does.
  template <class Copy>
  void each_idle(const Copy& copy) const {
    for (std::size_t k = length_; k < packs_ * lanes_; ++k)
      for (std::size_t outer = 0; outer < outer_; ++outer)
        for (std::size_t inner = 0; inner < inner_; ++inner)
          copy(stored(outer, length_ - 1, inner), stored(outer, k, inner));
  }

 private:
  std::size_t outer_;
  std::size_t length_;  ///< numbers of the block along its axis
  std::size_t packs_;
  std::size_t inner_;
  std::size_t lanes_;
};

/// What a block is evaluated from: each tensor's numbers, and a cotangent for each output. Both
/// outlive it.
class PackedNumbers {
 public:
  /// Throws UsageError for labels that are out of range.
  PackedNumbers(const GraphPlan& plan, const GraphInputs& inputs, const PackedBlock& packed);

  BlockNumbers view() const;

  /// What the sums over a block are without some numbers along its axis: these become the number
  /// `other`, with cotangents of 0. Of a whole graph, with exact inputs.
  void leave_out(const GraphPlan& plan, const PackedBlock& packed, const std::vector<bool>& numbers,
                 std::size_t other);

 private:
  /// A tensor's numbers, or those of an output's cotangent, with what they may be off by.
  BlockAnswers inexact_in_block(const PlanValue& value, const std::string& name,
                                const GraphInputs& inputs, const PackedBlock& packed) const;
  std::vector<double> read(const PlanValue& value, const Tensor& from,
                           const PackedBlock& packed) const;

  std::vector<std::vector<double>> tensors_;  ///< empty: labels, or kept
  std::vector<std::vector<double>> cotangents_;
  std::vector<std::optional<BlockAnswers>> kept_tensors_;
  std::vector<std::optional<BlockAnswers>> kept_cotangents_;
  std::vector<std::optional<BlockAnswers>> gradients_;
  std::vector<std::vector<double>> given_;  ///< by GraphPlan::statistics
  std::vector<std::vector<std::int64_t>> chosen_;
  std::int64_t length_;
  bool alone_;
  bool forward_ = true;
};

}  // namespace gradproof
