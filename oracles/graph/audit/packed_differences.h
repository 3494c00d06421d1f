// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/plain_results.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A pack of `count` numbers, 1 to its lanes; the lanes behind them repeat the first.
template <class T>
T packed(const Wide* from, std::size_t count) {
  double hi[kLanesOf<T>];
  double lo[kLanesOf<T>];
  for (std::size_t i = 0; i < kLanesOf<T>; ++i) {
    const Wide& number = from[i < count ? i : 0];
    hi[i] = number.hi;
    lo[i] = number.mid;
  }
  return {load<Pack>(hi), load<Pack>(lo)};
}

/// The differences of the numbers in one pack, as PackedMoves::differences says.
template <class T>
void write_differences(const Wide* claimed, const Wide* changes, std::size_t stride,
                       std::size_t count, const StepChoice& step, Difference* into) {
  MovedChanges<T> moved;
  for (std::size_t k = 0; k < static_cast<std::size_t>(step.order_index) + 2; ++k) {
    moved.above[k] = packed<T>(changes + 2 * k * stride, count);
    moved.below[k] = packed<T>(changes + (2 * k + 1) * stride, count);
  }
  const PackedDifference<T> pack(packed<T>(claimed, count), moved, step);
  for (std::size_t i = 0; i < count; ++i) into[i] = pack.at(static_cast<int>(i));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
