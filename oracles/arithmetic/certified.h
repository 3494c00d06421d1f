// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/exp_double_double.h"
#include "oracles/arithmetic/logistic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A real number that lies within `radius` of hi + lo. It has about 30 digits at a tenth of the
/// cost of Real. After an overflow, a division by a number that may be 0, or an argument outside a
/// function's domain, the radius is infinite: the value is not known, and hi and lo have no
/// meaning. V is double, or Pack for several numbers at once.
///
/// Usable as the T of Plain<T>. Comparisons compare hi + lo alone.
template <class V>
struct CertifiedOf {
  V hi = 0;
  V lo = 0;
  V radius = 0;

  CertifiedOf() = default;
  explicit CertifiedOf(V value)
      : hi(value), radius(select(is_finite(value), V(0), V(kUndecided))) {}
  CertifiedOf(V high, V low, V error) : hi(high), lo(low), radius(error) {}

  DoubleDoubleOf<V> value() const { return {hi, lo}; }
  MaskOf<V> decided() const { return radius < V(kUndecided); }

  [[gnu::always_inline]] CertifiedOf operator-() const { return {-hi, -lo, radius}; }
  [[gnu::always_inline]] CertifiedOf& operator+=(const CertifiedOf& o) { return *this = *this + o; }

  static constexpr double kUndecided = std::numeric_limits<double>::infinity();
};
using Certified = CertifiedOf<double>;

template <class V>
struct LanesOf<CertifiedOf<V>> : LanesOf<V> {};

template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> select(const MaskOf<V>& m, const CertifiedOf<V>& a,
                                                    const CertifiedOf<V>& b) requires(kLanesOf<V> >
                                                                                      1) {
  return {select(m, a.hi, b.hi), select(m, a.lo, b.lo), select(m, a.radius, b.radius)};
}
template <int kApart, class V>
[[gnu::always_inline]] inline CertifiedOf<V> exchanged(const CertifiedOf<V>& a) {
  return {exchanged<kApart>(a.hi), exchanged<kApart>(a.lo), exchanged<kApart>(a.radius)};
}
template <class V>
[[gnu::always_inline]] inline Certified lane(const CertifiedOf<V>& a, int i) {
  return {lane(a.hi, i), lane(a.lo, i), lane(a.radius, i)};
}

/// The radius is kept in double, to nearest. No formula below has more than 12 roundings or factors
/// 1 + u (for |hi + lo| <= (1 + u)|hi|) on the way to a term of the radius; this factor is 32 u.
inline constexpr double kUpward = 1 + 0x1p-48;
inline constexpr double kDownward = 1 - 0x1p-50;

/// A radius far above the underflow in the value or the radius, some eta, and far enough below
/// anything in float32, so that its products are still normal numbers, which are fast.
inline constexpr double kUnderflow = 0x1p-800;

inline constexpr double kUnitSquared = kUnit * kUnit;

/// An error that is infinite or NaN becomes infinite: `min` takes the second operand for a NaN.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> certified(const DoubleDoubleOf<V>& v, const V& error) {
  return {v.hi, v.lo, min(V(error * kUpward), V(CertifiedOf<V>::kUndecided))};
}

/// No kUnderflow in sums: value and error are whole multiples of eta, and so is the rounded term
/// 3 u^2 |sum|, which then is no smaller than an error that it bounds before rounding.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator+(const CertifiedOf<V>& a,
                                                       const CertifiedOf<V>& b) {
  const DoubleDoubleOf<V> sum = plus(a.value(), b.value());
  return certified<V>(sum, (a.radius + b.radius) + 3 * kUnitSquared * abs(sum.hi));
}

/// A sum with one number more; the first one is added to 0, which rounds nothing: a gradient of one
/// term has no radius beside a bound of 0.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> added_to_sum(const CertifiedOf<V>& sum,
                                                          const CertifiedOf<V>& more) {
  CertifiedOf<V> r = sum + more;
  r.radius = select(abs(sum.hi) + abs(sum.lo) + sum.radius == V(0), more.radius, r.radius);
  return r;
}

template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator+(const CertifiedOf<V>& a,
                                                       std::type_identity_t<V> b) {
  const DoubleDoubleOf<V> sum = plus(a.value(), b);
  return certified<V>(sum, a.radius + 2 * kUnitSquared * abs(sum.hi));
}

/// A sum with one number more, which is known exactly.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> added_to_sum(const CertifiedOf<V>& sum,
                                                          std::type_identity_t<V> more) {
  CertifiedOf<V> r = sum + more;
  r.radius = select(abs(sum.hi) + abs(sum.lo) + sum.radius == V(0), V(0), r.radius);
  return r;
}

template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator-(const CertifiedOf<V>& a,
                                                       const CertifiedOf<V>& b) {
  return a + -b;
}
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator-(const CertifiedOf<V>& a,
                                                       std::type_identity_t<V> b) {
  return a + -b;
}

/// A bound of the underflow in a product or quotient: 0 where an operand is exactly 0. Gradients
/// through max_pool or relu are mostly such zeros, and no bound of float64 is so wide that 0 +-
/// kUnderflow decides anything.
template <class V>
[[gnu::always_inline]] inline V underflow_of(const V& least_operand) {
  return select(least_operand > V(0), V(kUnderflow), V(0));
}

/// |(a + da)(b + db) - a b| <= |a||db| + |da|(|b| + |db|).
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator*(const CertifiedOf<V>& a,
                                                       const CertifiedOf<V>& b) {
  const DoubleDoubleOf<V> product = times(a.value(), b.value());
  const V largest_b = abs(b.hi) + b.radius;
  const V operands = abs(a.hi) * b.radius + a.radius * largest_b;
  const V underflow = underflow_of<V>(min(V(abs(a.hi) + a.radius), largest_b));
  return certified<V>(product, operands + 8 * kUnitSquared * abs(product.hi) + underflow);
}

