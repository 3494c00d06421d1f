// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/lanes.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Whether number + by holds both, `by` a power of two. Two or three doubles hold any two of them;
/// 50 digits do not where they are too far apart: the sum is then the number, or has another step.
template <class T>
inline bool moves_exactly(const T& number, const T& by) {
  if constexpr (kLanesOf<T> == 1)
    return !isfinite(number) || T(T(number + by) - number) == by;
  else
    return true;
}

/// NaN where it does not: what would be differenced is not the function at x + h.
template <class T>
inline T moved_exactly(const T& number, const T& by) {
  return moves_exactly(number, by) ? T(number + by) : T(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
