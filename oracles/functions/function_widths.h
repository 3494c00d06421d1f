// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace gradproof {

/// Exponents of the widths over which a function may change with its numbers.
struct Widths {
  int most = 0;          ///< of numbers of the usual size
  std::vector<int> own;  ///< of each
};

/// The usual size is the lower median of the numbers but 0. Numbers within 2^+-20 of it, and those
/// that are 0 or smaller where it is at most 1, have their standard deviation for a width, or their
/// size where they are equal. A larger number (a mask of -1e30) has its own size, a smaller one
/// beside a large usual size moves as 1 does, or as its own size. None is below 2^-900: finer
/// steps would leave the range of a double.
Widths widths_of(const std::vector<double>& numbers);

}  // namespace gradproof