template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator*(const CertifiedOf<V>& a,
                                                       std::type_identity_t<V> b) {
  const DoubleDoubleOf<V> product = times(a.value(), b);
  const V underflow = underflow_of<V>(min(V(abs(a.hi) + a.radius), abs(b)));
  return certified<V>(product, a.radius * abs(b) + 4 * kUnitSquared * abs(product.hi) + underflow);
}

/// (a + da)/(b + db) - a/b = (da - (a/b) db)/(b + db), and |b + db| >= |b| - |db| > 0.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator/(const CertifiedOf<V>& a,
                                                       const CertifiedOf<V>& b) {
  const DoubleDoubleOf<V> quotient = over(a.value(), b.value());
  const V size = abs(quotient.hi);
  const V least = abs(b.hi) * kDownward - b.radius;
  const V underflow = underflow_of<V>(abs(a.hi) + a.radius);
  const V operands = a.radius + (size + underflow) * b.radius + underflow;
  const V spread = select(least > V(0), V(operands / least), V(CertifiedOf<V>::kUndecided));
  return certified<V>(quotient, spread + 14 * kUnitSquared * size + underflow);
}

template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> operator/(const CertifiedOf<V>& a,
                                                       std::type_identity_t<V> b) {
  const DoubleDoubleOf<V> quotient = over(a.value(), b);
  const V underflow = underflow_of<V>(abs(a.hi) + a.radius);
  return certified<V>(
      quotient, (a.radius + underflow) / abs(b) + 6 * kUnitSquared * abs(quotient.hi) + underflow);
}

/// Compares hi; where these are equal, lo.
template <class V>
[[gnu::always_inline]] inline MaskOf<V> operator<(const CertifiedOf<V>& a,
                                                  const CertifiedOf<V>& b) {
  return select(a.hi == b.hi, a.lo < b.lo, a.hi < b.hi);
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> operator>=(const CertifiedOf<V>& a,
                                                   const CertifiedOf<V>& b) {
  return select(a.hi == b.hi, a.lo >= b.lo, a.hi >= b.hi);
}

/// |sqrt(a + da) - sqrt(a)| = |da|/(sqrt(a + da) + sqrt(a)) <= |da|/sqrt(a). Undecided unless all
/// of the ball is positive, so at 0 too.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> sqrt(const CertifiedOf<V>& a) {
  const DoubleDoubleOf<V> value = root(a.value());
  const V spread = select(a.radius < a.hi * kDownward, V((a.radius + kUnderflow) / value.hi),
                          V(CertifiedOf<V>::kUndecided));
  return certified<V>(value, spread + 6 * kUnitSquared * value.hi);
}

/// |e^(a + da) - e^a| <= e^a (e^|da| - 1) <= e^a |da| (1 + |da|) for |da| <= 1; beyond, and above
/// 690, undecided. If the whole ball lies below -689, the value lies between 0 and e^-689 < 2^-994,
/// far within kUnderflow, however large the radius of a number far below 0 is.
template <class V>
[[gnu::always_inline]] inline CertifiedOf<V> exp(const CertifiedOf<V>& a) {
  constexpr double kUndecided = CertifiedOf<V>::kUndecided;
  const MaskOf<V> in_range = abs(a.hi) <= V(kExpRange);
  const DoubleDoubleOf<V> value = exponential(a.value());
  const V relative =
      select(a.radius <= V(1), V(a.radius * (1 + a.radius) + kExpError), V(kUndecided));
  const CertifiedOf<V> inside = certified<V>(value, value.hi * relative + kUnderflow);
  const V outside = select(a.hi + a.radius <= V(-689), V(kUnderflow), V(kUndecided));
  return select(in_range, inside, CertifiedOf<V>(V(0), V(0), outside));
}

/// Both values come from one exponential, t = e^-|z|, and one division: 1/(1 + t), which is at
/// least 1/2, and t times that. Relative errors in u^2: 1 + t, 2; the quotient, 24; the product, 8.
/// An error dt of t moves both by |dt|/((1 + t)(1 + t + dt)) <= |dt|/(1 - |dt|) <= |dt| (1 + 2
/// |dt|) for |dt| <= 1/2; beyond, undecided.
template <class V>
[[gnu::always_inline]] inline Logistic<CertifiedOf<V>> logistic(const CertifiedOf<V>& z) {
  const MaskOf<V> positive = z.hi >= V(0);
  const CertifiedOf<V> t = exp(
      CertifiedOf<V>(select(positive, V(-z.hi), z.hi), select(positive, V(-z.lo), z.lo), z.radius));
  const V spread =
      select(t.radius <= V(0.5), V(t.radius * (1 + 2 * t.radius)), V(CertifiedOf<V>::kUndecided));
  const DoubleDoubleOf<V> large = quick_over({V(1), V(0)}, plus(t.value(), V(1)));
  const DoubleDoubleOf<V> small = times(t.value(), large);
  const DoubleDoubleOf<V> s{select(positive, large.hi, small.hi),
                            select(positive, large.lo, small.lo)};
  const DoubleDoubleOf<V> q{select(positive, small.hi, large.hi),
                            select(positive, small.lo, large.lo)};
  const auto rounded = [&](const DoubleDoubleOf<V>& v) __attribute__((always_inline)) {
    return certified<V>(v, (spread + 34 * kUnitSquared * v.hi) + kUnderflow);
  };
  return {rounded(s), rounded(q)};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
