// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/erf_double_double.h"
#include "oracles/arithmetic/log_double_double.h"
#include "oracles/arithmetic/tripled.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

// Functions beyond + - * /, exp and sqrt, of double-doubles and triple-doubles: for the scalars of
// a user's function, and in packs for the audit of graphs. A function is NaN where it has no value,
// or where the tables of its exponential end.

/// pi in the arithmetic of V.
template <class V>
struct PiOf {
  static V value() requires WideNumber<V> {
    const V two_doubles = V(0x1.921fb54442d18p+1) + V(0x1.1a62633145c07p-53);
    return two_doubles + V(-0x1.f1976b7ed8fbcp-109);
  }
};

/// Below this size a function whose series starts with x is x within 2^-161 of itself.
inline constexpr double kTinyOfTriple = 0x1p-160;

template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> select(
    const MaskOf<V>& m, const TripleDoubleOf<V>& a,
    const TripleDoubleOf<V>& b) requires(kLanesOf<V> > 1) {
  return {select(m, a.hi, b.hi), select(m, a.mid, b.mid), select(m, a.lo, b.lo)};
}

/// e^x - 1 for |x.hi| <= kExpRange, without cancellation: p (e^r - 1) + (p - 1), with a relative
/// error below 2^-148. With x = k ln2/64 + r, p = e^(x - r) and |r| < 2^-7.52:
///   2^-149.3  e^r - 1: of r^6/720 as a double-double 14 u^2, which is |r|^5/720 of |r|, 2^-149.3;
///             r itself, the products and the last sum, below 2^-153 (kTripleExpError)
/// k = 0: p is 1 and nothing else rounds. Otherwise |e^x - 1| > 0.0054, and relative to it:
///   2^-153.5  the table's number, 2^-161, times p/|e^x - 1| <= 187
///   2^-150.4  p - 1: one rounding of what lies below 2^-105, times 187
///   2^-153    the product, 40 u^3 of 1.01, and the last sum, 8 u^3 of 3
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

/// log(m), m = 1 + w, by one more step of Newton's iteration on e^y = m, from the y of
/// double-doubles. That is within 2^-95 of the logarithm L, so that for d = m e^-y - 1 the second
/// term of log(1 + d), d^2/2, is below 2^-191 |L|. The error is that of e^-y - 1, times 1.2
/// (log_double_double.h).
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> logarithm_near_one(const TripleDoubleOf<V>& m,
                                                                   const TripleDoubleOf<V>& w) {
  const DoubleDoubleOf<V> y = logarithm_near_one(m.high(), w.high());
  const TripleDoubleOf<V> d =
      plus(w, times(m, exponential_minus_one(TripleDoubleOf<V>{-y.hi, -y.lo, V(0)})));
  return select(abs(w.hi) < V(kTinyOfTriple), w,
                plus_small(TripleDoubleOf<V>{y.hi, y.lo, V(0)}, d));
}

template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> with_exponent(const V& exponent,
                                                              const TripleDoubleOf<V>& value) {
  const TripleDoubleOf<V> log_of_two{V(0x1.62e42fefa39efp-1), V(0x1.abc9e3b39803fp-56),
                                     V(0x1.7b57a079a1934p-111)};
  return plus(times(log_of_two, TripleDoubleOf<V>{exponent, V(0), V(0)}), value);
}

/// log(x) for x > 0; otherwise some number or none, without a trap.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> logarithm(const TripleDoubleOf<V>& x) {
  const ScaleToOne<V> scale = scale_to_one(x.hi);
  const TripleDoubleOf<V> m{scale.of(x.hi), scale.of(x.mid), scale.of(x.lo)};
  const TripleDoubleOf<V> w = plus(m, TripleDoubleOf<V>{V(-1), V(0), V(0)});
  return with_exponent(scale.exponent, logarithm_near_one(m, w));
}

/// log(1 + x) for x > -1, without cancellation near 0: where 1 + x is not scaled, w is x itself.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> logarithm_of_one_plus(const TripleDoubleOf<V>& x) {
  const TripleDoubleOf<V> whole = plus(x, TripleDoubleOf<V>{V(1), V(0), V(0)});
  const ScaleToOne<V> scale = scale_to_one(whole.hi);
  const TripleDoubleOf<V> m{scale.of(whole.hi), scale.of(whole.mid), scale.of(whole.lo)};
  const TripleDoubleOf<V> w =
      select(scale.exponent == V(0), x, plus(m, TripleDoubleOf<V>{V(-1), V(0), V(0)}));
  return with_exponent(scale.exponent, logarithm_near_one(m, w));
}

