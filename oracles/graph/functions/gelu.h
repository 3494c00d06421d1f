// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/functions/steepness.h"
#include "oracles/graph/truth_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// x Phi(x) (Hendrycks, Gimpel 2016, arXiv:1606.08415).
struct Gelu {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return x * T(0.5) * (T(1) + f.erf(T(x * f.constant(Constant::sqrt_half))));
  }
  /// oneDNN's eltwise_gelu_erf: the product with x comes first, and may overflow.
  template <class F, class T>
  static T libtorch_value(const F& f, const T& x) {
    return f.flushed(x * (T(1) + f.erf(T(x * f.constant(Constant::sqrt_half)))) * T(0.5), 1);
  }
  static constexpr bool kLibtorchFlushes = true;  ///< of its adjoint too, dy and the result
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
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const T t = f.tanh(inner(f, x));
    const T slope = f.constant(Constant::sqrt_two_over_pi) *
                    (T(1) + T(3) * f.constant(Constant::gelu_cubic) * (x * x));
    return T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * slope;
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1.1290, 0.7979, 0.7767};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
