// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> select(
    const MaskOf<V>& m, const DoubleDoubleOf<V>& a,
    const DoubleDoubleOf<V>& b) requires(kLanesOf<V> > 1) {
  return {select(m, a.hi, b.hi), select(m, a.lo, b.lo)};
}

/// x = k ln2/64 + r; k as the bits of a whole number modulo 2^64.
template <class V>
struct ReducedArgument {
  decltype(bits_of(V(0))) steps;
  DoubleDoubleOf<V> rest;
};

/// Roundings: k times the third, 2^-122; three sums below 2^-59.4, 2^-112.4 each
/// at most.
template <class V>
[[gnu::always_inline]] inline ReducedArgument<V> reduced(const DoubleDoubleOf<V>& x) {
  const V shifted = x.hi * kStepsInOne + kWhole;
  const V k = shifted - kWhole;
  const DoubleDoubleOf<V> high = two_sum(x.hi, V(-k * kExpStep1));
  const DoubleDoubleOf<V> low = two_sum(x.lo, V(-k * kExpStep2));
  const DoubleDoubleOf<V> sum = two_sum(high.hi, low.hi);
  const V rest = sum.lo + (low.lo + (high.lo - k * kExpStep3));
  return {bits_of(shifted) - bits_of(kWhole), two_sum(sum.hi, rest)};
}

/// c + r t for a constant c, exact or nearly so, that is far above r t.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> next_factor(double hi, double lo,
                                                            const DoubleDoubleOf<V>& product) {
  return plus_small({V(hi), V(lo)}, product);
}

/// expm1(r) = r + r^2 (1/2 + r (1/6 + r (1/24 + r (1/120 + r t)))), t in double, to r^10.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> expm1_small(const DoubleDoubleOf<V>& r) {
  const V s = r.hi * r.hi;
  const V t = (1.0 / 720 + r.hi * (1.0 / 5040)) +
              s * ((1.0 / 40320 + r.hi * (1.0 / 362880)) + s * (1.0 / 3628800));
  DoubleDoubleOf<V> factor =
      next_factor<V>(0x1.1111111111111p-7, 0x1.1111111111111p-63, {r.hi * t, V(0)});
  factor = next_factor(0x1.5555555555555p-5, 0x1.5555555555555p-59, times(r, factor));
  factor = next_factor(0x1.5555555555555p-3, 0x1.5555555555555p-57, times(r, factor));
  factor = next_factor(0.5, 0, times(r, factor));
  return plus_small(r, times(times(r, r), factor));
}

/// Below this size a function whose series starts with x is x within 2^-110 of itself, and products
/// of the usual formula would underflow.
inline constexpr double kTiny = 0x1p-110;

/// Relative error of `exponential_minus_one`, for |x.hi| <= kExpRange. With x = k ln2/64 + r,
/// p = e^(x - r), |r| <= R = ln2/128 (1 + 2^-20) < 2^-7.52:
///
/// expm1_small(r), relative to e^r - 1 >= |r| (1 - R/2), is within 2^-97.8:
///   2^-98.06   tail of the polynomial in double: 4.2 u of |r t| < |r| 2^-9.49, times |r|^4
///   2^-100.54  terms left out, r^11/11! and on
///   2^-103.9   in units of u^2: the last sum, 4; its second operand, 22 R/2
/// k = 0: r is x, p is 1 and nothing else rounds. Otherwise |e^x - 1| > 0.0054, and relative to it
/// in units of u^2:
///   194   p: the table's number, 1, and r, 0.04; times p/|e^x - 1| <= 187
///   4.1   p - 1: 2, times |p - 1|/|e^x - 1| <= 2.01
///   8.1   product of p and e^r - 1, at most 1.01 |e^x - 1|
///   3     the sum
/// 209 u^2 = 2^-98.29, and 1.01 times what e^r - 1 has: 2^-97 in all; stated with a factor 2 to
/// spare.
inline constexpr double kExpm1Error = 0x1p-96;

/// e^x - 1 for |x.hi| <= kExpRange, without cancellation: p (e^r - 1) + (p - 1), by the table, the
/// polynomial and the exponent's bits of `exponential`.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> exponential_minus_one(const DoubleDoubleOf<V>& x) {
  const ReducedArgument<V> argument = reduced(x);
  const auto place = (argument.steps & 63) << 1;
  const V scale = power_of_steps<V>(argument.steps, 0);
  const DoubleDoubleOf<V> power{looked_up(kTwoToFraction, place) * scale,
                                looked_up(kTwoToFraction, place + 1) * scale};
  const DoubleDoubleOf<V> value =
      plus(plus(power, V(-1)), times(power, expm1_small(argument.rest)));
  return select(abs(x.hi) < V(kTiny), x, value);
}

/// Relative error of `hyperbolic_tangent`. It is -t/(2 + t), t = e^(-2|x|) - 1, which multiplies
/// the relative error of t by 2/(2 + t). That of e^r - 1 becomes at most 1.0 times itself, 2^-97.8,
/// since 2 p |e^r - 1| <= 1 - e^(-4|x|) unless k = 0; in units of u^2 the rest of t 192 + 14 + 8.1,
/// the sum 2 and the quotient 14: 231 u^2 = 2^-98.1. 2^-96.9 in all; stated as 2^-96. Beyond 345 it
/// is 1 within 2 e^-690 < 2^-994.
inline constexpr double kTanhError = 0x1p-96;

/// tanh(x) for every x.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> hyperbolic_tangent(const DoubleDoubleOf<V>& x) {
  const V sign = select(x.hi < V(0), V(-1), V(1));
  const DoubleDoubleOf<V> t =
      exponential_minus_one(DoubleDoubleOf<V>{-2 * sign * x.hi, -2 * sign * x.lo});
  const DoubleDoubleOf<V> size = over(DoubleDoubleOf<V>{-t.hi, -t.lo}, plus(t, V(2)));
  const MaskOf<V> saturated = abs(x.hi) > V(kExpRange / 2);
  const DoubleDoubleOf<V> value{sign * select(saturated, V(1), size.hi),
                                sign * select(saturated, V(0), size.lo)};
  return select(abs(x.hi) < V(kTiny), x, value);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
