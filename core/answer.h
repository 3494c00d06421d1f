// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gradproof {

/// The truth about one tensor and the error that the contract permits, per element in row-major
/// order. The truth is hi + lo, two doubles (about 106 bits), with a certified radius.
struct Answer {
  std::vector<double> hi;      ///< the truth rounded to double; may be NaN or infinite
  std::vector<double> lo;      ///< the rest
  std::vector<double> radius;  ///< |truth - (hi + lo)| <= radius
  std::vector<double> bound;   ///< permitted |got - truth|, output rounding included; inf: vacuous
  std::string why;             ///< where the bound comes from, in words
  /// Not 0 where the contract's own arithmetic may leave its range on the way: there the kernel may
  /// answer Inf or NaN although the truth is finite. Empty: nowhere. (Bytes: threads write
  /// neighbours.)
  std::vector<unsigned char> any_nonfinite = {};

  std::int64_t size() const { return static_cast<std::int64_t>(hi.size()); }
};

/// Answers by tensor name.
using Answers = std::map<std::string, Answer, std::less<>>;

}  // namespace gradproof
