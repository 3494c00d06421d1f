// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/lanes.h"
#include "oracles/arithmetic/logistic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True if T is an unevaluated sum of doubles without a bound on its error: DoubledOf, TripledOf.
/// Differences need about a thousand values for each derivative, so these types are made for speed.
template <class T>
inline constexpr bool kIsWide = false;
template <class T>
concept WideNumber = kIsWide<T>;

/// The relative errors of the operations of a WideNumber, in `unit`s: of a sum relative to |x| +
/// |y|, of all others relative to the result.
struct WideErrors {
  double unit = 0;
  double sum = 0;
  double product = 0;
  double quotient = 0;
  double quotient_by_double = 0;
  double root = 0;
  double exponential = 0;

  /// t/(1 + t) and 1/(1 + t), t = e^-|z|: a relative error of t is not made larger.
  constexpr double sigmoid() const { return exponential + sum + quotient; }
  constexpr double swish() const { return sigmoid() + product; }
  /// The error of s (1 + z q), relative to s (1 + |z| q).
  constexpr double slope() const { return 2 * (sigmoid() + product) + sum; }
};

/// The absolute error of exp and of functions of it, beside WideErrors: a product that underflows
/// errs by at most 4 eta (double_double.h), and at most 64 of them enter a result. In z s this
/// error counts |z| times.
inline constexpr double kWideUnderflow = 0x1p-1066;

/// The value of exp outside its tables: 0 below them; NaN above them and for NaN.
template <class V>
[[gnu::always_inline]] inline V beyond_exp(const V& x) {
  return select(x < V(0), V(0), V(std::numeric_limits<double>::quiet_NaN()));
}

/// The sigmoid without its complement, which only derivatives need.
template <WideNumber T>
struct LogisticAlone {
  T s;
};
/// The type that logistic() returns for a T.
template <class T>
struct LogisticResult {
  using Type = Logistic<T>;
};
template <WideNumber T>
struct LogisticResult<T> {
  using Type = LogisticAlone<T>;
};

/// Computes the sigmoid of the general logistic() with one division. The sign of z is that of its
/// first double.
template <WideNumber T>
[[gnu::always_inline]] inline LogisticAlone<T> logistic(const T& z) {
  const MaskOf<T> positive = z.hi >= decltype(z.hi)(0);
  const T t = exp(T(select(positive, T(-z), z)));
  return {select(positive, T(1), t) / (T(1) + t)};
}

template <WideNumber T>
T swish(const T& z, const LogisticAlone<T>& l) {
  return z * l.s;
}
template <WideNumber T>
T swish_derivative(const T& z, const LogisticAlone<T>& l) {
  return l.s * (T(1) + z * logistic(T(-z)).s);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
