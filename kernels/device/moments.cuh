// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "simt/simt.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Mean and sum of squared differences from it. Welford, Technometrics 4 (1962).
template <class T>
struct Moments {
  T mean, m2;
  std::int64_t count;
};

/// One more number; `share` is 1 / (count with it).
template <class T>
__device__ void add(T& mean, T& m2, T x, T share) {
  const T delta = x - mean;
  mean += delta * share;
  m2 += delta * (x - mean);
}

/// Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample
/// variances" (1979).
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
