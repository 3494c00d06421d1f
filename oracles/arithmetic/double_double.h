// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/lanes.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// hi + lo, unevaluated, with hi = RN(hi + lo): 106 bits and more. u = 2^-53.
///
/// The bounds are for numbers without overflow. An overflow in any step makes hi infinite or NaN:
/// every lower part is added into the next higher one. "eta" is 2^-1074: a product that underflows
/// errs by eta/2, a sum never does; each function says how many reach its result.
///
/// V is double or Pack; every function takes the same steps in each lane.
template <class V>
struct DoubleDoubleOf {
  V hi;
  V lo;
};
using DoubleDouble = DoubleDoubleOf<double>;

inline constexpr double kUnit = 0x1p-53;

/// a + b, exactly (Knuth).
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> two_sum(const V& a, const V& b) {
  const V sum = a + b;
  const V part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a + b, exactly if |a| >= |b|, a = 0, or |a + b| < 2^-1021 (Dekker).
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> fast_two_sum(const V& a, const V& b) {
  const V sum = a + b;
  return {sum, b - (sum - a)};
}

/// a = hi + lo with 26 bits each (Veltkamp); overflows into NaN from 2^996.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> halves(const V& a) {
  const V shifted = 0x1.0000002p27 * a;
  const V hi = shifted - (shifted - a);
  return {hi, a - hi};
}

/// a b, exactly if |a b| >= 2^-969, else within 4 eta: then the lowest of the 106 bits lie below
/// eta. Dekker's product; one fma where the hardware has it.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> two_product(const V& a, const V& b) {
  const V product = a * b;
  if constexpr (kHasFused) {
    return {product, fused(a, b, -product)};
  } else {
    const DoubleDoubleOf<V> x = halves(a);
    const DoubleDoubleOf<V> y = halves(b);
    return {product, ((x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
  }
}

/// a - b c where b c is near a: one rounding of the result, and 4 eta.
template <class V>
[[gnu::always_inline]] inline V remainder_of(const V& a, const V& b, const V& c) {
  if constexpr (kHasFused) {
    return fused(-b, c, a);
  } else {
    const DoubleDoubleOf<V> product = two_product(b, c);
    return (a - product.hi) - product.lo;  // the difference is exact (Sterbenz)
  }
}

/// AccurateDWPlusDW: relative error 3 u^2/(1-4u), cancellation or not (Joldes, Muller, Popescu,
/// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", TOMS
/// 2017, theorem 3.1; formally proved by Muller and Rideau, TOMS 2022). No eta.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> plus(const DoubleDoubleOf<V>& x,
                                                     const DoubleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = two_sum(x.hi, y.hi);
  const DoubleDoubleOf<V> low = two_sum(x.lo, y.lo);
  const DoubleDoubleOf<V> sum = fast_two_sum(high.hi, V(high.lo + low.hi));
  return fast_two_sum(sum.hi, V(low.lo + sum.lo));
}

/// DWPlusFP: relative error 2 u^2 (the same, theorem 2.1). No eta.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> plus(const DoubleDoubleOf<V>& x,
                                                     std::type_identity_t<V> y) {
  const DoubleDoubleOf<V> high = two_sum(x.hi, y);
  return fast_two_sum(high.hi, V(x.lo + high.lo));
}

/// x + y where |y| <= |x|/16 is known: relative error 4 u^2. Roundings: x.lo + y.lo is at most
/// 17/16 u|x|, and with high.lo at most 17/8 u|x|; together 51/16 u^2 |x|, and |x| <= 16/15 |x +
/// y|.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> plus_small(const DoubleDoubleOf<V>& x,
                                                           const DoubleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = fast_two_sum(x.hi, y.hi);
  return fast_two_sum(high.hi, V(high.lo + (x.lo + y.lo)));
}

/// DWTimesDW3 with fma, DWTimesDW1 without: relative error 4 u^2 and 5 u^2 (Muller, Rideau 2022).
/// We state 8 u^2 + 8 eta, which takes no theorem and so no case for what underflows. In units of
/// u^2 |x.hi y.hi|, without fma: x.lo y.lo is left out, 1; the cross products, 1 + 1; their sum, 2;
/// the last sum, 3; terms of u^3 are below the slack that the theorems leave.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> times(const DoubleDoubleOf<V>& x,
                                                      const DoubleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = two_product(x.hi, y.hi);
  if constexpr (kHasFused) {
    const V cross = fused(x.lo, y.hi, fused(x.hi, y.lo, x.lo * y.lo));
    return fast_two_sum(high.hi, V(high.lo + cross));
  } else {
    const V cross = x.hi * y.lo + x.lo * y.hi;
    return fast_two_sum(high.hi, V(high.lo + cross));
  }
}

/// Relative error 4 u^2 + 6 eta: the product with x.lo, 1 u^2; the sum, 2 u^2.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> times(const DoubleDoubleOf<V>& x,
                                                      std::type_identity_t<V> y) {
  const DoubleDoubleOf<V> high = two_product(x.hi, y);
  return fast_two_sum(high.hi, V(high.lo + x.lo * y));
}

/// DWDivDW2 (Joldes, Muller, Popescu 2017: 15 u^2) with a shorter remainder. Relative error 14 u^2,
/// and 6 eta/|y| + 2 eta. In units of u^2 |x.hi|: the remainder (itself 1 u), 1; first y.lo, 1;
/// x.lo - first y.lo, 2; all three, 3. The second quotient, 3, and its division by y.hi in place of
/// y, 3; sum 13. Where the quotient is subnormal, |x.hi| stands for max(|x.hi|, 2^-1022 |y|).
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> over(const DoubleDoubleOf<V>& x,
                                                     const DoubleDoubleOf<V>& y) {
  const V first = x.hi / y.hi;
  const V rest = remainder_of(x.hi, first, y.hi) + (x.lo - first * y.lo);
  return fast_two_sum(first, V(rest / y.hi));
}

/// Relative error 6 u^2, and 4 eta/|y| + 2 eta: the remainder, 1; its sum with x.lo, 2; the second
/// quotient, 2.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> over(const DoubleDoubleOf<V>& x,
                                                     std::type_identity_t<V> y) {
  const V first = x.hi / y;
  const V rest = remainder_of(x.hi, first, y) + x.lo;
  return fast_two_sum(first, V(rest / y));
}

/// SQRTDWtoDW: relative error 25/8 u^2 (Lefevre, Louvet, Muller, Picot, Rideau, "Accurate
/// calculation of Euclidean norms using double-word arithmetic", TOMS 2023). We state 6 u^2, and
/// 4 eta/sqrt(x), for x > 0. In units of u^2 sqrt(x): the remainder (2 u), 1; its sum with x.lo
/// (3 u), 3/2; the quotient (3/2 u), 3/2; the square of the correction, left out, 9/8.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> root(const DoubleDoubleOf<V>& x) {
  const V first = sqrt(x.hi);
  const V rest = remainder_of(x.hi, first, first) + x.lo;
  return fast_two_sum(first, V(rest / (2 * first)));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
