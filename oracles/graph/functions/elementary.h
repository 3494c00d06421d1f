// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
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
/// 16 bits too (UnaryOpsKernel.cpp, rsqrt_kernel), and its adjoint is (-0.5 dy) y^3
/// (derivatives.yaml).
struct Rsqrt {
  static constexpr bool kHalvesFirst = true;  ///< the adjoint multiplies dy with -1/2
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

struct Sin {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.sin(x);
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return f.stored(f.cos(x));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 1, 1};
  }
};

struct Cos {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.cos(x);
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return -f.stored(f.sin(x));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 1, 1};
  }
};

/// x^p of numbers from 0 on, p no whole number: of a negative x there is none.
struct Pow {
  static constexpr double kDefinedFrom = 0;
  double exponent;
  template <class F, class T>
  T value(const F& f, const T& x) const {
    return power(f, x, exponent);
  }
  template <class F, class T>
  T derivative(const F& f, const T& x, const T&) const {
    return f.stored(T(literal_of(f, T(exponent)) * f.stored(power(f, x, exponent - 1))));
  }
  /// p x^(p-1) and the next two, each at the end of the interval where it is largest.
  template <class V>
  Steepness<V> steepness(const V& low, const V& high) const {
    const double p = exponent;
    const auto size = [&](double factor, double by) {
      const V at = PlainFunctions<V>::exp(V(by * PlainFunctions<V>::log(by < 0 ? low : high)));
      return largest_at(low, [&](const V&) { return V(std::abs(factor) * (1 + 0x1p-40) * at); });
    };
    return {size(p, p - 1), size(p * (p - 1), p - 2), size(p * (p - 1) * (p - 2), p - 3)};
  }

 private:
  /// Operators of 16 bits round the exponent to their type (PowKernel.cpp of pytorch).
  template <class F, class T>
  static T stored_exponent(const F& f, const T& p, double number) {
    T r = literal_of(f, p);
    if constexpr (requires { f.storage().unit; }) {
      const double apart = std::ldexp(2 * f.storage().unit, std::ilogb(number));
      if (apart > 0 && std::fmod(number, apart) != 0) r.e += std::abs(number) * f.storage().unit;
    }
    return r;
  }
  template <class F, class T>
  static T power(const F& f, const T& x, double p) {
    const T r = f.exp(T(f.log(x) * stored_exponent(f, T(p), p)));
    if constexpr (requires { f.of_power(r, x, p); })
      return f.of_power(r, x, p);
    else
      return r;
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
