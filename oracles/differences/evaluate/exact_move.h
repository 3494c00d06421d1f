// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/lanes.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True if number + by is exact; `by` is a power of two. Double-doubles and triple-doubles hold
/// every such sum; 50 digits do not where the two are too far apart.
template <class T>
inline bool moves_exactly(const T& number, const T& by) {
  if constexpr (kLanesOf<T> == 1)
    return !isfinite(number) || T(T(number + by) - number) == by;
  else
    return true;
}

/// number + by; NaN if the sum is not exact, because the loss would not be the one at x + h.
template <class T>
inline T moved_exactly(const T& number, const T& by) {
  return moves_exactly(number, by) ? T(number + by) : T(std::numeric_limits<double>::quiet_NaN());
}

/// log2 of the width of a number: max(0, ilogb|number|).
inline int log2_width(double number) {
  const bool large = __builtin_isfinite(number) && __builtin_fabs(number) > 1;
  return large ? __builtin_ilogb(number) : 0;
}

/// A T of the first `count` doubles or of as many as it holds; the lanes behind them repeat the
/// last.
template <class T>
inline T loaded(const double* from, std::int64_t count) {
  return T(load<std::conditional_t<kLanesOf<T> == 1, double, Pack>>(from, count));
}

template <class T>
inline void fill(Values<T>& into, const Values<double>& from) {
  constexpr std::size_t kWidth = kLanesOf<T>;
  into.resize((from.size() + kWidth - 1) / kWidth);
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i] =
        loaded<T>(from.data() + i * kWidth, static_cast<std::int64_t>(from.size() - i * kWidth));
}

/// A T with `inside` in the lane of the place and `outside` in the others.
template <class T>
inline T in_lane(std::int64_t place, const T& inside, const T& outside) {
  if constexpr (kLanesOf<T> == 1) {
    return inside;
  } else {
    const std::int64_t lane = place % kLanesOf<T>;
    auto here = first_lanes<T>(lane + 1);
    if (lane > 0) here = here & !first_lanes<T>(lane);
    return select(here, inside, outside);
  }
}

/// The width 2^log2_width(x) of each x, and its inverse. A number that affects its own element only
/// is moved by move * width, and its change is divided by the width (PerturbedLoss::change).
template <class T>
struct Widths {
  Values<T> of;
  Values<T> inverse;

  void take(const Values<double>& x) {
    constexpr std::size_t kWidth = kLanesOf<T>;
    of.resize((x.size() + kWidth - 1) / kWidth);
    inverse.resize(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
      double widths[kWidth] = {}, inverses[kWidth] = {};
      for (std::size_t k = 0; k < kWidth && i * kWidth + k < x.size(); ++k) {
        widths[k] = __builtin_ldexp(1, log2_width(x[i * kWidth + k]));
        inverses[k] = 1 / widths[k];
      }
      of[i] = loaded<T>(widths, kWidth);
      inverse[i] = loaded<T>(inverses, kWidth);
    }
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
