// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simt/simt.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Combines the values of two lanes; a struct of sums brings its own `combine`.
template <class T>
__device__ T combine(const T& a, const T& b) {
  return a + b;
}

/// Joins the values of the block's lanes in slots[lane * columns + column] in one binary tree for
/// each column, neighbours first; slots[column] ends up with the whole. `lanes` is a power of two,
/// and the block has at least lanes / 4 threads a column. The order is fixed, so that every run
/// gives the same bits.
template <class V>
__device__ void combine_lanes(V* slots, int columns, int lanes) {
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  V* const mine = slots + thread % columns;
  for (int apart = 1; apart < lanes; apart *= 4) {
    __syncthreads();  // what the lanes, or the round before, have left
    const int first = thread / columns * 4 * apart;
    if (first >= lanes) continue;
    V total = combine(mine[first * columns], mine[(first + apart) * columns]);
    if (first + 2 * apart < lanes)
      total = combine(
          total, combine(mine[(first + 2 * apart) * columns], mine[(first + 3 * apart) * columns]));
    mine[first * columns] = total;
  }
  __syncthreads();
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
