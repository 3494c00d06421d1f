// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/erf_double_double.h"
#include "oracles/arithmetic/log_triple_double.h"
#include "oracles/arithmetic/tripled.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

// Functions beyond + - * /, exp and sqrt, of double-doubles and triple-doubles: for the scalars of
// a user's function, and in packs for the audit of graphs. A function is NaN where it has no value,
// or where the tables of its exponential end.

/// The number of doubles that a V consists of.
template <WideNumber V>
inline constexpr int kDoubles = static_cast<int>(sizeof(V) / sizeof(double));

/// pi in the arithmetic of V.
template <class V>
struct PiOf {
  static V value() requires WideNumber<V> {
    const V two_doubles = V(0x1.921fb54442d18p+1) + V(0x1.1a62633145c07p-53);
    return two_doubles + V(-0x1.f1976b7ed8fbcp-109);
  }
};

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
