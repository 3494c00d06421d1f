// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

namespace gradproof {

/// A number and its derivative along one direction: forward-mode differentiation by the rules of
/// + - * /, exp and sqrt alone (Wengert 1964).
template <class T>
struct Dual {
  T v{0};
  T d{0};

  Dual() = default;
  explicit Dual(double value) : v(value) {}
  Dual(const T& value, const T& derivative) : v(value), d(derivative) {}

  Dual operator-() const { return {-v, -d}; }
  Dual& operator+=(const Dual& o) { return *this = *this + o; }

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.d + b.d}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.v - b.v, a.d - b.d}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.v / b.v;
    return {quotient, (a.d - quotient * b.d) / b.v};
  }
  friend Dual operator/(const Dual& a, double b) { return {a.v / b, a.d / b}; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.v >= b.v; }

  friend Dual exp(const Dual& a) {
    using std::exp;
    const T e = exp(a.v);
    return {e, e * a.d};
  }
  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const T root = sqrt(a.v);
    return {root, a.d / (T(2) * root)};
  }
};

}  // namespace gradproof
