// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

#include "core/compare/ratio_counts.h"
#include "core/compare/square_sum.h"

namespace gradproof {

/// The smallest errors that a check of one tensor would see: its truth beside its bound, whatever
/// the kernel gave. A result that is truth (1 + d) in every element fails once |d| |truth| is over
/// the bound of one. A kernel that was otherwise exact before it rounded to its type (which may
/// hide or add half an ulp) thus fails for every |d| above `whole`.
struct Resolution {
  double whole = std::numeric_limits<double>::infinity();  ///< the least bound/|truth|
  /// The median of bound/|truth|, rounded up to the next of 32 equal parts of its octave. A truth
  /// of 0 is left out, as no factor changes it; one that is not finite counts as infinite.
  double median = std::numeric_limits<double>::infinity();
  /// Root mean squares of all elements; where truth or bound is not finite both count as 0.
  double rms_bound = 0;
  double rms_truth = 0;
  std::int64_t zeros = 0;        ///< elements whose truth is 0
  std::int64_t zero_passes = 0;  ///< elements whose truth is not 0 and within its bound of 0

  /// rms_bound over rms_truth; 0 where rms_bound is 0.
  double bound_over_truth() const;
  /// Adds another part of the tensor; the parts have so many elements, not 0 together. The larger
  /// median is kept, as the common median cannot be known from two.
  void add(std::int64_t elements, const Resolution& other, std::int64_t other_elements);
};

/// Collects a Resolution in any order and in parts, to the same bits.
class ResolutionCounts {
 public:
  void add(const ChunkSummary& summary, std::size_t count);
  void merge(const ResolutionCounts& other);
  /// The Resolution of a tensor of `elements` elements, 1 or more.
  Resolution of(std::int64_t elements) const;

 private:
  Resolution sum_;  ///< without median and root mean squares
  RatioCounts relative_{kRelativeBins};
  SquareSum truth_;
  SquareSum bound_;
};

}  // namespace gradproof
