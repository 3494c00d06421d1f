// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_triple_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Below this size a function whose series starts with x is x within 2^-161 of itself.
inline constexpr double kTinyOfTriple = 0x1p-160;

/// Relative error of `exponential_minus_one` of a triple-double, for |x.hi| <= kExpRange. With
/// x = k ln2/64 + r, p = e^(x - r) and |r| < 2^-7.52:
///   2^-149.3  e^r - 1: of r^6/720 as a double-double 14 u^2, which is |r|^5/720 of |r|, 2^-149.3;
///             r itself, the products and the last sum, below 2^-153 (kTripleExpError)
/// k = 0: p is 1 and nothing else rounds. Otherwise |e^x - 1| > 0.0054, and relative to it:
///   2^-153.5  the table's number, 2^-161, times p/|e^x - 1| <= 187
///   2^-150.4  p - 1: one rounding of what lies below 2^-105, times 187
///   2^-153    the product, 40 u^3 of 1.01, and the last sum, 8 u^3 of 3
/// 2^-148.6 in all; stated as 2^-148.
inline constexpr double kTripleExpm1Error = 0x1p-148;

template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> select(
    const MaskOf<V>& m, const TripleDoubleOf<V>& a,
    const TripleDoubleOf<V>& b) requires(kLanesOf<V> > 1) {
  return {select(m, a.hi, b.hi), select(m, a.mid, b.mid), select(m, a.lo, b.lo)};
}

/// e^x - 1 for |x.hi| <= kExpRange, without cancellation: p (e^r - 1) + (p - 1).
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> exponential_minus_one(const TripleDoubleOf<V>& x) {
  const V shifted = x.hi * kStepsInOne + kWhole;
  const auto steps = bits_of(shifted) - bits_of(kWhole);
  const auto place = steps & 63;
  const V scale = power_of_steps<V>(steps, 0);
  const TripleDoubleOf<V> power{looked_up(kTwoToFraction, place << 1) * scale,
                                looked_up(kTwoToFraction, (place << 1) + 1) * scale,
                                looked_up(kTwoToFractionLow, place) * scale};
  const TripleDoubleOf<V> rest = expm1_small(reduced_by(x, V(shifted - kWhole)));
  const TripleDoubleOf<V> value =
      plus(plus(power, TripleDoubleOf<V>{V(-1), V(0), V(0)}), times(power, rest));
  return select(abs(x.hi) < V(kTinyOfTriple), x, value);
}

/// tanh(x) for every x, as that of a double-double.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> hyperbolic_tangent(const TripleDoubleOf<V>& x) {
  const V sign = select(x.hi < V(0), V(-1), V(1));
  const TripleDoubleOf<V> t = exponential_minus_one(
      TripleDoubleOf<V>{-2 * sign * x.hi, -2 * sign * x.mid, -2 * sign * x.lo});
  const TripleDoubleOf<V> size =
      over(TripleDoubleOf<V>{-t.hi, -t.mid, -t.lo}, plus(t, TripleDoubleOf<V>{V(2), V(0), V(0)}));
  const MaskOf<V> saturated = abs(x.hi) > V(kExpRange / 2);
  const TripleDoubleOf<V> value{sign * select(saturated, V(1), size.hi),
                                sign * select(saturated, V(0), size.mid),
                                sign * select(saturated, V(0), size.lo)};
  return select(abs(x.hi) < V(kTinyOfTriple), x, value);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
