// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/functions/steepness.h"
#include "oracles/graph/functions/truth_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// x Phi(x) (Hendrycks, Gimpel 2016, arXiv:1606.08415).
struct Gelu {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return x * T(0.5) * (T(1) + f.erf(T(x * f.constant(Constant::sqrt_half))));
  }
  /// Halved last, oneDNN's form on AVX-512 (jit_uni_eltwise_injector.cpp): the product overflows
  /// from half the largest number on.
  template <class F, class T>
  static T libtorch_value(const F& f, const T& x) {
    return x * (T(1) + f.erf(T(x * f.constant(Constant::sqrt_half)))) * T(0.5);
  }
  template <class F, class T>
  static T libtorch_result(const F& f, const T& result) {
    return f.gelu_result(result);
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const T cdf = T(0.5) * (T(1) + f.erf(T(x * f.constant(Constant::sqrt_half))));
    const T pdf = f.constant(Constant::normal_peak) * f.exp(T(x * x * T(-0.5)));
    return cdf + x * pdf;
  }
  /// f'' = phi(x) (2 - x^2), f''' = phi(x) (x^3 - 4 x).
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1.1290, 0.7979, 0.7788};
  }
};

struct GeluTanh {
  template <class F, class T>
  static T inner(const F& f, const T& x) {
    const T cube = x * x * x;
    return f.constant(Constant::sqrt_two_over_pi) * (x + f.constant(Constant::gelu_cubic) * cube);
  }
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return T(0.5) * x * (T(1) + f.tanh(inner(f, x)));
  }
  /// (1 + tanh(z))/2 is sigmoid(2 z), as code has it whose language has no tanh.
  template <class F, class T>
  static T libtorch_value(const F& f, const T& x) {
    return x * f.logistic(T(T(2) * inner(f, x))).s;
  }
  template <class F, class T>
  static T inner_slope(const F& f, const T& x) {
    return f.constant(Constant::sqrt_two_over_pi) *
           (T(1) + T(3) * f.constant(Constant::gelu_cubic) * (x * x));
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const T t = f.tanh(inner(f, x));
    return T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * inner_slope(f, x);
  }
  template <class F, class T>
  static T libtorch_derivative(const F& f, const T& x, const T&) {
    const auto l = f.logistic(T(T(2) * inner(f, x)));
    return l.s + x * ((l.s * (T(1) - l.s)) * (T(2) * inner_slope(f, x)));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1.1290, 0.7979, 0.7767};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
