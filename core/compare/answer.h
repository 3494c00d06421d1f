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
/// infinities only the class counts, and the radius is 0.
struct Answer {
  std::vector<double> hi;  ///< the truth rounded to double; may be NaN or infinite
  std::vector<double> lo;  ///< the rest
  /// |truth - (hi + lo)| <= radius. Infinite where not known: no element with an infinite bound
  /// needs it, and others stay undecided. A radius of the smallest double, 2^-1074, stands for
  /// the part of the truth that two doubles cannot hold: the bound already contains it.
  std::vector<double> radius;
  std::vector<double> bound;  ///< permitted |got - truth|, output rounding included; inf: vacuous
  std::string why;            ///< where the bound comes from, in words
  /// Not 0 where the contract's own arithmetic may leave its range on the way: there the kernel may
  /// answer Inf or NaN although the truth is finite. Empty where no element may. (Bytes, because
  /// threads write neighbours.)
  std::vector<unsigned char> any_nonfinite = {};

  std::int64_t size() const { return static_cast<std::int64_t>(hi.size()); }
};

/// Answers by tensor name.
using Answers = std::map<std::string, Answer, std::less<>>;

}  // namespace gradproof
