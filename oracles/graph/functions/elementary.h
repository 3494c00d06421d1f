// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/graph/functions/quotient.h"
#include "oracles/graph/functions/steepness.h"
#include "oracles/graph/functions/truth_functions.h"

/// Functions of the closed set as stages of their own, with LibTorch's adjoints (derivatives.yaml).
/// `kDefinedFrom` is where a domain begins: a number that may lie to either side has no bound.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The derivative is 2/sqrt(pi) e^(-x^2) =: d, the next ones are -2 x d and (4 x^2 - 2) d.
struct Erf {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.erf(x);
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const T square = f.stored(T(x * x));
    return f.stored(T(f.constant(Constant::two_over_root_pi) * f.stored(f.exp(T(-square)))));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1.1284, 0.9679, 2.2568};
  }
};

/// size(low) for a size that falls over an interval; infinite if `low` is outside the domain.
template <class V, class Size>
V largest_at(const V& low, const Size& size) {
  return select(low > V(0), size(low), V(std::numeric_limits<double>::infinity()));
}

/// The steepness of log from a number on.
template <class V>
Steepness<V> log_steepness(const V& low) {
  return {largest_at(low, [](const V& v) { return V(1 / v); }),
          largest_at(low, [](const V& v) { return V(1 / (v * v)); }),
          largest_at(low, [](const V& v) { return V(2 / (v * v * v)); })};
}

struct Log {
  static constexpr double kDefinedFrom = 0;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.log(x);
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return quotient_of(f, T(T(1) / x));
  }
  template <class V>
  static Steepness<V> steepness(const V& low, const V&) {
    return log_steepness(low);
  }
};

struct Log1p {
  static constexpr double kDefinedFrom = -1;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.log1p(x);
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return quotient_of(f, T(T(1) / f.stored(T(T(1) + x))));
  }
  template <class V>
  static Steepness<V> steepness(const V& low, const V&) {
    return log_steepness(V(1 + low));
  }
};

struct Sqrt {
  static constexpr double kDefinedFrom = 0;
  static constexpr bool kFromValue = true;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.sqrt(x);
  }
  template <class F, class T>
  static T derivative(const F& f, const T&, const T& y) {
    return quotient_of(f, T(T(1) / (y + y)));
  }
  template <class V>
  static Steepness<V> steepness(const V& low, const V&) {
    const auto root = [](const V& v) { return V(gradproof::sqrt(v)); };
    return {largest_at(low, [&](const V& v) { return V(0.5 / root(v)); }),
            largest_at(low, [&](const V& v) { return V(0.25 / (v * root(v))); }),
            largest_at(low, [&](const V& v) { return V(0.375 / (v * v * root(v))); })};
  }
};

/// The derivative is -y^3/2 for the value y. LibTorch's scalar operator on a CPU rounds the root to
/// 16 bits too (UnaryOpsKernel.cpp, rsqrt_kernel).
struct Rsqrt {
  static constexpr double kDefinedFrom = 0;
  static constexpr bool kFromValue = true;
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return quotient_of(f, T(T(1) / f.stored(f.sqrt(x))));
  }
  template <class F, class T>
  static T derivative(const F& f, const T&, const T& y) {
    return T(-0.5) * f.stored(T(y * y * y));
  }
  template <class V>
  static Steepness<V> steepness(const V& low, const V&) {
    const auto root = [](const V& v) { return V(gradproof::sqrt(v)); };
    return {largest_at(low, [&](const V& v) { return V(0.5 / (v * root(v))); }),
            largest_at(low, [&](const V& v) { return V(0.75 / (v * v * root(v))); }),
            largest_at(low, [&](const V& v) { return V(1.875 / (v * v * v * root(v))); })};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
