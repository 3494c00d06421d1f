// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/groups/group_norm.cuh"
#include "kernels/device/groups/group_tree.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// The gradient that the sum s over the rows becomes; null if it is not wanted.
template <class System, class S, class P, class A>
__device__ Vector<P> gradient_of(const GroupBackward<S, P, A>& a, int s) {
  Vector<P> found{nullptr, 0};
  for_each_sum<System, A>(a, [&](int term, const Vector<P>& gradient) {
    if (term == s) found = gradient;
  });
  return found;
}

/// Adds up the sums of all chunks, with (channels, lanes) threads for some channels of one sum.
template <class System, class S, class P, class A>
__global__ void __launch_bounds__(group::kFinishChannels* group::kFinishLanes)
    finish_sums(GroupBackward<S, P, A> a, group::Scratch scratch) {
  SIMT_SHARED(A, board, [2 * group::kFinishChannels * group::kFinishLanes]);
  constexpr int kSums = kSumsOf<System, A>;
  const int s = static_cast<int>(blockIdx.x % kSums);
  const Vector<P> gradient = gradient_of<System>(a, s);
  if (gradient.data == nullptr) return;
  const int channels = static_cast<int>(blockDim.x);
  const std::int64_t col = std::int64_t{blockIdx.x / kSums} * channels + threadIdx.x;
  A* const workspace = static_cast<A*>(a.workspace);
  A sum = A(0);
  for (std::int64_t chunk = threadIdx.y; chunk < scratch.chunks; chunk += blockDim.y)
    if (col < scratch.cols) sum += workspace[scratch.partial(s, chunk) + col];
  LaneTree<A> tree(&board[0], channels);
  sum = tree(sum, static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y),
             static_cast<int>(blockDim.y));
  if (threadIdx.y != 0 || col >= scratch.cols) return;
  if (gradient.stride == 0) {
    workspace[scratch.whole(s) + col] = sum;
  } else {
    gradient.data[col] = convert<P>(sum);
  }
}

/// Sums the columns' sums to the gradient of a parameter of one number, with one block a sum.
template <class System, class S, class P, class A>
__global__ void __launch_bounds__(group::kSharedLanes)
    sum_shared(GroupBackward<S, P, A> a, group::Scratch scratch) {
  SIMT_SHARED(A, board, [2 * group::kSharedLanes]);
  const int s = static_cast<int>(blockIdx.x);
  const Vector<P> gradient = gradient_of<System>(a, s);
  if (gradient.data == nullptr || gradient.stride != 0) return;
  A* const workspace = static_cast<A*>(a.workspace);
  A sum = A(0);
  for (std::int64_t col = threadIdx.x; col < scratch.cols; col += blockDim.x)
    sum += workspace[scratch.whole(s) + col];
  LaneTree<A> tree(&board[0], 1);
  sum = sum_of_unit(tree, sum);
  if (threadIdx.x == 0) gradient.data[0] = convert<P>(sum);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
