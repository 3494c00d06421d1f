// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/arithmetic/lanes.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// sigmoid(z) and its complement 1 - sigmoid(z) = sigmoid(-z), without cancellation.
template <class T>
struct Logistic {
  T s;
  T q;
};

/// 1 + x, which of a number with a radius takes fewer steps in this way.
template <class T>
[[gnu::always_inline]] inline T one_plus(const T& x) {
  if constexpr (requires { x.radius; })
    return x + 1;
  else
    return T(1) + x;
}

/// Takes one exponential, of a number that is never positive: it cannot overflow.
template <class T>
Logistic<T> logistic(const T& z) {
  using std::exp;
  const MaskOf<T> positive = z >= T(0);
  const T t = exp(T(select(positive, T(-z), z)));
  const T whole = T(1) + t;
  const T large = T(1) / whole;
  const T small = t / whole;
  return {select(positive, large, small), select(positive, small, large)};
}

/// Swish (Ramachandran, Zoph, Le 2017; SiLU in PyTorch): f(z) = z s.
template <class T>
T swish(const T& z, const Logistic<T>& l) {
  return z * l.s;
}

/// f'(z) = s (1 + z q).
template <class T>
T swish_derivative(const T& z, const Logistic<T>& l) {
  return l.s * (T(1) + z * l.q);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
