// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_triple_double.h"
#include "oracles/arithmetic/wide_number.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A triple-double, for the same use as DoubledOf. It has about 46 digits (kTripledErrors). V is
/// double or Pack. Usable as the T of Plain<T>.
template <class V>
struct TripledOf {
  V hi = 0;
  V mid = 0;
  V lo = 0;

  TripledOf() = default;
  explicit TripledOf(V value) : hi(value), mid(0), lo(0) {}
  TripledOf(V high, V middle, V low) : hi(high), mid(middle), lo(low) {}
  TripledOf(const TripleDoubleOf<V>& v) : hi(v.hi), mid(v.mid), lo(v.lo) {}  // NOLINT: the same

  TripleDoubleOf<V> value() const { return {hi, mid, lo}; }

  [[gnu::always_inline]] TripledOf operator-() const { return {-hi, -mid, -lo}; }
  [[gnu::always_inline]] TripledOf& operator+=(const TripledOf& o) { return *this = *this + o; }
};

/// Derived in triple_double.h and exp_triple_double.h.
inline constexpr WideErrors kTripledErrors{
    .unit = kUnit * kUnit * kUnit,
    .sum = 8,
    .product = 40,
    .quotient = 72,
    .quotient_by_double = 16,
    .root = 24,
    .exponential = kTripleExpError / (kUnit * kUnit * kUnit)};

template <class V>
struct LanesOf<TripledOf<V>> : LanesOf<V> {};
template <class V>
inline constexpr bool kIsWide<TripledOf<V>> = true;

template <class V>
[[gnu::always_inline]] inline TripledOf<V> select(const MaskOf<V>& m, const TripledOf<V>& a,
                                                  const TripledOf<V>& b) requires(kLanesOf<V> > 1) {
  return {select(m, a.hi, b.hi), select(m, a.mid, b.mid), select(m, a.lo, b.lo)};
}
template <int kApart, class V>
[[gnu::always_inline]] inline TripledOf<V> exchanged(const TripledOf<V>& a) {
  return {exchanged<kApart>(a.hi), exchanged<kApart>(a.mid), exchanged<kApart>(a.lo)};
}
template <class V>
[[gnu::always_inline]] inline TripledOf<double> lane(const TripledOf<V>& a, int i) {
  return {lane(a.hi, i), lane(a.mid, i), lane(a.lo, i)};
}

template <class V>
[[gnu::always_inline]] inline TripledOf<V> operator+(const TripledOf<V>& a, const TripledOf<V>& b) {
  return plus(a.value(), b.value());
}
template <class V>
[[gnu::always_inline]] inline TripledOf<V> operator-(const TripledOf<V>& a, const TripledOf<V>& b) {
  return plus(a.value(), (-b).value());
}
template <class V>
[[gnu::always_inline]] inline TripledOf<V> operator*(const TripledOf<V>& a, const TripledOf<V>& b) {
  return times(a.value(), b.value());
}
template <class V>
[[gnu::always_inline]] inline TripledOf<V> operator/(const TripledOf<V>& a, const TripledOf<V>& b) {
  return over(a.value(), b.value());
}
template <class V>
[[gnu::always_inline]] inline TripledOf<V> operator/(const TripledOf<V>& a,
                                                     std::type_identity_t<V> b) {
  return over(a.value(), b);
}

/// Compares hi; where these are equal, the sums of the lower parts.
template <class V>
[[gnu::always_inline]] inline MaskOf<V> operator<(const TripledOf<V>& a, const TripledOf<V>& b) {
  return select(a.hi == b.hi, select(a.mid == b.mid, a.lo < b.lo, a.mid < b.mid), a.hi < b.hi);
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> operator>=(const TripledOf<V>& a, const TripledOf<V>& b) {
  return select(a.hi == b.hi, select(a.mid == b.mid, a.lo >= b.lo, a.mid >= b.mid), a.hi >= b.hi);
}

/// sqrt(x); 0 for x = 0.
template <class V>
[[gnu::always_inline]] inline TripledOf<V> sqrt(const TripledOf<V>& a) {
  const TripledOf<V> value = root(a.value());
  const MaskOf<V> nothing = a.hi == V(0);
  return {select(nothing, V(0), value.hi), select(nothing, V(0), value.mid),
          select(nothing, V(0), value.lo)};
}

/// exp(x); where the tables end, 0 below -690 and NaN above 690, never a wrong number.
template <class V>
[[gnu::always_inline]] inline TripledOf<V> exp(const TripledOf<V>& a) {
  const MaskOf<V> in_range = abs(a.hi) <= V(kExpRange);
  const TripledOf<V> value = exponential(a.value());
  return {select(in_range, value.hi, beyond_exp(a.hi)), select(in_range, value.mid, V(0)),
          select(in_range, value.lo, V(0))};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
