// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/double_double.h"
#include "oracles/arithmetic/exp_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Where `exponential` holds: 2^-996 < e^x < 2^996.
inline constexpr double kExpRange = 690;

/// Relative error of `exponential`, beside an absolute one below 2^-1073 from scaling. With
/// |r| <= ln2/128 (1 + 2^-20) < 2^-7.52, in units of u^2 e^x:
///   1     table
///   0.04  the reduced argument, 2^-110.7
///   1.4   tail of the polynomial in double: 4.2 u of |r t| < 2^-17, times r^5 < 2^-37.6
///   0.3   terms left out, r^11/11! and on
///   0.2   inside expm1(r): the last sum 4 |r|, all else times r^2
///   0.1   product with the table's number: 8 |r|
///   4     last sum, plus_small
/// 7.1 in all; stated with a factor 2 to spare.
inline constexpr double kExpError = 0x1p-102;

/// x = k ln2/64 + r; k as the bits of a whole number modulo 2^64.
template <class V>
struct ReducedArgument {
  decltype(bits_of(V(0))) steps;
  DoubleDoubleOf<V> rest;
};

/// ln2/64 in three parts: two of 36 bits, whose products with |k| < 2^16 are exact, the third to
/// 2^-142.
inline constexpr double kExpStep1 = 0x1.62e42fefap-7;
inline constexpr double kExpStep2 = 0x1.cf79abc9ep-46;
inline constexpr double kExpStep3 = 0x1.d9cc01f97b57ap-85;

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

/// e^x for |x.hi| <= kExpRange: 2^(k/64) e^r, by table, polynomial and the exponent's bits. Beyond
/// that range some number or none, without a trap.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> exponential(const DoubleDoubleOf<V>& x) {
  const ReducedArgument<V> argument = reduced(x);
  const auto place = (argument.steps & 63) << 1;
  const DoubleDoubleOf<V> fraction{looked_up(kTwoToFraction, place),
                                   looked_up(kTwoToFraction, place + 1)};
  const DoubleDoubleOf<V> whole = plus_small(fraction, times(fraction, expm1_small(argument.rest)));
  const V scale = power_of_steps<V>(argument.steps, 0);
  return {whole.hi * scale, whole.lo * scale};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
