// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_table_low.h"
#include "oracles/arithmetic/expm1_double_double.h"
#include "oracles/arithmetic/triple_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Relative error of `exponential` of a triple-double, beside an absolute one below 2^-1072 from
/// scaling. With |r| < 2^-7.52, of e^x:
///   2^-161    table
///   2^-155.5  r: of k times the last part (2^-104.3) three roundings, 2^-157.3 each; what is left
///             of ln2/64, 2^-158.7; sums of what lies below 2^-112, 2^-164
///   2^-156.8  r^6/6! < 2^-54.6, in double-double to 14 u^2; its tail in double, 4.2 u of r^11/11!
///   2^-164    terms left out, r^16/16! and on
///   2^-161    product with the table's number: 50 u^3 |r|
///   2^-155.9  last sum
/// 2^-154.2 in all; stated with a factor 4 to spare.
inline constexpr double kTripleExpError = 0x1p-152;

/// x = k ln2/64 + r; ln2/64 in four parts, three of 36 bits: their products with |k| < 2^16 are
/// exact. x.hi - k part1 is exact, and k part2 is 0 or above x.mid, k part3 above x.lo.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> reduced_by(const TripleDoubleOf<V>& x, const V& k) {
  constexpr double kPart3 = 0x1.d9cc01f96p-85;
  constexpr double kPart4 = 0x1.b57a079a19339p-121;
  const DoubleDoubleOf<V> second = fast_two_sum(V(-k * kExpStep2), x.mid);
  const DoubleDoubleOf<V> third = fast_two_sum(V(-k * kPart3), x.lo);
  const DoubleDoubleOf<V> high = two_sum(V(x.hi - k * kExpStep1), second.hi);
  const DoubleDoubleOf<V> next = two_sum(high.lo, third.hi);
  const DoubleDoubleOf<V> mid = two_sum(next.hi, second.lo);
  const V low = (next.lo + mid.lo) + times_plus(V(-k), V(kPart4), third.lo);
  const DoubleDoubleOf<V> first = two_sum(high.hi, mid.hi);
  const DoubleDoubleOf<V> rest = two_sum(first.lo, low);
  return {first.hi, rest.hi, rest.lo};
}

/// 1/7! + r/8! + ... + r^8/15!: a double from 1/11! on.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> expm1_tail(const DoubleDoubleOf<V>& r) {
  const V s = r.hi * r.hi;
  const V t =
      (0x1.ae64567f544e4p-26 + r.hi * 0x1.1eed8eff8d898p-29) +
      s * ((0x1.6124613a86d09p-33 + r.hi * 0x1.93974a8c07c9dp-37) + s * 0x1.ae7f3e733b81fp-41);
  DoubleDoubleOf<V> f =
      next_factor<V>(0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76, {r.hi * t, V(0)});
  f = next_factor(0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73, times(r, f));
  f = next_factor(0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76, times(r, f));
  return next_factor(0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73, times(r, f));
}

/// expm1(r) = r + r^2 (1/2 + r (1/6 + r (1/24 + r (1/120 + r (1/720 + r tail))))).
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> expm1_small(const TripleDoubleOf<V>& r) {
  using Triple = TripleDoubleOf<V>;
  const DoubleDoubleOf<V> tail = next_factor(0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65,
                                             times(r.high(), expm1_tail(r.high())));
  const DoubleDoubleOf<V> small = times(r.high(), tail);
  const auto next = [](double hi, double mid, double lo, const Triple& product) {
    return plus_small(Triple{V(hi), V(mid), V(lo)}, product);
  };
  Triple f = next(0x1.1111111111111p-7, 0x1.1111111111111p-63, 0x1.1111111111111p-119,
                  {small.hi, small.lo, V(0)});
  f = next(0x1.5555555555555p-5, 0x1.5555555555555p-59, 0x1.5555555555555p-113, times(r, f));
  f = next(0x1.5555555555555p-3, 0x1.5555555555555p-57, 0x1.5555555555555p-111, times(r, f));
  f = next(0.5, 0, 0, times(r, f));
  return plus_small(r, times(squared(r), f));
}

/// e^x for |x.hi| <= kExpRange: 2^(k/64) e^r, by table, polynomial and the exponent's bits. Beyond
/// that range some number or none, without a trap.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> exponential(const TripleDoubleOf<V>& x) {
  const V shifted = x.hi * kStepsInOne + kWhole;
  const TripleDoubleOf<V> less = expm1_small(reduced_by(x, V(shifted - kWhole)));
  const auto steps = bits_of(shifted) - bits_of(kWhole);
  const auto place = steps & 63;
  const TripleDoubleOf<V> fraction{looked_up(kTwoToFraction, place << 1),
                                   looked_up(kTwoToFraction, (place << 1) + 1),
                                   looked_up(kTwoToFractionLow, place)};
  const TripleDoubleOf<V> whole = plus_small(fraction, times(fraction, less));
  const V scale = power_of_steps<V>(steps, 0);
  return {whole.hi * scale, whole.mid * scale, whole.lo * scale};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
