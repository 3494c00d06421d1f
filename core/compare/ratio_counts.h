// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/compare/chunk.h"

namespace gradproof {

/// The distribution of ratios over many elements. Ratios that are added in any order and parts give
/// the same counts to the last bit.
class RatioCounts {
 public:
  explicit RatioCounts(BinRange range) : range_(range), bins_(range.size()) {}

  /// Adds the bins of `count` elements.
  void add(const std::uint32_t* bins, std::size_t count);
  /// Adds the counts of another one, which must have the same range.
  void merge(const RatioCounts& other);

  /// The upper edge of the bin that the element of this rank lies in, ranks from 0 in rising order.
  double quantile(std::int64_t rank) const;
  /// Counts in the bins 0, (0, 2^-9], ..., (2^-1, 1], (1, 2], ..., above 2^4.
  std::array<std::int64_t, 16> histogram() const;

 private:
  BinRange range_;
  std::vector<std::int64_t> bins_;
};

}  // namespace gradproof
