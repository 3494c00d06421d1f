// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Double-doubles with half the steps, for values whose error is shown but not bounded, and inside
/// functions whose numbers have known sizes. Sums err relative to their operands, not to the
/// result. u = 2^-53, numbers without over- or underflow. Derivations count in units of u^2; terms
/// of u^3 are below what the statements round up.

/// a b + c, with one rounding where the hardware has it and else with two.
template <class V>
[[gnu::always_inline]] inline V times_plus(const V& a, const V& b, const V& c) {
  if constexpr (kHasFused)
    return fused(a, b, c);
  else
    return a * b + c;
}

/// Error 4 u^2 (|x| + |y|): x.lo + y.lo, 1; with high.lo, 2. The last sum is exact, also after
/// cancellation: high.hi is a multiple of what is lowest in the term added.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> quick_plus(const DoubleDoubleOf<V>& x,
                                                           const DoubleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = two_sum(x.hi, y.hi);
  return fast_two_sum(high.hi, V(high.lo + (x.lo + y.lo)));
}

/// Relative error 8 u^2: x.lo y.lo, left out, 1; the cross products, 1 + 1, none when fused; their
/// sums with high.lo, 2 + 3.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> quick_times(const DoubleDoubleOf<V>& x,
                                                            const DoubleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = two_product(x.hi, y.hi);
  return fast_two_sum(high.hi, times_plus(x.lo, y.hi, times_plus(x.hi, y.lo, high.lo)));
}

/// Relative error 24 u^2, by one division. first errs by 2 u; the remainder (2 u), 2; x.lo - first
/// y.lo, 1 + 2; all of it (4 u), 4; times 1/y.hi, 4 + 4, and y.lo left out there, 4.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> quick_over(const DoubleDoubleOf<V>& x,
                                                           const DoubleDoubleOf<V>& y) {
  const V inverse = 1 / y.hi;
  const V first = x.hi * inverse;
  const V rest = remainder_of(x.hi, first, y.hi) + times_plus(V(-first), y.lo, x.lo);
  return fast_two_sum(first, V(rest * inverse));
}

/// Relative error 12 u^2: the remainder, 2; with x.lo (3 u), 3; times 1/y, 3 + 3. In a loop over x
/// there is one division for all.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> quick_over(const DoubleDoubleOf<V>& x,
                                                           std::type_identity_t<V> y) {
  const V inverse = 1 / y;
  const V first = x.hi * inverse;
  const V rest = remainder_of(x.hi, first, y) + x.lo;
  return fast_two_sum(first, V(rest * inverse));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
