// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/erf_double_double.h"
#include "oracles/arithmetic/log_double_double.h"
#include "oracles/arithmetic/sine_double_double.h"

/// Functions of certified numbers beyond certified.h. Each radius is the function's own error plus
/// the argument's radius times the largest slope on the ball. If the argument is exact, all but erf
/// have a relative error, however small it is.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The value with the radius `spread` plus its relative error. Below 2^-900, where their product
/// may underflow and the radius lose a part below eta, one eta is added unless all is 0.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> certified_within(const DoubleDoubleOf<V>& value,
                                                              const V& spread, double relative) {
  const V size = abs(value.hi);
  const V all = size + spread;
  const V least = select((all > V(0)) & (all < V(0x1p-900)), V(0x1p-1074), V(0));
  return certified<V>(value, (spread + relative * size) + least);
}

/// The slope e^a is computed as 1 + the value; 2^-50 covers its roundings where the two cancel.
/// Below -690 the value lies within e^-689 < 2^-994 of -1.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> expm1(const CertifiedOf<V>& a) {
  constexpr double kUndecided = CertifiedOf<V>::kUndecided;
  const MaskOf<V> in_range = abs(a.hi) <= V(kExpRange);
  const DoubleDoubleOf<V> value = exponential_minus_one(a.value());
  const V slope = (1 + value.hi) + 0x1p-50;
  const V spread = select(a.radius <= V(1), V(slope * (a.radius * (1 + a.radius))), V(kUndecided));
  const CertifiedOf<V> inside = certified_within(value, spread, kExpm1Error);
  const V outside = select((a.hi < V(0)) & (a.radius <= V(1)), V(kUnderflow), V(kUndecided));
  return select(in_range, inside, CertifiedOf<V>(V(-1), V(0), outside));
}

/// The slope is at most 1.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> tanh(const CertifiedOf<V>& a) {
  return certified_within(hyperbolic_tangent(a.value()), a.radius, kTanhError);
}

template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> erf(const CertifiedOf<V>& a) {
  const DoubleDoubleOf<V> value = error_function(a.value());
  return certified<V>(value, kErfSlope * a.radius + kErfError * abs(value.hi) + kUnderflow);
}

/// The slope is at most 1. Beyond kSineRange the result is undecided.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> of_period(const CertifiedOf<V>& a,
                                                       const DoubleDoubleOf<V>& value) {
  const V size = abs(a.hi);
  const V reduced = select(size < V(kUnreduced), V(0), V(kReductionError));
  const V spread =
      select(size <= V(kSineRange), V(a.radius + reduced), V(CertifiedOf<V>::kUndecided));
  return certified_within(value, spread, kSineError);
}
template <class V>
CertifiedOf<V> sin(const CertifiedOf<V>& a) {
  return of_period(a, sine_and_cosine(a.value()).sine);
}
template <class V>
CertifiedOf<V> cos(const CertifiedOf<V>& a) {
  return of_period(a, sine_and_cosine(a.value()).cosine);
}

/// |log(a + da) - log(a)| <= |da|/(a - |da|). The result is undecided unless the ball is positive.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> log(const CertifiedOf<V>& a) {
  const V least = a.hi * kDownward - a.radius;
  const V spread = select(least > V(0), V(a.radius / least), V(CertifiedOf<V>::kUndecided));
  return certified_within(logarithm(a.value()), spread, kLogError);
}

/// The bound of log at 1 + a: the sum's upper part bounds it from below; near -1 a's does not.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> log1p(const CertifiedOf<V>& a) {
  const V least = plus(a.value(), V(1)).hi * kDownward - a.radius;
  const V spread = select(least > V(0), V(a.radius / least), V(CertifiedOf<V>::kUndecided));
  return certified_within(logarithm_of_one_plus(a.value()), spread, kLogError);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
