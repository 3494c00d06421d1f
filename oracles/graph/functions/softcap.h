// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/functions/quotient.h"
#include "oracles/graph/functions/smooth.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// cap tanh(x/cap), three operators in LibTorch, as Gemma 2 has it (arXiv:2408.00118).
struct Softcap {
  double cap;
  template <class F, class T>
  T over(const F& f, const T& x) const {
    return quotient_of(f, literal_of(f, T(x / cap)));
  }
  template <class F, class T>
  T value(const F& f, const T& x) const {
    return f.stored(f.tanh(f.stored(over(f, x)))) * literal_of(f, T(cap));
  }
  template <class F, class T>
  T derivative(const F& f, const T& x, const T&) const {
    return Tanh::derivative(f, over(f, x), x);
  }
  template <class F, class T>
  T libtorch_derivative(const F& f, const T& x, const T&) const {
    const T t = f.stored(f.tanh(f.stored(over(f, x))));
    return over(f, f.stored(f.stored(T(T(cap) * Tanh::libtorch_derivative(f, x, t)))));
  }
  template <class F, class T>
  T derivative_from_value(const F& f, const T& y) const {
    const T t = over(f, y);
    return T(1) - t * t;
  }
  /// dy cap, an operator of its own, then the tanh's adjoint.
  static constexpr bool kStoresFirstFactor = true;
  template <class F, class T>
  T libtorch_first_factor(const F&, const T&) const {
    return T(cap);
  }
  template <class V>
  Steepness<V> steepness(const V&, const V&) const {
    return {1, 0.7699 / cap, 2 / (cap * cap)};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
