// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/quick_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// sin and cos of numbers up to kSineRange in size. With k the whole number nearest to x 2/pi and
/// r = x - k pi/2, |r| <= 0.786, in units of u^2, u = 2^-53:
///   r: pi/2 has three doubles, and k of 21 bits times the first two is exact. The three sums err
///   by 3 times their own sizes, |r| + 2^-32 and less: 9 |r|, and 2^-136 in all, with what pi/2
///   leaves out, 2^-143 (kReductionError; nothing where k is 0).
///   sin r/r and cos r: Taylor's series up to r^27/27! and r^26/26!, which leave out 2^-112 and
///   2^-107, from the last term on: s = 1 - z s/(n (n - 1)), z = r^2. A step multiplies the error
///   of s by z/(n (n - 1)), at most 0.11 and 0.31, and adds 28 times that, of z (8), the product
///   (8) and the quotient (12), and 2: 6 and 12.
///   sin r: r (9), the product (8), the series (6): 23; cos r >= 0.707: (12 + 6)/0.707: 26.
/// 32 u^2 is 2^-101; stated as 2^-100.
inline constexpr double kSineError = 0x1p-100;
inline constexpr double kReductionError = 0x1p-130;
inline constexpr double kSineRange = 0x1p20;
/// An argument that is no larger is its own r.
inline constexpr double kUnreduced = 0.78;

template <class V>
struct SineAndCosine {
  DoubleDoubleOf<V> sine;
  DoubleDoubleOf<V> cosine;
};

/// The whole number nearest to x, |x| < 2^51.
template <class V>
[[gnu::always_inline]] inline V nearest_whole(const V& x) {
  return (x + 0x1.8p52) - 0x1.8p52;
}

template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> negated(const DoubleDoubleOf<V>& x) {
  return {-x.hi, -x.lo};
}

/// 1 - z/(n (n - 1)) (1 - z/((n - 2)(n - 3)) (...)), from the last n down to the first.
template <class V>
DoubleDoubleOf<V> alternating_series(const DoubleDoubleOf<V>& z, int last, int first) {
  DoubleDoubleOf<V> s{V(1), V(0)};
  for (int n = last; n >= first; n -= 2)
    s = plus(negated(quick_over(quick_times(z, s), V(static_cast<double>(n * (n - 1))))), V(1));
  return s;
}

/// Some number or none where x is larger than kSineRange.
template <class V>
SineAndCosine<V> sine_and_cosine(const DoubleDoubleOf<V>& x) {
  const V k = nearest_whole(V(x.hi * 0x1.45f306dc9c883p-1));
  DoubleDoubleOf<V> r = plus(x, negated(two_product(k, V(0x1.921fb54442d18p+0))));
  r = plus(r, negated(two_product(k, V(0x1.1a62633145c07p-54))));
  r = plus(r, V(k * 0x1.f1976b7ed8fbcp-110));
  const DoubleDoubleOf<V> z = quick_times(r, r);
  const DoubleDoubleOf<V> sine = times(r, alternating_series(z, 27, 3));
  const DoubleDoubleOf<V> cosine = alternating_series(z, 26, 2);
  const V quarter = k - 4 * nearest_whole(V(k * 0.25));  // -2 to 2
  const MaskOf<V> odd = abs(quarter) == V(1);
  const MaskOf<V> back = abs(quarter) == V(2);
  const auto turned = [](const MaskOf<V>& m, const DoubleDoubleOf<V>& v) {
    return select(m, negated(v), v);
  };
  return {turned(MaskOf<V>(back | (quarter == V(-1))), select(odd, cosine, sine)),
          turned(MaskOf<V>(back | (quarter == V(1))), select(odd, sine, cosine))};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
