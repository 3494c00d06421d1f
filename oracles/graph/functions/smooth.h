// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_double.h"
#include "oracles/graph/functions/choices.h"
#include "oracles/graph/functions/quotient.h"
#include "oracles/graph/functions/steepness.h"
#include "oracles/graph/functions/truth_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

struct Sigmoid {
  static constexpr bool kFromValue = true;           ///< the derivative takes the value
  static constexpr bool kLogisticOfArgument = true;  ///< its logistics are all of x
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.logistic(x).s;
  }
  template <class F, class T>
  static T libtorch_value(const F& f, const T& x) {
    return f.logistic(x, true).s;
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T& y) {
    return y * f.logistic(x).q;
  }
  template <class F, class T>
  static T libtorch_derivative(const F&, const T&, const T& y) {
    return (T(1) - y) * y;
  }
  /// The form of libraries whose tanh is one instruction (CUTLASS, epilogue/thread/activation.h).
  template <class F, class T>
  static T tanh_value(const F& f, const T& x) {
    return T(0.5) + f.tanh(T(x * T(0.5))) * T(0.5);
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {0.25, 0.0963, 0.125};
  }
};

struct Tanh {
  static constexpr bool kFromValue = true;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.tanh(x);
  }
  /// 4 s(2x) s(-2x) = 1 - tanh(x)^2, without cancellation.
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const auto l = f.logistic(T(x + x));
    return T(4) * (l.s * l.q);
  }
  /// The GPU's form: each operation is of the storage type (BinaryMiscBackwardOpsKernels.cu).
  template <class F, class T>
  static T libtorch_derivative(const F& f, const T&, const T& y) {
    return f.stored(T(T(1) - f.stored(T(y * y))));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 0.7699, 2};
  }
};

/// x sigmoid(x) (Ramachandran, Zoph, Le 2017).
struct Silu {
  static constexpr bool kLogisticOfArgument = true;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return x * Sigmoid::value(f, x);
  }
  template <class F, class T>
  static T libtorch_value(const F& f, const T& x) {
    return x * f.logistic(x, true).s;
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const auto l = f.logistic(x);
    return l.s * one_plus(T(x * l.q));
  }
  template <class F, class T>
  static T libtorch_derivative(const F& f, const T& x, const T&) {
    const T s = Sigmoid::libtorch_value(f, x);
    return s * one_plus(T(x * (T(1) - s)));
  }
  template <class F, class T>
  static T tanh_value(const F& f, const T& x) {
    return x * Sigmoid::tanh_value(f, x);
  }
  template <class F, class T>
  static T tanh_derivative(const F& f, const T& x) {
    const T s = Sigmoid::tanh_value(f, x);
    return s * one_plus(T(x * (T(1) - s)));
  }
  static constexpr bool kIsSmooth = true;  ///< no kinks
  /// For numbers of size a or more |f''| <= max(a, 2) e^-a and |f'''| <= (3 + a) e^-a; for numbers
  /// up to -a |f'| <= (1 + a) e^-a (docs/bounds.md).
  template <class V>
  static Steepness<V> steepness(const V& low, const V& high) {
    const V a = largest_of(V(0), largest_of(low, V(-high)));
    const V steep = exp_of_negative(V(-a));
    const V below = least_of(V(1.0999), V((1 + a) * steep));
    return {select(high < V(0), below, V(1.0999)), least_of(V(0.5), V(largest_of(V(2), a) * steep)),
            least_of(V(0.3083), V((3 + a) * steep))};
  }
};

struct Softplus {
  static constexpr bool kHasThreshold = true;  ///< code takes another formula far from 0
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.max(x, T(0)) + f.log1p(f.exp(f.where_positive(x, T(-x), x)));
  }
  template <class F, class T>
  static T libtorch_value(const F& f, const T& x) {
    return f.past_threshold(x, T(f.log1p(f.exp(x))), x);
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return Sigmoid::value(f, x);
  }
  template <class F, class T>
  static T libtorch_derivative(const F& f, const T& x, const T&) {
    const T z = f.exp(x);
    return f.past_threshold(x, quotient_of(f, T(z / (z + T(1)))), T(1));
  }
  /// (dy z) / (z + 1), z = exp(x): the product may overflow (softplus_backward_kernel of pytorch).
  template <class F, class T>
  static T libtorch_first_factor(const F& f, const T& x) {
    return f.past_threshold(x, f.exp(x), T(1));
  }
  template <class F, class T>
  static T derivative_from_value(const F& f, const T& y) {
    return T(1) - f.exp(T(-y));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 0.25, 0.0963};
  }
};

/// x tanh(softplus(x)) (Misra 2019, arXiv:1908.08681). tanh(log(1 + e^x)) = w/(w + 2) with
/// w = e^x (e^x + 2).
struct Mish {
  static constexpr bool kHasThreshold = true;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return x * f.tanh(Softplus::value(f, x));
  }
  template <class F, class T>
  static T libtorch_value(const F& f, const T& x) {
    return x * f.tanh(f.log1p(f.exp(x)));
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const T s = Softplus::value(f, x);
    return f.tanh(s) + x * Tanh::derivative(f, s, s) * Sigmoid::value(f, x);
  }
  template <class F, class T>
  static T libtorch_derivative(const F& f, const T& x, const T&) {
    const T t = f.tanh(f.log1p(f.exp(x)));
    return t + x * Sigmoid::libtorch_value(f, x) * (T(1) - t * t);
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1.0885, 0.6443, 0.5885};
  }
};

struct Neg {
  template <class F, class T>
  static T value(const F&, const T& x) {
    return -x;
  }
  template <class F, class T>
  static T derivative(const F&, const T&, const T&) {
    return T(-1);
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 0, 0};
  }
};

/// The identity that is not differentiated, as for a detached residual.
struct Detach {
  static constexpr bool kIsIdentity = true;  ///< the value keeps its error, and nothing goes back
  template <class F, class T>
  static T value(const F&, const T& x) {
    return x;
  }
  template <class F, class T>
  static T derivative(const F&, const T&, const T&) {
    return T(0);
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 0, 0};
  }
};

struct Square {
  template <class F, class T>
  static T value(const F&, const T& x) {
    return x * x;
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return f.stored(T(x + x));
  }
  template <class V>
  static Steepness<V> steepness(const V& low, const V& high) {
    return {2 * max(abs(low), abs(high)), 2, 0};
  }
};

struct Exp {
  static constexpr bool kFromValue = true;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.exp(x);
  }
  template <class F, class T>
  static T derivative(const F&, const T&, const T& y) {
    return y;
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V& high) {
    const V most = PlainFunctions<V>::exp(high) * (1 + 0x1p-40);
    return {most, most, most};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
