// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "simt/simt.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// A mean, and the sum of squared differences from the mean.
template <class T>
struct Moments {
  T mean, m2;
  std::int64_t count;
};

/// Adds one more number; `share` is 1 / (count with it). Welford, Technometrics 4 (1962), with x
/// read once, as in West, Communications of the ACM 22 (1979). Welford's second difference x - mean
/// would need the same x: if x is a product, a compiler that contracts both differences takes the
/// first number itself for x, whose mean is that number rounded, and m2 begins with x times that
/// rounding error in place of 0.
template <class T>
__device__ void add(T& mean, T& m2, T x, T share) {
  const T delta = x - mean;
  mean += delta * share;
  m2 += delta * (delta - delta * share);
}

/// Joins two moments as in Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for
/// computing sample variances" (1979).
template <class T>
__device__ Moments<T> combine(const Moments<T>& a, const Moments<T>& b) {
  if (b.count == 0) return a;
  const std::int64_t count = a.count + b.count;
  const T share = T(static_cast<float>(b.count)) / T(static_cast<float>(count));
  const T delta = b.mean - a.mean;
  const T between = delta * delta * (T(static_cast<float>(a.count)) * share);
  return {a.mean + delta * share, (a.m2 + b.m2) + between, count};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
