// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace gradproof {

inline constexpr double kSmallestDouble = std::numeric_limits<double>::denorm_min();

/// The truth about one tensor and the error that the contract permits, per element in row-major
/// order. The truth is hi + lo, two doubles (about 106 bits), with a certified radius. An infinite
/// hi stands for a truth that the tensor's type can only answer by that infinity; of NaN and
/// infinities the class is meant, and the radius is 0.
struct Answer {
  std::vector<double> hi;  ///< the truth rounded to double; may be NaN or infinite
  std::vector<double> lo;  ///< the rest
  /// |truth - (hi + lo)| <= radius. Infinite: not known; under an infinite bound nobody needs it,
  /// under a finite one the element stays undecided. A radius of the smallest double, 2^-1074, is
  /// what two doubles cannot say: the bound has it already.
  std::vector<double> radius;
  std::vector<double> bound;  ///< permitted |got - truth|, output rounding included; inf: vacuous
  std::string why;            ///< where the bound comes from, in words
  /// Not 0 where the contract's own arithmetic may leave its range on the way: there the kernel may
  /// answer Inf or NaN although the truth is finite. Empty: nowhere. (Bytes: threads write
  /// neighbours.)
  std::vector<unsigned char> any_nonfinite = {};

  std::int64_t size() const { return static_cast<std::int64_t>(hi.size()); }
};

/// Answers by tensor name.
using Answers = std::map<std::string, Answer, std::less<>>;

}  // namespace gradproof
