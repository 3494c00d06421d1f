// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include <boost/math/constants/constants.hpp>

#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/dual.h"
#include "oracles/arithmetic/real.h"

/// The closed set of functions that stages are written in, in each arithmetic that computes a
/// value: exp log1p tanh erf log sqrt, max min, and a choice by sign. Each arithmetic has the same
/// names as members, so that a stage's text is the same in all of them.
namespace gradproof {

/// Irrational and decimal numbers that formulas have.
enum class Constant {
  sqrt_half,         ///< sqrt(1/2)
  normal_peak,       ///< 1/sqrt(2 pi), of the normal density
  sqrt_two_over_pi,  ///< sqrt(2/pi)
  gelu_cubic         ///< the float64 number nearest to 0.044715
};

inline Real real_constant(Constant name) {
  using boost::multiprecision::sqrt;
  const Real pi = boost::math::constants::pi<Real>();
  switch (name) {
    case Constant::sqrt_half:
      return sqrt(Real(0.5));
    case Constant::normal_peak:
      return 1 / sqrt(2 * pi);
    case Constant::sqrt_two_over_pi:
      return sqrt(2 / pi);
    case Constant::gelu_cubic:
      return Real(0.044715);
  }
  return Real(0);
}

/// The same within 2^-105.
inline Certified certified_constant(Constant name) {
  const Real value = real_constant(name);
  const double hi = value.convert_to<double>();
  return {hi, Real(value - Real(hi)).convert_to<double>(), 0x1p-105 * hi};
}

/// 2/sqrt(pi), the slope of erf at 0.
inline constexpr double kErfSlope = 0x1.20dd750429b6dp+0;

/// Numbers without a radius: 50 digits, double for estimates.
template <class T>
struct PlainFunctions {
  using Scalar = T;

  static T constant(Constant name) {
    if constexpr (std::is_same_v<T, Real>)
      return real_constant(name);
    else
      return static_cast<T>(real_constant(name));
  }
  static T exp(const T& x) {
    using std::exp;
    return exp(x);
  }
  static T log(const T& x) {
    using std::log;
    return log(x);
  }
  static T log1p(const T& x) {
    using std::log1p;
    return log1p(x);
  }
  static T tanh(const T& x) {
    using std::tanh;
    return tanh(x);
  }
  static T erf(const T& x) {
    using std::erf;
    return erf(x);
  }
  static T sqrt(const T& x) {
    using std::sqrt;
    return sqrt(x);
  }
  /// a where x > 0 or x is NaN, else b.
  static T where_positive(const T& x, const T& a, const T& b) { return x <= T(0) ? b : a; }
  /// NaN where either is.
  static T max(const T& a, const T& b) { return a != a || a > b ? a : b; }
  static T min(const T& a, const T& b) { return a != a || a < b ? a : b; }
  /// A number that lies anywhere between two: their middle.
  static T between(const T& a, const T& b) { return (a + b) * T(0.5); }
  /// A number that was rounded to the storage type on the way: no rounding in a truth.
  static T stored(const T& x) { return x; }
};

/// A number and its derivative: what f'' is taken from in f'.
struct DualFunctions {
  using Scalar = Dual<double>;
  using T = Scalar;

  static T constant(Constant name) { return T(PlainFunctions<double>::constant(name)); }
  static T chain(const T& x, double value, double slope) { return {value, slope * x.d}; }
  static T exp(const T& x) { return chain(x, std::exp(x.v), std::exp(x.v)); }
  static T log(const T& x) { return chain(x, std::log(x.v), 1 / x.v); }
  static T log1p(const T& x) { return chain(x, std::log1p(x.v), 1 / (1 + x.v)); }
  static T tanh(const T& x) {
    const double t = std::tanh(x.v);
    return chain(x, t, 1 - t * t);
  }
  static T erf(const T& x) { return chain(x, std::erf(x.v), kErfSlope * std::exp(-x.v * x.v)); }
  static T sqrt(const T& x) { return chain(x, std::sqrt(x.v), 0.5 / std::sqrt(x.v)); }
  static T where_positive(const T& x, const T& a, const T& b) { return x.v <= 0 ? b : a; }
  static T max(const T& a, const T& b) { return a.v > b.v ? a : b; }
  static T min(const T& a, const T& b) { return a.v < b.v ? a : b; }
  static T stored(const T& x) { return x; }
};

/// Double-double with a certified radius. exp is its own (oracles/arithmetic); the others take 50
/// digits and round once, with the radius that the argument's own makes by the function's slope.
struct CertifiedFunctions {
  using Scalar = Certified;
  using T = Certified;

  static T constant(Constant name) {
    static const T all[] = {
        certified_constant(Constant::sqrt_half), certified_constant(Constant::normal_peak),
        certified_constant(Constant::sqrt_two_over_pi), certified_constant(Constant::gelu_cubic)};
    return all[static_cast<int>(name)];
  }
  static T exp(const T& x) { return gradproof::exp(x); }
  static T sqrt(const T& x) { return gradproof::sqrt(x); }
  static T tanh(const T& x) {
    return of(
        x, [](const Real& v) { return Real(boost::multiprecision::tanh(v)); }, 1);
  }
  static T erf(const T& x) {
    return of(
        x, [](const Real& v) { return Real(boost::multiprecision::erf(v)); }, kErfSlope);
  }
  /// The slope 1/x is at most 1/(x - radius).
  static T log(const T& x) {
    const double least = x.hi * kDownward - x.radius;
    if (!(least > 0)) return unknown();
    return of(
        x, [](const Real& v) { return Real(boost::multiprecision::log(v)); }, 1 / least);
  }
  static T log1p(const T& x) {
    const double least = (1 + x.hi) * kDownward - x.radius;
    if (!(least > 0)) return unknown();
    return of(
        x, [](const Real& v) { return Real(boost::multiprecision::log1p(v)); }, 1 / least);
  }

  static T where_positive(const T& x, const T& a, const T& b) {
    if (!x.decided()) return unknown();
    const T& chosen = x.hi > 0 ? a : b;
    if (std::abs(x.hi) * kDownward > x.radius || x.radius == 0) return chosen;
    const double apart = std::abs(a.hi - b.hi) * kUpward;
    return {chosen.hi, chosen.lo, (apart + std::max(a.radius, b.radius)) * kUpward};
  }
  /// |max(a + da, b + db) - max(a, b)| <= max(|da|, |db|); where it is sure which is larger, that
  /// one's own radius: beside a large number's the smaller one would lose its digits.
  static T max(const T& a, const T& b) {
    if (!a.decided() || !b.decided()) return unknown();
    const T& chosen = a < b ? b : a;
    if (std::abs(a.hi - b.hi) * kDownward > (a.radius + b.radius) * kUpward) return chosen;
    return {chosen.hi, chosen.lo, std::max(a.radius, b.radius)};
  }
  static T min(const T& a, const T& b) { return -max(-a, -b); }
  static T between(const T& a, const T& b) { return (a + b) * 0.5; }
  static T stored(const T& x) { return x; }

 private:
  static T unknown() { return {0.0, 0.0, Certified::kUndecided}; }

  template <class Function>
  static T of(const T& x, const Function& function, double slope) {
    if (!x.decided()) return unknown();
    const Real value = function(Real(x.hi) + Real(x.lo));
    const double hi = value.convert_to<double>();
    if (!std::isfinite(hi)) return unknown();
    const double lo = Real(value - Real(hi)).convert_to<double>();
    const double rounding = 0x1p-105 * std::abs(hi) + kUnderflow;
    return {hi, lo, (slope * x.radius + rounding) * kUpward};
  }
};

}  // namespace gradproof
