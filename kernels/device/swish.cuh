// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/quotient.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// The parts of a sigmoid: e = exp(-|t|) never overflows, and 1 + e is between 1 and 2.
template <class T>
struct Logistic {
  T e, denominator, seed;
};

template <class T>
__device__ Logistic<T> logistic_of(T t) {
  const T e = simt::math::exp(-simt::math::abs(t));
  const T denominator = T(1) + e;
  return {e, denominator, reciprocal_seed(denominator)};
}

/// Returns swish(t) = t sigmoid(t).
template <class T>
__device__ T swish(T t) {
  const Logistic<T> l = logistic_of(t);
  return t * quotient(t < T(0) ? l.e : T(1), l.denominator, l.seed);
}

/// Returns d swish(t) / dt = sigmoid(t) (1 + t sigmoid(-t)). Neither sigmoid is computed as 1 minus
/// the other, so that both keep their last bits.
template <class T>
__device__ T swish_slope(T t) {
  const Logistic<T> l = logistic_of(t);
  const T large = quotient(T(1), l.denominator, l.seed);
  const T small = quotient(l.e, l.denominator, l.seed);
  const T of_t = t < T(0) ? small : large;
  const T of_minus_t = t < T(0) ? large : small;
  return of_t * (T(1) + t * of_minus_t);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
