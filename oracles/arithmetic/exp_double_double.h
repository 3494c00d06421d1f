// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_double.h"
#include "oracles/arithmetic/quick_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The largest |x| for which `exponential` holds: 2^-996 < e^x < 2^996.
inline constexpr double kExpRange = 690;

/// Relative error of `exponential`, beside an absolute one below 2^-1073 from scaling. With
/// r = a + b as below, |r| < 2^-7.52, in units of u^2 e^x:
///   1     table
///   0.1   r: k times the third part, 2^-121; b, below 2^-60, 2^-113
///   1.4   tail of the polynomial in double: 4.2 u of |a t| < 2^-17, times a^5 < 2^-37.6
///   0.3   terms left out, a^11/11! and on
///   0.2   inside expm1(r): the lower part of the last sum, 4 |r|, all else times a^2; b^2 < 2^-120
///   0.1   product with the table's number: 8 |r|
///   3.1   the lower part of the last sum: 1 + 2, and |r|
/// 6.2 in all; stated with a factor 2 to spare.
inline constexpr double kExpError = 0x1p-102;

/// ln2/64 in three parts: two of 36 bits, whose products with |k| < 2^16 are exact, the third to
/// 2^-142.
inline constexpr double kExpStep1 = 0x1.62e42fefap-7;
inline constexpr double kExpStep2 = 0x1.cf79abc9ep-46;
inline constexpr double kExpStep3 = 0x1.d9cc01f97b57ap-85;

/// c + a f, f about 1 and |a| small, for a constant c: the sum's lower part is not carried.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> quick_factor(double hi, double lo, const V& a,
                                                             const DoubleDoubleOf<V>& f) {
  const DoubleDoubleOf<V> product = two_product(a, f.hi);
  const DoubleDoubleOf<V> sum = fast_two_sum(V(hi), product.hi);
  return {sum.hi, sum.lo + times_plus(a, f.lo, V(product.lo + lo))};
}

/// expm1(a + b) for |b| < 2^-60: a + a^2 (1/2 + a (1/6 + a (1/24 + a (1/120 + a t)))) + b e^a, with
/// t in double, to a^10. All of it is in powers of one double.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> quick_expm1(const V& a, const V& b) {
  const DoubleDoubleOf<V> square = two_product(a, a);
  const V t = (1.0 / 720 + a * (1.0 / 5040)) +
              square.hi * ((1.0 / 40320 + a * (1.0 / 362880)) + square.hi * (1.0 / 3628800));
  DoubleDoubleOf<V> f = fast_two_sum(V(0x1.1111111111111p-7), V(a * t));
  f.lo = f.lo + 0x1.1111111111111p-63;
  f = quick_factor(0x1.5555555555555p-5, 0x1.5555555555555p-59, a, f);
  f = quick_factor(0x1.5555555555555p-3, 0x1.5555555555555p-57, a, f);
  f = quick_factor(0.5, 0, a, f);
  const DoubleDoubleOf<V> high = two_product(square.hi, f.hi);
  const DoubleDoubleOf<V> sum = fast_two_sum(a, high.hi);
  const V low = times_plus(square.hi, f.lo, times_plus(square.lo, f.hi, high.lo));
  return {sum.hi, (sum.lo + low) + times_plus(b, sum.hi, b)};
}

/// e^x for |x.hi| <= kExpRange: x = k ln2/64 + a + b, and 2^(k/64) from a table. Beyond that range
/// it returns some number or NaN, without a trap. x.hi - k times the first part of ln2/64 is exact,
/// and k times the second is 0 or above x.lo.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> exponential(const DoubleDoubleOf<V>& x) {
  const V shifted = x.hi * kStepsInOne + kWhole;
  const V k = shifted - kWhole;
  const DoubleDoubleOf<V> low = fast_two_sum(V(-k * kExpStep2), x.lo);
  const DoubleDoubleOf<V> rest = two_sum(V(x.hi - k * kExpStep1), low.hi);
  const V b = rest.lo + times_plus(V(-k), V(kExpStep3), low.lo);
  const DoubleDoubleOf<V> less = quick_expm1(rest.hi, b);
  const auto steps = bits_of(shifted) - bits_of(kWhole);
  const auto place = (steps & 63) << 1;
  const DoubleDoubleOf<V> fraction{looked_up(kTwoToFraction, place),
                                   looked_up(kTwoToFraction, place + 1)};
  const DoubleDoubleOf<V> product = two_product(fraction.hi, less.hi);
  const DoubleDoubleOf<V> sum = fast_two_sum(fraction.hi, product.hi);
  const V lower = times_plus(fraction.hi, less.lo, times_plus(fraction.lo, less.hi, product.lo));
  const DoubleDoubleOf<V> whole = fast_two_sum(sum.hi, V(fraction.lo + (sum.lo + lower)));
  const V scale = power_of_steps<V>(steps, 0);
  return {whole.hi * scale, whole.lo * scale};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
