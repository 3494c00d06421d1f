// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/groups/group_norm.cuh"
#include "kernels/device/groups/group_tree.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// The sum of squared differences from the mean over the elements that a thread holds.
template <class A>
__device__ A total_of_squares(const Held<A>& v, A mean, const GroupPlace& at) {
  Held<A> square;
  for_each_held(at, [&](int q, int k, bool inside) {
    const A difference = v.quad[q].at[k] - mean;
    square.quad[q].at[k] = inside ? difference * difference : A(0);
  });
  return total_of(square);
}

template <class A>
__device__ A rstd_of(A m2, A n, A eps) {
  return simt::math::rsqrt(m2 / n + eps);
}

template <class Arguments, class A>
__device__ void publish(const Arguments& a, std::int64_t row, std::int64_t group,
                        const Statistics<A>& statistics) {
  a.mean[row * a.groups + group] = statistics.mean;
  a.rstd[row * a.groups + group] = statistics.rstd;
}

/// The lanes of a unit keep it in registers from the mean to y, row after row of their chunk. In a
/// wide group the lanes hold a part, and the statistics are there already.
template <class System, bool kResident, class S, class P, class A>
__global__ void __launch_bounds__(group::kThreads, 5)
    group_forward(GroupForward<S, P, A> a, group::Tiling tiling, bool vector) {
  SIMT_SHARED(A, board, [2 * group::kThreads]);
  LaneTree<A> tree(&board[0], 1);
  const GroupPlace at = place_in(tiling);
  const HeldStages<System, A> stages(a, at);
  const HeldWalk<const S> x = walk_held(a.x, at.begin, at, vector);
  const HeldWalk<S> y = walk_held(a.y, at.begin, at, vector);
  const A n = number<A>(tiling.width);
  const int rows = static_cast<int>(tiling.chunks.size(0));  // the longest: all threads must meet
  Loaded<S> next{};  // loads of a row are in flight while the one before is summed
  if (at.size > 0) next = load_held(x, 0);
  for (int i = 0; i < rows; ++i) {
    const bool here = i < at.size;
    const std::int64_t row = at.begin + i;
    Held<A> v{};
    if (here) v = normed_of(next, stages, at);
    if (i + 1 < at.size) next = load_held(x, i + 1);
    Statistics<A> statistics{};
    if constexpr (kResident) {
      statistics.mean = sum_of_unit(tree, total_of(v)) / n;
      const A m2 = sum_of_unit(tree, total_of_squares(v, statistics.mean, at));
      statistics.rstd = rstd_of(m2, n, a.eps);
      if (here && at.lane == 0) publish(a, row, at.group, statistics);
    } else if (here) {
      statistics = statistics_of(a, row, at.group);
    }
    if (!here) continue;
    for_each_quad(
        [&](int q) { v.quad[q] = stages.quad[q].value(standardized(v.quad[q], statistics)); });
    store_held(y, i, v);
  }
}

/// Computes mean and rstd of wide groups, one block a unit; x is read once for each of both sums.
template <class System, class S, class P, class A>
__global__ void __launch_bounds__(group::kThreads)
    wide_statistics(GroupForward<S, P, A> a, group::Tiling tiling, bool vector) {
  SIMT_SHARED(A, board, [2 * group::kThreads]);
  LaneTree<A> tree(&board[0], 1);
  const std::int64_t row = blockIdx.x / tiling.groups;
  GroupPlace at{};
  at.lane = static_cast<int>(threadIdx.x);
  at.group = blockIdx.x % tiling.groups;
  const auto sum_of = [&](const auto& total) {
    A sum = A(0);
    for (std::int64_t part = 0; part < tiling.parts; ++part) {
      take_part(at, tiling, part);
      const HeldStages<System, A> stages(a, at);
      sum += total(normed_of(load_held(walk_held(a.x, row, at, vector), 0), stages, at));
    }
    return sum_of_unit(tree, sum);
  };
  const A n = number<A>(tiling.width);
  Statistics<A> statistics{};
  statistics.mean = sum_of([](const Held<A>& v) { return total_of(v); }) / n;
  const A m2 = sum_of([&](const Held<A>& v) { return total_of_squares(v, statistics.mean, at); });
  statistics.rstd = rstd_of(m2, n, a.eps);
  if (at.lane == 0) publish(a, row, at.group, statistics);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
