// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/arithmetic/certified_functions.h"
#include "oracles/arithmetic/dual.h"
#include "oracles/arithmetic/exp_double.h"
#include "oracles/arithmetic/logistic.h"
#include "oracles/graph/functions/constants.h"

/// The closed set of functions that stages are written in, in each arithmetic that computes a
/// value: exp log1p tanh erf log sqrt sin cos logistic, max min, and a choice by sign. Each
/// arithmetic has the same names as members, so that a stage's text is the same in all of them. V
/// is double, or Pack for several numbers at once.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Numbers without a radius: estimates in double (50 digits: functions/real_functions.h).
template <class V>
struct PlainFunctions {
  using Scalar = V;

  static V constant(Constant name) { return V(constant_ball(name).hi); }
  /// e^x within some units in the last place; infinite beyond the largest double.
  static V exp(const V& x) {
    const V small = exp_of_negative(V(-abs(x)));
    return select(x > V(0), V(1 / small), small);
  }
  static Logistic<V> logistic(const V& x) {
    const V t = exp_of_negative(V(-abs(x)));
    const V large = 1 / (1 + t);
    const V small = t / (1 + t);
    const MaskOf<V> positive = x > V(0);
    return {select(positive, large, small), select(positive, small, large)};
  }
  static V log(const V& x) {
    return lanewise(x, [](double v) { return std::log(v); });
  }
  static V log1p(const V& x) {
    return lanewise(x, [](double v) { return std::log1p(v); });
  }
  static V tanh(const V& x) {
    return lanewise(x, [](double v) { return std::tanh(v); });
  }
  static V erf(const V& x) {
    return lanewise(x, [](double v) { return std::erf(v); });
  }
  static V sin(const V& x) {
    return lanewise(x, [](double v) { return std::sin(v); });
  }
  static V cos(const V& x) {
    return lanewise(x, [](double v) { return std::cos(v); });
  }
  static V sqrt(const V& x) { return gradproof::sqrt(x); }
  /// a where x > 0 or x is NaN, else b.
  static V where_positive(const V& x, const V& a, const V& b) { return select(x <= V(0), b, a); }
  /// max and min are NaN where a or b is NaN.
  static V max(const V& a, const V& b) { return select(is_nan(a) | (a > b), a, b); }
  static V min(const V& a, const V& b) { return select(is_nan(a) | (a < b), a, b); }
  /// A number that lies anywhere between two: their middle.
  static V between(const V& a, const V& b) { return (a + b) * V(0.5); }
  /// A number that was rounded to the storage type on the way: no rounding in a truth.
  static V stored(const V& x) { return x; }
};

/// A number and its derivative, in which f' is evaluated to get f''.
template <class V>
struct DualFunctionsOf {
  using Scalar = Dual<V>;
  using T = Scalar;
  using Plain = PlainFunctions<V>;

  static T constant(Constant name) { return T(Plain::constant(name), V(0)); }
  static T chain(const T& x, const V& value, const V& slope) { return {value, slope * x.d}; }
  static T exp(const T& x) {
    const V e = Plain::exp(x.v);
    return chain(x, e, e);
  }
  static Logistic<T> logistic(const T& x) { return logistic(x, Plain::logistic(x.v), false); }
  /// The logistic from the logistic l of x.v.
  static Logistic<T> logistic(const T& x, const Logistic<V>& l, bool) {
    return {chain(x, l.s, l.s * l.q), chain(x, l.q, -(l.s * l.q))};
  }
  static T log(const T& x) { return chain(x, Plain::log(x.v), 1 / x.v); }
  static T log1p(const T& x) { return chain(x, Plain::log1p(x.v), 1 / (1 + x.v)); }
  static T tanh(const T& x) {
    const V t = Plain::tanh(x.v);
    return chain(x, t, 1 - t * t);
  }
  static T erf(const T& x) { return chain(x, Plain::erf(x.v), kErfSlope * Plain::exp(-x.v * x.v)); }
  static T sin(const T& x) { return chain(x, Plain::sin(x.v), Plain::cos(x.v)); }
  static T cos(const T& x) { return chain(x, Plain::cos(x.v), -Plain::sin(x.v)); }
  static T sqrt(const T& x) {
    const V root = gradproof::sqrt(x.v);
    return chain(x, root, 0.5 / root);
  }
  static T where_positive(const T& x, const T& a, const T& b) { return chosen(x.v <= V(0), b, a); }
  static T max(const T& a, const T& b) { return chosen(a.v > b.v, a, b); }
  static T min(const T& a, const T& b) { return chosen(a.v < b.v, a, b); }
  static T stored(const T& x) { return x; }

 private:
  static T chosen(const MaskOf<V>& m, const T& a, const T& b) {
    return {select(m, a.v, b.v), select(m, a.d, b.d)};
  }
};

/// Double-double with a certified radius, by the functions of oracles/arithmetic.
template <class V>
struct CertifiedFunctionsOf {
  using Scalar = CertifiedOf<V>;
  using T = Scalar;

  static T constant(Constant name) {
    const Ball& ball = constant_ball(name);
    return {V(ball.hi), V(ball.lo), V(ball.radius)};
  }
  static T exp(const T& x) { return gradproof::exp(x); }
  static Logistic<T> logistic(const T& x) { return gradproof::logistic(x); }
  static T sqrt(const T& x) { return gradproof::sqrt(x); }
  static T tanh(const T& x) { return gradproof::tanh(x); }
  static T erf(const T& x) { return gradproof::erf(x); }
  static T sin(const T& x) { return gradproof::sin(x); }
  static T cos(const T& x) { return gradproof::cos(x); }
  static T log(const T& x) { return gradproof::log(x); }
  static T log1p(const T& x) { return gradproof::log1p(x); }

  static T where_positive(const T& x, const T& a, const T& b) {
    const T chosen = select_certified(x.hi > V(0), a, b);
    const MaskOf<V> sure = (abs(x.hi) * kDownward > x.radius) | (x.radius == V(0));
    const V apart = abs(a.hi - b.hi) * kUpward;
    T r = chosen;
    r.radius = select(sure, r.radius, V((apart + max(a.radius, b.radius)) * kUpward));
    return select_certified(x.decided(), r, unknown());
  }
  /// |max(a + da, b + db) - max(a, b)| <= max(|da|, |db|); if it is sure which is larger, the
  /// radius is that number's own: a large radius would take a small number's digits.
  static T max(const T& a, const T& b) {
    T r = select_certified(a < b, b, a);
    const MaskOf<V> sure = abs(a.hi - b.hi) * kDownward > (a.radius + b.radius) * kUpward;
    r.radius = select(sure, r.radius, max(a.radius, b.radius));
    return select_certified(a.decided() & b.decided(), r, unknown());
  }
  static T min(const T& a, const T& b) { return -max(-a, -b); }
  static T between(const T& a, const T& b) { return (a + b) * V(0.5); }
  static T stored(const T& x) { return x; }

 private:
  static V max(const V& a, const V& b) { return gradproof::max(a, b); }
  static T unknown() { return {V(0), V(0), V(T::kUndecided)}; }

  static T select_certified(const MaskOf<V>& m, const T& a, const T& b) {
    return {select(m, a.hi, b.hi), select(m, a.lo, b.lo), select(m, a.radius, b.radius)};
  }
};

using DualFunctions = DualFunctionsOf<double>;
using CertifiedFunctions = CertifiedFunctionsOf<double>;

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
