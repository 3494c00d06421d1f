// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/groups/group_norm.cuh"
#include "kernels/device/groups/group_tree.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Four elements in the backward pass: h is weight times the cotangent of the norm's value.
template <class A>
struct GroupCells {
  Quad<A> xhat, h;
};

/// Takes dy back to the norm. Adds to `sums` the terms of weight, beta and the stages behind it.
template <class System, class A>
__device__ GroupCells<A> cells_of(const GroupStages<System, A>& stages, const Quad<A>& x,
                                  const Quad<A>& dy, const Statistics<A>& statistics,
                                  Quad<A>* sums) {
  const Quad<A> xhat = standardized(stages.before.value(x), statistics);
  const Quad<A> g = stages.after.pull(stages.scaled(xhat), dy, sums + kAfterSum<System, A>);
  GroupCells<A> cells{xhat, {}};
  for (int k = 0; k < kQuad; ++k) {
    sums[0].at[k] += g.at[k] * xhat.at[k];
    sums[1].at[k] += g.at[k];
    cells.h.at[k] = stages.weight.at[k] * g.at[k];
  }
  return cells;
}

/// The sums of h and of h xhat over the elements that a thread holds.
template <class A>
__device__ Pair<A> totals_of(const GroupCells<A> (&cells)[group::kHeldQuads],
                             const GroupPlace& at) {
  Held<A> h, h_xhat;
  for_each_held(at, [&](int q, int k, bool inside) {
    const A value = cells[q].h.at[k];
    h.quad[q].at[k] = inside ? value : A(0);
    h_xhat.quad[q].at[k] = inside ? value * cells[q].xhat.at[k] : A(0);
  });
  return {total_of(h), total_of(h_xhat)};
}

/// The cotangent of the normalised value, from the means of h and h xhat over the unit: the formula
/// of Wu and He, "Group normalization" (2018), differentiated.
template <class A>
__device__ Quad<A> through_norm(const GroupCells<A>& cells, const Pair<A>& means, A rstd) {
  Quad<A> d_v;
  for (int k = 0; k < kQuad; ++k)
    d_v.at[k] = rstd * ((cells.h.at[k] - means.first) - cells.xhat.at[k] * means.second);
  return d_v;
}

/// Stores those of the chunk's sums in the workspace that somebody wants.
template <class System, class S, class P, class A>
__device__ void leave_sums(const GroupBackward<S, P, A>& a, const group::Scratch& scratch,
                           std::int64_t chunk, const Columns& columns, const Quad<A>* sums) {
  for_each_sum<System, A>(a, [&](int s, const Vector<P>& gradient) {
    if (gradient.data == nullptr) return;
    A* const numbers = static_cast<A*>(a.workspace) + scratch.partial(s, chunk);
    const Walk<A> to{numbers + columns.col, 0, 1, columns.inside};
    if (scratch.vector && columns.inside == kQuad) return store<true>(to, 0, sums[s]);
    store<false>(to, 0, sums[s]);
  });
}

/// The place in the workspace of the two sums of a unit of a wide group.
template <class S, class P, class A>
__device__ Pair<A>& sums_of_unit(const GroupBackward<S, P, A>& a, const group::Scratch& scratch,
                                 std::int64_t unit) {
  return reinterpret_cast<Pair<A>*>(static_cast<A*>(a.workspace) + scratch.of_units())[unit];
}

