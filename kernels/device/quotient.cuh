// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/quad.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// 1/d to about one unit in the last place: the seed of a quotient.
template <class T>
__device__ T reciprocal_seed(T d) {
  return T(1) / d;
}
__device__ inline float reciprocal_seed(float d) { return __fdividef(1.0f, d); }

/// n / d. For float32 from a seed of 1/d, if nothing on the way leaves the normal range: this is a
/// third of the instructions of a division that checks. It rounds to nearest; from a seed one unit
/// off, to 1.0000004 u at most in 8e7 tries. Markstein, IBM J. Research and Development 34 (1990).
template <class T>
__device__ T quotient(T n, T d, T) {
  return n / d;
}
__device__ inline float quotient(float n, float d, float seed) {
  const float q = n * seed;
  return simt::math::fma(simt::math::fma(-q, d, n), seed, q);
}

/// True if `a` is far enough from both ends of float32 for `quotient`; false for NaN and zero.
template <class T>
__device__ bool is_moderate(T a) {
  const T size = simt::math::abs(a);
  return static_cast<bool>((size > T(0x1p-60f)) & (size < T(0x1p60f)));
}

/// A divisor of many numbers, with its inverse.
template <class T>
struct Divisor {
  T value, inverse;
  bool moderate;
};

template <class T>
__device__ Divisor<T> divisor_of(T value) {
  return {value, T(1) / value, is_moderate(value)};
}

/// The correctly rounded division of a quad. Only numbers at the ends of the range pay for checks.
template <class T>
__device__ Quad<T> divided(const Quad<T>& a, const Divisor<T>& by) {
  bool moderate = by.moderate;
  for (int k = 0; k < kQuad; ++k) moderate = moderate & is_moderate(a.at[k]);
  Quad<T> result;
  if (moderate) {
    for (int k = 0; k < kQuad; ++k) result.at[k] = quotient(a.at[k], by.value, by.inverse);
  } else {
    for (int k = 0; k < kQuad; ++k) result.at[k] = a.at[k] / by.value;
  }
  return result;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