/// `value` where a function has a value; else, and of an infinite or undefined argument, NaN.
template <WideNumber T, class Mask>
[[gnu::always_inline]] inline T value_where(const Mask& has_value, const T& x, const T& value) {
  using V = decltype(x.hi);
  return select(MaskOf<T>(has_value & is_finite(x.hi)), value,
                T(V(std::numeric_limits<double>::quiet_NaN())));
}

/// e^x - 1; -1 below -690.
template <WideNumber T>
[[gnu::always_inline]] inline T expm1(const T& x) {
  using V = decltype(x.hi);
  const T value = exponential_minus_one(x.value());
  const MaskOf<T> saturated = x.hi < V(-kExpRange);
  return value_where(MaskOf<T>(x.hi <= V(kExpRange)), x, T(select(saturated, T(V(-1)), value)));
}
template <WideNumber T>
[[gnu::always_inline]] inline T log1p(const T& x) {
  using V = decltype(x.hi);
  return value_where(MaskOf<T>(T(V(-1)) < x), x, T(logarithm_of_one_plus(x.value())));
}
template <WideNumber T>
[[gnu::always_inline]] inline T log(const T& x) {
  using V = decltype(x.hi);
  return value_where(MaskOf<T>(x.hi > V(0)), x, T(logarithm(x.value())));
}
template <WideNumber T>
[[gnu::always_inline]] inline T tanh(const T& x) {
  return value_where(MaskOf<T>(x.hi == x.hi), x, T(hyperbolic_tangent(x.value())));
}

template <class V>
[[gnu::always_inline]] inline DoubledOf<V> erf(const DoubledOf<V>& x) {
  const DoubledOf<V> value = error_function(x.value());
  return {select(x.hi == x.hi, value.hi, x.hi), select(x.hi == x.hi, value.lo, x.hi)};
}

/// erf(x) = 2/sqrt(pi) e^(-x^2) (x + 2x^3/3 + 4x^5/15 + ...), whose terms have one sign. Beyond 12
/// the result is 1, as 1 - erf(12) < 2^-212.
inline TripledOf<double> erf(const TripledOf<double>& x) {
  using V = TripledOf<double>;
  if (__builtin_isnan(x.hi)) return x;
  if (abs(x.hi) > 12) return V(x.hi > 0 ? 1.0 : -1.0);
  const V square = x * x;
  V term = x;
  V sum = x;
  for (int n = 1; abs(term.hi) > 0x1p-170 * abs(sum.hi); ++n) {
    term = term * (V(2.0) * square) / V(2 * n + 1);
    sum = sum + term;
  }
  return V(2.0) / sqrt(PiOf<V>::value()) * exp(-square) * sum;
}

/// sin(x + quarters pi/2): Taylor's series around the nearest multiple of pi/2. An argument far
/// from 0 loses as many digits as it has before the point.
template <WideNumber V>
V sine_of(const V& x, int quarters) {
  if (!__builtin_isfinite(x.hi)) return V(std::numeric_limits<double>::quiet_NaN());
  const double k = std::nearbyint(x.hi * 0x1.45f306dc9c883p-1);
  const V r = x - V(k) * (PiOf<V>::value() * V(0.5));
  const int turn = (static_cast<int>(std::fmod(k, 4)) + quarters + 8) % 4;
  const V square = r * r;
  V term = turn % 2 == 0 ? r : V(1.0);
  V sum = term;
  for (int n = turn % 2 == 0 ? 2 : 1; abs(term.hi) > 0x1p-170 * abs(sum.hi); n += 2) {
    term = -(term * square) / V(n * (n + 1));
    sum = sum + term;
  }
  return turn < 2 ? sum : -sum;
}
template <WideNumber V>
V sin(const V& x) {
  return sine_of(x, 0);
}
template <WideNumber V>
V cos(const V& x) {
  return sine_of(x, 1);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
