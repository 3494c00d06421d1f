// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/chunk.h"

namespace gradproof {

/// Distribution of error/bound over many elements: what is added, in whatever order and parts,
/// gives the same numbers to the last bit.
class RatioCounts {
 public:
  RatioCounts() : bins_(kBins) {}

  void add(const ChunkSummary& summary, std::size_t count);
  void merge(const RatioCounts& other);

  /// The upper edge of the bin that the element of this rank lies in, ranks from 0 in rising order.
  double quantile(std::int64_t rank) const;
  /// Counts in the bins 0, (0, 2^-9], ..., (2^-1, 1], (1, 2], ..., above 2^4.
  std::array<std::int64_t, 16> histogram() const;
  /// The sum of squares, larger ratios than kLargestSquared counted as that.
  double squares() const;

 private:
  std::vector<std::int64_t> bins_;
  __int128 squares_ = 0;  ///< in units of 2^-80
};

}  // namespace gradproof
