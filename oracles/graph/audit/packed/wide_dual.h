// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/audit/packed/wide_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A pack of wide numbers and their derivatives along one direction (Wengert 1964).
template <WideNumber N>
struct WideDual {
  using V = decltype(N::hi);

  N v{};
  N d{};

  WideDual() = default;
  explicit WideDual(V value) : v(value) {}
  WideDual(const N& value, const N& derivative) : v(value), d(derivative) {}

  WideDual operator-() const { return {-v, -d}; }
  WideDual& operator+=(const WideDual& o) { return *this = *this + o; }
  friend WideDual operator+(const WideDual& a, const WideDual& b) { return {a.v + b.v, a.d + b.d}; }
  friend WideDual operator-(const WideDual& a, const WideDual& b) { return {a.v - b.v, a.d - b.d}; }
  friend WideDual operator*(const WideDual& a, const WideDual& b) {
    return {a.v * b.v, a.v * b.d + a.d * b.v};
  }
  friend WideDual operator/(const WideDual& a, const WideDual& b) {
    const N quotient = a.v / b.v;
    return {quotient, (a.d - quotient * b.d) / b.v};
  }
  friend WideDual operator/(const WideDual& a, std::type_identity_t<V> b) {
    return {a.v / b, a.d / b};
  }
};

template <class N>
struct LanesOf<WideDual<N>> : LanesOf<N> {};

template <class N>
[[gnu::always_inline]] inline MaskOf<N> operator<(const WideDual<N>& a, const WideDual<N>& b) {
  return a.v < b.v;
}
template <class N>
[[gnu::always_inline]] inline WideDual<N> select(const MaskOf<N>& m, const WideDual<N>& a,
                                                 const WideDual<N>& b) {
  return {select(m, a.v, b.v), select(m, a.d, b.d)};
}
template <int kApart, class N>
[[gnu::always_inline]] inline WideDual<N> exchanged(const WideDual<N>& a) {
  return {exchanged<kApart>(a.v), exchanged<kApart>(a.d)};
}

/// The functions of truth_functions.h and their derivatives, by the rules of dual numbers.
template <WideNumber N>
struct WideDualFunctionsOf {
  using Scalar = WideDual<N>;
  using T = Scalar;
  using V = decltype(N::hi);
  using Value = WideFunctionsOf<N>;

  static T constant(Constant name) { return {Value::constant(name), N()}; }
  static T exp(const T& x) {
    const N e = Value::exp(x.v);
    return {e, e * x.d};
  }
  static Logistic<T> logistic(const T& x) {
    const Logistic<N> l = Value::logistic(x.v);
    const N slope = l.s * l.q * x.d;
    return {{l.s, slope}, {l.q, -slope}};
  }
  static T log(const T& x) { return {Value::log(x.v), x.d / x.v}; }
  static T log1p(const T& x) { return {Value::log1p(x.v), x.d / (N(V(1)) + x.v)}; }
  static T tanh(const T& x) {
    const N t = Value::tanh(x.v);
    return {t, (N(V(1)) - t * t) * x.d};
  }
  static T erf(const T& x) {
    const N slope = Value::constant(Constant::two_over_root_pi) * Value::exp(-(x.v * x.v));
    return {Value::erf(x.v), slope * x.d};
  }
  static T sin(const T& x) { return {Value::sin(x.v), Value::cos(x.v) * x.d}; }
  static T cos(const T& x) { return {Value::cos(x.v), -(Value::sin(x.v) * x.d)}; }
  static T sqrt(const T& x) {
    const N root = Value::sqrt(x.v);
    return {root, x.d / (root + root)};
  }
  // If both sides are equal, the derivatives decide: so the derivative at a kink is that of the
  // side that the direction leads to.
  static T where_positive(const T& x, const T& a, const T& b) {
    return select(x.v.hi < V(0), b, select(V(0) < x.v.hi, a, select(V(0) < x.d.hi, a, b)));
  }
  static T max(const T& a, const T& b) {
    return select(a.v < b.v, b, select(b.v < a.v, a, select(a.d < b.d, b, a)));
  }
  static T min(const T& a, const T& b) {
    return select(a.v < b.v, a, select(b.v < a.v, b, select(a.d < b.d, a, b)));
  }
  static T between(const T& a, const T& b) { return (a + b) * T(V(0.5)); }
  static T stored(const T& x) { return x; }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
