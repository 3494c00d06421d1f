// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/lanes.h"
#include "oracles/pipeline/stages/logistic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Whether T is a number of several doubles without error bookkeeping: its values are wanted a
/// thousand times for each derivative.
template <class T>
inline constexpr bool kIsWide = false;
template <class T>
concept WideNumber = kIsWide<T>;

/// What the operations of a wide number err by, in `unit`s: of a sum relative to |x| + |y|,
/// otherwise of the result.
struct WideErrors {
  double unit = 0;
  double sum = 0;
  double product = 0;
  double quotient = 0;
  double quotient_by_double = 0;
  double root = 0;
  double exponential = 0;

  /// t/(1 + t) and 1/(1 + t), t = e^-|z|, are no more sensitive than t.
  constexpr double sigmoid() const { return exponential + sum + quotient; }
  constexpr double swish() const { return sigmoid() + product; }
  /// Of s (1 + z q), relative to s (1 + |z| q).
  constexpr double slope() const { return 2 * (sigmoid() + product) + sum; }
};

/// Beside WideErrors, of exp and of what is made of it: a product that underflows errs by 4 eta at
/// most (double_double.h), and no more than 64 of them meet in a result. z s takes it |z| times.
inline constexpr double kWideUnderflow = 0x1p-1066;

/// What exp is where its tables end: 0 below them; above, and of NaN, NaN.
template <class V>
[[gnu::always_inline]] inline V beyond_exp(const V& x) {
  return select(x < V(0), V(0), V(std::numeric_limits<double>::quiet_NaN()));
}

/// The sigmoid without its complement, which only derivatives take.
template <WideNumber T>
struct Logistic<T> {
  T s;
};

/// As the general one, with one division; the sign is that of the highest part.
template <WideNumber T>
[[gnu::always_inline]] inline Logistic<T> logistic(const T& z) {
  const MaskOf<T> positive = z.hi >= decltype(z.hi)(0);
  const T t = exp(T(select(positive, T(-z), z)));
  return {select(positive, T(1), t) / (T(1) + t)};
}

template <WideNumber T>
T swish_derivative(const T& z, const Logistic<T>& l) {
  return l.s * (T(1) + z * logistic(T(-z)).s);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
