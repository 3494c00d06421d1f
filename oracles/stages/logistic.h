// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

namespace gradproof {

/// sigmoid(z) and its complement 1 - sigmoid(z) = sigmoid(-z), without cancellation.
template <class T>
struct Logistic {
  T s;
  T q;
};

/// One exponential, of a number that is never positive: it cannot overflow.
template <class T>
Logistic<T> logistic(const T& z) {
  using std::exp;
  const bool positive = z >= T(0);
  const T t = exp(positive ? -z : z);
  const T whole = T(1) + t;
  const T large = T(1) / whole;
  const T small = t / whole;
  return positive ? Logistic<T>{large, small} : Logistic<T>{small, large};
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

}  // namespace gradproof
