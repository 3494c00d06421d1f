// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "oracles/arithmetic/logistic.h"
#include "oracles/functions/function_paths.h"
#include "oracles/functions/traced.h"
#include "oracles/graph/functions/constants.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Inside of a class that has a function of the name, argument-dependent lookup finds none.
namespace of_argument {
template <class T>
T exp_of(const T& x) {
  return exp(x);
}
template <class T>
T log_of(const T& x) {
  return log(x);
}
template <class T>
T log1p_of(const T& x) {
  return log1p(x);
}
template <class T>
T tanh_of(const T& x) {
  return tanh(x);
}
template <class T>
T erf_of(const T& x) {
  return erf(x);
}
template <class T>
T sin_of(const T& x) {
  return sin(x);
}
template <class T>
T cos_of(const T& x) {
  return cos(x);
}
template <class T>
T sqrt_of(const T& x) {
  return sqrt(x);
}
}  // namespace of_argument

/// The functions of oracles/graph/functions/truth_functions.h for the T of an audited function, a
/// Traced<V>: each comparison is recorded, so that the audit knows where a difference crosses a
/// kink.
template <class T>
struct TracedFunctions {
  using Scalar = T;
  using V = std::remove_cvref_t<decltype(std::declval<T>().value())>;

  static T constant(Constant name) {
    static const V pi = PiOf<V>::value();
    return T(constant_in<V>(name, pi));
  }
  static T exp(const T& x) { return of_argument::exp_of(x); }
  static Logistic<T> logistic(const T& x) {
    const bool positive = !(x <= T(0));
    const T t = exp(positive ? -x : x);
    const T large = T(1) / (T(1) + t);
    const T small = t / (T(1) + t);
    return {positive ? large : small, positive ? small : large};
  }
  static T log(const T& x) { return of_argument::log_of(x); }
  static T log1p(const T& x) { return of_argument::log1p_of(x); }
  static T tanh(const T& x) { return of_argument::tanh_of(x); }
  static T erf(const T& x) { return of_argument::erf_of(x); }
  static T sin(const T& x) { return of_argument::sin_of(x); }
  static T cos(const T& x) { return of_argument::cos_of(x); }
  static T sqrt(const T& x) { return of_argument::sqrt_of(x); }
  static T where_positive(const T& x, const T& a, const T& b) { return x <= T(0) ? b : a; }
  static T max(const T& a, const T& b) { return a < b ? b : a; }
  static T min(const T& a, const T& b) { return b < a ? b : a; }
  static T between(const T& a, const T& b) { return (a + b) * T(0.5); }
  static T stored(const T& x) { return x; }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
