// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace gradproof {

/// log2 of the widths over which a function may change with its numbers.
struct Widths {
  int most = 0;          ///< width of the numbers of usual size
  std::vector<int> own;  ///< width of each number
};

/// The usual size is the lower median of the sizes of all numbers but 0. The width of numbers
/// within 2^+-20 of it, and of smaller ones and 0 where the usual size is at most 1, is their
/// standard deviation, or their size where they are equal. The width of a larger number (a mask of
/// -1e30) is its size. The width of a much smaller number beside a large usual size is 1, or its
/// size if that is above 1. No width is below 2^-900: finer steps would leave the range of a
/// double.
Widths widths_of(const std::vector<double>& numbers);

}  // namespace gradproof
