// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/groups/group_place.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Two sums that are computed together.
template <class A>
struct Pair {
  A first, second;
};

template <class A>
__device__ Pair<A> operator+(const Pair<A>& a, const Pair<A>& b) {
  return {a.first + b.first, a.second + b.second};
}

/// Adds a thread's numbers in a tree of their own; numbers outside the group must be 0.
template <class A>
__device__ A total_of(const Held<A>& held) {
  const auto of_quad = [](const Quad<A>& q) { return (q.at[0] + q.at[1]) + (q.at[2] + q.at[3]); };
  static_assert(group::kHeldQuads == 2);
  return of_quad(held.quad[0]) + of_quad(held.quad[1]);
}

/// Adds up the values of the lanes of a unit; all lanes get the sum. Every barrier joins eight
/// lanes, and each thread adds them for itself: a barrier costs more than seven additions. The
/// order is one binary tree, neighbours first, so every lane and every run has the same bits.
template <class V>
struct LaneTree {
  static constexpr int kLevels = 3;  ///< of the binary tree at every barrier
  V* board;    ///< of two numbers a thread, taken by turns: what is read is not yet written again
  int stride;  ///< from one lane's number to the next
  int turn = 0;

  __device__ LaneTree(V* numbers, int stride_of_lanes) : board(numbers), stride(stride_of_lanes) {}

  /// `first` is the number of the unit's first lane.
  __device__ V operator()(V mine, int first, int lane, int lanes) {
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int level = 0; 1 << level < lanes; level += kLevels) {
      V* const numbers = board + turn * threads + first;
      turn = 1 - turn;
      const int slot = lane >> level;
      if (slot << level == lane) numbers[slot * stride] = mine;
      __syncthreads();
      mine = joined(numbers + (slot >> kLevels << kLevels) * stride, lanes >> level);
    }
    return mine;
  }

 private:
  /// Joins `count` numbers, a power of two from two to eight.
  __device__ V joined(const V* at, int count) const {
    V sum = at[0] + at[stride];
    if (count > 2) sum = sum + (at[2 * stride] + at[3 * stride]);
    if (count > 4)
      sum = sum + ((at[4 * stride] + at[5 * stride]) + (at[6 * stride] + at[7 * stride]));
    return sum;
  }
};

/// The sum over the lanes of each unit, for a block of (lanes, units) threads.
template <class V>
__device__ V sum_of_unit(LaneTree<V>& tree, const V& mine) {
  const int lanes = static_cast<int>(blockDim.x);
  return tree(mine, static_cast<int>(threadIdx.y) * lanes, static_cast<int>(threadIdx.x), lanes);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