/// x and dy are read once: the lanes of a unit hold their elements from the sums to d_x, row after
/// row of their chunk, and keep the sums over the rows in registers. In a wide group the lanes hold
/// a part, and the unit's two sums are in the workspace.
template <class System, bool kResident, class S, class P, class A>
__global__ void __launch_bounds__(group::kThreads, 4)
    group_backward(GroupBackward<S, P, A> a, group::Tiling tiling, group::Scratch scratch, bool vector) {
  constexpr int kSums = kSumsOf<System, A>;
  // Behind a parameter's stage, the registers that would hold the next row are needed otherwise.
  constexpr bool kAhead = GroupStages<System, A>::After::kTerms == 0;
  SIMT_SHARED(Pair<A>, board, [2 * group::kThreads]);
  LaneTree<Pair<A>> tree(&board[0], 1);
  const GroupPlace at = place_in(tiling);
  const HeldStages<System, A> stages(a, at);
  const A n = number<A>(tiling.width);
  const HeldWalk<const S> x_way = walk_held(a.x, at.begin, at, vector);
  const HeldWalk<const S> dy_way = walk_held(a.dy, at.begin, at, vector);
  Quad<A> sums[group::kHeldQuads][kSums];
  for (auto& of_quad : sums)
    for (Quad<A>& sum : of_quad) sum = zero_quad<A>();
  const int rows = static_cast<int>(tiling.chunks.size(0));  // the longest: all threads must meet
  // With kAhead, the loads of a row are in flight while the row before is summed.
  Loaded<S> next_x{};
  Loaded<S> next_dy{};
  const auto load_row = [&](int i) {
    if (i >= at.size) return;
    next_x = load_held(x_way, i);
    next_dy = load_held(dy_way, i);
  };
  if constexpr (kAhead) load_row(0);
  for (int i = 0; i < rows; ++i) {
    const bool here = i < at.size;
    const std::int64_t row = at.begin + i;
    Statistics<A> statistics{};
    Held<A> x{};
    GroupCells<A> cells[group::kHeldQuads]{};
    if constexpr (!kAhead) load_row(i);
    if (here) {
      statistics = statistics_of(a, row, at.group);
      for_each_quad([&](int q) {
        const Quad<A> dy = unpacked<A>(next_dy.quad[q]);
        x.quad[q] = unpacked<A>(next_x.quad[q]);
        cells[q] = cells_of(stages.quad[q], x.quad[q], dy, statistics, sums[q]);
      });
    }
    if constexpr (kAhead) load_row(i + 1);
    Pair<A> totals{};
    if constexpr (kResident) {
      totals = sum_of_unit(tree, totals_of(cells, at));
    } else if (here) {
      totals = sums_of_unit(a, scratch, row * a.groups + at.group);
    }
    if (!here) continue;
    const Pair<A> means{totals.first / n, totals.second / n};
    for_each_quad([&](int q) {
      const Quad<A> d_v = through_norm(cells[q], means, statistics.rstd);
      x.quad[q] = stages.quad[q].before.pull(x.quad[q], d_v, sums[q] + 2);
    });
    if (a.d_x.data != nullptr) store_held(walk_held(a.d_x, row, at, vector), 0, x);
  }
  if (at.size == 0) return;
  for_each_quad([&](int q) { leave_sums<System>(a, scratch, at.chunk, at.columns[q], sums[q]); });
}

/// Computes the two sums of each unit of wide groups, with one block a unit.
template <class System, class S, class P, class A>
__global__ void __launch_bounds__(group::kThreads)
    wide_sums(GroupBackward<S, P, A> a, group::Tiling tiling, group::Scratch scratch, bool vector) {
  SIMT_SHARED(Pair<A>, board, [2 * group::kThreads]);
  LaneTree<Pair<A>> tree(&board[0], 1);
  const std::int64_t row = blockIdx.x / tiling.groups;
  GroupPlace at{};
  at.lane = static_cast<int>(threadIdx.x);
  at.group = blockIdx.x % tiling.groups;
  const Statistics<A> statistics = statistics_of(a, row, at.group);
  Pair<A> totals{A(0), A(0)};
  for (std::int64_t part = 0; part < tiling.parts; ++part) {
    take_part(at, tiling, part);
    const HeldStages<System, A> stages(a, at);
    const Loaded<S> x = load_held(walk_held(a.x, row, at, vector), 0);
    const Loaded<S> dy = load_held(walk_held(a.dy, row, at, vector), 0);
    GroupCells<A> cells[group::kHeldQuads];
    for_each_quad([&](int q) {
      Quad<A> unused[kSumsOf<System, A>]{};
      cells[q] = cells_of(stages.quad[q], unpacked<A>(x.quad[q]), unpacked<A>(dy.quad[q]),
                          statistics, unused);
    });
    totals = totals + totals_of(cells, at);
  }
  totals = sum_of_unit(tree, totals);
  if (at.lane != 0) return;
  sums_of_unit(a, scratch, blockIdx.x) = totals;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
