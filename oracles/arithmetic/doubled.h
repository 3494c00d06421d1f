// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_double_double.h"
#include "oracles/arithmetic/wide_number.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A double-double without a radius, for values whose differences are taken: the differences show
/// the effect of its roundings. It has about 31 digits (kDoubledErrors). V is double or Pack.
/// Usable as the T of Plain<T>.
template <class V>
struct DoubledOf {
  V hi = 0;
  V lo = 0;

  DoubledOf() = default;
  explicit DoubledOf(V value) : hi(value), lo(0) {}
  DoubledOf(V high, V low) : hi(high), lo(low) {}
  DoubledOf(const DoubleDoubleOf<V>& v) : hi(v.hi), lo(v.lo) {}  // NOLINT: the same number

  DoubleDoubleOf<V> value() const { return {hi, lo}; }

  [[gnu::always_inline]] DoubledOf operator-() const { return {-hi, -lo}; }
  [[gnu::always_inline]] DoubledOf& operator+=(const DoubledOf& o) { return *this = *this + o; }
};

/// Derived in quick_double_double.h, double_double.h and exp_double_double.h.
inline constexpr WideErrors kDoubledErrors{.unit = kUnit * kUnit,
                                           .sum = 4,
                                           .product = 8,
                                           .quotient = 24,
                                           .quotient_by_double = 12,
                                           .root = 6,
                                           .exponential = kExpError / (kUnit * kUnit)};

template <class V>
struct LanesOf<DoubledOf<V>> : LanesOf<V> {};
template <class V>
inline constexpr bool kIsWide<DoubledOf<V>> = true;

template <class V>
[[gnu::always_inline]] inline DoubledOf<V> select(const MaskOf<V>& m, const DoubledOf<V>& a,
                                                  const DoubledOf<V>& b) requires(kLanesOf<V> > 1) {
  return {select(m, a.hi, b.hi), select(m, a.lo, b.lo)};
}
template <int kApart, class V>
[[gnu::always_inline]] inline DoubledOf<V> exchanged(const DoubledOf<V>& a) {
  return {exchanged<kApart>(a.hi), exchanged<kApart>(a.lo)};
}
template <class V>
[[gnu::always_inline]] inline DoubledOf<double> lane(const DoubledOf<V>& a, int i) {
  return {lane(a.hi, i), lane(a.lo, i)};
}

template <class V>
[[gnu::always_inline]] inline DoubledOf<V> operator+(const DoubledOf<V>& a, const DoubledOf<V>& b) {
  return quick_plus(a.value(), b.value());
}
template <class V>
[[gnu::always_inline]] inline DoubledOf<V> operator-(const DoubledOf<V>& a, const DoubledOf<V>& b) {
  return quick_plus(a.value(), (-b).value());
}
template <class V>
[[gnu::always_inline]] inline DoubledOf<V> operator*(const DoubledOf<V>& a, const DoubledOf<V>& b) {
  return quick_times(a.value(), b.value());
}
template <class V>
[[gnu::always_inline]] inline DoubledOf<V> operator/(const DoubledOf<V>& a, const DoubledOf<V>& b) {
  return quick_over(a.value(), b.value());
}
template <class V>
[[gnu::always_inline]] inline DoubledOf<V> operator/(const DoubledOf<V>& a,
                                                     std::type_identity_t<V> b) {
  return quick_over(a.value(), b);
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> operator<(const DoubledOf<V>& a, const DoubledOf<V>& b) {
  return select(a.hi == b.hi, a.lo < b.lo, a.hi < b.hi);
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> operator>=(const DoubledOf<V>& a, const DoubledOf<V>& b) {
  return select(a.hi == b.hi, a.lo >= b.lo, a.hi >= b.hi);
}

/// sqrt(x); 0 for x = 0.
template <class V>
[[gnu::always_inline]] inline DoubledOf<V> sqrt(const DoubledOf<V>& a) {
  const DoubleDoubleOf<V> value = root(a.value());
  return {select(a.hi == V(0), V(0), value.hi), select(a.hi == V(0), V(0), value.lo)};
}

/// exp(x); where the tables end, 0 below -690 and NaN above 690, never a wrong number.
template <class V>
[[gnu::always_inline]] inline DoubledOf<V> exp(const DoubledOf<V>& a) {
  const MaskOf<V> in_range = abs(a.hi) <= V(kExpRange);
  const DoubleDoubleOf<V> value = exponential(a.value());
  return {select(in_range, value.hi, beyond_exp(a.hi)), select(in_range, value.lo, V(0))};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
