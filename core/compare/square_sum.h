// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "core/compare/chunk.h"

namespace gradproof {

/// The sum of squares of numbers of any size, none of which overflows. Squares that are added in
/// any order and parts give the same sum to the last bit. Each square is rounded to 2^-48 of
/// the largest or better; numbers below 2^-1056 count as 0.
class SquareSum {
 public:
  void add(const ChunkSquares& squares) { add(squares.window, squares.high, squares.low); }
  void merge(const SquareSum& other) { add(other.window_, other.high_, other.low_); }

  /// The root mean square of `count` numbers, 1 or more.
  double rms(std::int64_t count) const;

 private:
  void add(int window, __int128 high, __int128 low);

  int window_ = kLowestWindow;
  __int128 high_ = 0;  ///< in units of 2^(48 window)
  __int128 low_ = 0;   ///< in units of 2^(48 (window - 1))
};

}  // namespace gradproof
