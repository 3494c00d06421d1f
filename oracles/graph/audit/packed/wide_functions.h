// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/erf_double_double.h"
#include "oracles/arithmetic/log_double_double.h"
#include "oracles/arithmetic/sine_double_double.h"
#include "oracles/graph/functions/truth_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The functions of truth_functions.h for double-doubles without a radius, in which the audit takes
/// differences. V is double or Pack. A function has a relative error of 2^-96 at most, and NaN
/// where it has no value, or where the tables of its exponential end.
template <class V>
struct WideFunctionsOf {
  using Scalar = DoubledOf<V>;
  using T = Scalar;

  static T constant(Constant name) {
    const Ball& ball = constant_ball(name);
    return {V(ball.hi), V(ball.lo)};
  }
  static T exp(const T& x) { return gradproof::exp(x); }
  static Logistic<T> logistic(const T& x) {
    const T t = exp(select(x.hi > V(0), -x, x));
    const T whole = T(V(1)) + t;
    const T large = T(V(1)) / whole;
    const T small = t / whole;
    const MaskOf<V> positive = x.hi > V(0);
    return {select(positive, large, small), select(positive, small, large)};
  }
  static T log(const T& x) { return where(x.hi > V(0), x, logarithm(x.value())); }
  static T log1p(const T& x) { return where(x.hi > V(-1), x, logarithm_of_one_plus(x.value())); }
  static T tanh(const T& x) { return where(x.hi == x.hi, x, hyperbolic_tangent(x.value())); }
  static T erf(const T& x) { return where(x.hi == x.hi, x, error_function(x.value())); }
  static T sin(const T& x) { return where(in_range(x), x, sine_and_cosine(x.value()).sine); }
  static T cos(const T& x) { return where(in_range(x), x, sine_and_cosine(x.value()).cosine); }
  static T sqrt(const T& x) { return gradproof::sqrt(x); }
  /// a where x > 0 or x is NaN, else b.
  static T where_positive(const T& x, const T& a, const T& b) { return select(x.hi <= V(0), b, a); }
  static T max(const T& a, const T& b) { return select(a < b, b, a); }
  static T min(const T& a, const T& b) { return select(b < a, b, a); }
  static T between(const T& a, const T& b) { return (a + b) * T(V(0.5)); }
  static T stored(const T& x) { return x; }

 private:
  static MaskOf<V> in_range(const T& x) { return abs(x.hi) <= V(kSineRange); }
  /// The value where the function has one there; of an infinite or undefined argument NaN.
  static T where(const MaskOf<V>& has_value, const T& x, const T& value) {
    const T none(V(std::numeric_limits<double>::quiet_NaN()));
    return select(has_value & is_finite(x.hi), value, none);
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
