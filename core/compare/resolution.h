// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

#include "core/compare/ratio_counts.h"
#include "core/compare/square_sum.h"

namespace gradproof {

/// What a pass could have seen in one tensor: the truth beside its bound, whatever the kernel gave.
/// A result that is truth (1 + d) in every element fails as soon as |d| |truth| is over the bound
/// of one, so of a kernel that was otherwise exact before it rounded to its type (which may hide or
/// add half an ulp), every |d| above `whole` fails.
struct Resolution {
  double whole = std::numeric_limits<double>::infinity();  ///< the least bound/|truth|
  /// The median of bound/|truth|, rounded up to the next of 32 equal parts of its octave. A truth
  /// of 0 is left out, as no factor moves it; one that is not finite counts as infinite.
  double median = std::numeric_limits<double>::infinity();
  /// Root mean squares of all elements; where truth or bound is not finite both count as 0.
  double rms_bound = 0;
  double rms_truth = 0;
  std::int64_t zeros = 0;        ///< elements whose truth is 0
  std::int64_t zero_passes = 0;  ///< elements whose truth is not 0 and within its bound of 0

  /// rms_bound over rms_truth; 0 where both are.
  double bound_over_truth() const;
  /// With another part of the tensor in it: of so many elements here and there, not 0 together. The
  /// median is the larger one: it cannot be known from two.
  void add(std::int64_t elements, const Resolution& other, std::int64_t other_elements);
};

/// Collects a Resolution in any order and in parts, to the same bits.
class ResolutionCounts {
 public:
  void add(const ChunkSummary& summary, std::size_t count);
  void merge(const ResolutionCounts& other);
  /// `elements`: of the tensor, 1 or more.
  Resolution of(std::int64_t elements) const;

 private:
  Resolution sum_;  ///< without median and root mean squares
  RatioCounts relative_{kRelativeBins};
  SquareSum truth_;
  SquareSum bound_;
};

}  // namespace gradproof
