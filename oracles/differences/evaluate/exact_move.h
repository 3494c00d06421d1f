// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/lanes.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Whether number + by is exact, `by` a power of two. Double-doubles and triple-doubles hold every
/// such sum; 50 digits do not where the two are too far apart.
template <class T>
inline bool moves_exactly(const T& number, const T& by) {
  if constexpr (kLanesOf<T> == 1)
    return !isfinite(number) || T(T(number + by) - number) == by;
  else
    return true;
}

/// number + by; NaN where the sum is not exact, because the loss would not be that at x + h.
template <class T>
inline T moved_exactly(const T& number, const T& by) {
  return moves_exactly(number, by) ? T(number + by) : T(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
