// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/columns/batchnorm.cuh"

/// The backward kernels. Chain is the stages of a pass; kAll counts the sums of the whole pipeline,
/// of which the pass finishes Chain::kTerms from kFirst on.
namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Publishes zero sums for a batch of no rows, with one thread a column.
template <class Chain, class S, class P, class A>
__global__ void publish_zeros(ColumnBackward<S, P, A> a) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= a.cols) return;
  Sums<A, Chain::kTerms> zeros;
  for (A& sum : zeros.at) sum = A(0);
  publish<Chain>(a, sheet_of<A>(a, Chain::kTerms), 0, col, zeros);
}

/// Sums the columns' sums to the gradients of parameters of one number, with one block.
template <class Chain, class S, class P, class A>
__global__ void sum_shared_gradients(ColumnBackward<S, P, A> a) {
  SIMT_SHARED(A, slots, [columns::kSharedLanes]);
  const Sheet<A> sheet = sheet_of<A>(a, Chain::kTerms);
  Chain::for_each_gradient(a, 0, [&](int term, const auto& gradient) {
    if (gradient.data == nullptr || gradient.stride != 0) return;
    A sum = A(0);
    for (std::int64_t col = threadIdx.x; col < a.cols; col += blockDim.x)
      sum += sheet.whole(term, col);
    __syncthreads();  // the gradient before has been read
    slots[threadIdx.x] = sum;
    combine_lanes(&slots[0], 1, columns::kSharedLanes);
    if (threadIdx.x == 0)
      gradient.data[0] = convert<std::remove_reference_t<decltype(*gradient.data)>>(slots[0]);
  });
}

/// Runs one block a column tile; x and g, the cotangent of the norm's value, stay in shared memory,
/// so that x and dy are read once, and the stages behind the norm are taken back once.
template <class Pipeline, int kLanes, class S, class P, class A>
__global__ void __launch_bounds__(512) backward_resident(ColumnBackward<S, P, A> a, bool vector) {
  using SumsPass = typename Pipeline::SumsPass;
  using Back = typename Pipeline::Back;
  using FirstPass = typename Back::FirstPass;
  constexpr int kBatch = 4;
  constexpr int kOwn = Back::kTerms;
  constexpr int kTogether = terms_at_once<A>(SumsPass::kTerms);
  SIMT_DYN_SHARED(Quad<A>, shared);
  const Place at = place_in(blockIdx.x, a.cols);
  const bool whole = vector && at.columns.inside == kQuad;
  const int rows = static_cast<int>(a.rows);
  const int step = static_cast<int>(blockDim.x);
  Quad<A>* const kept_g = shared + threadIdx.x;
  Quad<S>* const tile_x = reinterpret_cast<Quad<S>*>(shared + rows * step);
  Quad<S>* const kept_x = tile_x + threadIdx.x;
  auto* const slots = reinterpret_cast<Sums<A, kTogether>*>(tile_x + rows * step);
  const Sheet<A> sheet = sheet_of<A>(a, Pipeline::kTerms);

  const typename Pipeline::Prologue before(a, at.columns);
  const FixedNorm<A> norm(a, at.columns);
  LaneSums<A, SumsPass::kTerms> sums;
  with_whole(whole, [&](auto is_whole) {
    const FirstPass first(a, at.columns);
    const typename Pipeline::Epilogue after(a, at.columns, typename Pipeline::EpilogueOwn{});
    Quad<A>* const of_norm = sums.of + FirstPass::kTerms;
    Walk<const S> from[] = {walk(a.x, 0, at.columns), walk(a.dy, 0, at.columns)};
    const auto add_row = [&](int row, const auto& quad) {
      const Quad<A> x = convert_quad<A>(quad.of[0]);
      const Quad<A> z = before.value(x);
      const Quad<A> dy = convert_quad<A>(quad.of[1]);
      const Quad<A> g = after.pull(norm.value(z), dy, of_norm + FixedNorm<A>::kTerms);
      first.pull(x, norm.pull(z, g, of_norm), sums.of);
      kept_x[row * step] = quad.of[0];
      kept_g[row * step] = g;
    };
    visit_rows<kLanes, kBatch, is_whole.value>(at.lane, rows, from, add_row);
  });
  total_sums(slots, at, sums, kLanes);
  const Back back(before, norm, a.rows, [&](int term, int k) { return sums.of[term].at[k]; });
  for (int k = 0; k < kQuad; ++k)
    if (at.lane == 0 && k < at.columns.inside)
      publish<SumsPass>(a, sheet, Pipeline::kFirst, at.columns.col + k, column_of(sums, k));

  LaneSums<A, kOwn> own;
  with_whole(whole, [&](auto is_whole) {
    const Walk<S> to = walk(a.d_x, 0, at.columns);
    for (int row = at.lane; row < rows; row += kLanes) {
      const Quad<A> x = convert_quad<A>(kept_x[row * step]);
      const Quad<A> d_x = back.pull(x, kept_g[row * step], own.of);
      if (a.d_x.data != nullptr) store<is_whole.value>(to, row, d_x);
    }
  });
  if constexpr (kOwn > 0) {
    auto* const own_slots = reinterpret_cast<Sums<A, kOwn>*>(slots);
    static_assert(kOwn <= kTogether);
    __syncthreads();  // the slots are used again
    combine_sums(own_slots, at, own, kLanes);
    for (int k = 0; k < at.columns.inside && at.lane == 0; ++k)
      publish<Stages<Back>>(a, sheet, 0, at.columns.col + k, own_slots[at.slot + k]);
  }
}

/// Sums a chunk of rows and, with kInput, writes d_x on the way, with one block for each column
/// tile and chunk.
template <class Chain, bool kInput, int kAll, class S, class P, class A>
__global__ void __launch_bounds__(256, blocks_at_once<A>(kInput && Chain::kTerms > 2 ? 2 : 3))
    gradients_of_chunks(ColumnBackward<S, P, A> a, std::int64_t tiles, bool vector) {
  constexpr int kLanes = columns::kStreamLanes;
  constexpr int kBatch = 2;
  const Part part = part_of<kInput>(a.rows, a.cols, tiles);
  const Place& at = part.at;
  const Chain chain(a, at.columns);
  LaneSums<A, Chain::kTerms> sums;
  with_whole(vector && at.columns.inside == kQuad, [&](auto is_whole) {
    Walk<const S> from[] = {walk(a.x, part.begin, at.columns), walk(a.dy, part.begin, at.columns)};
    const auto pull = [&](const auto& quads) {
      return chain.pull(convert_quad<A>(quads.of[0]), convert_quad<A>(quads.of[1]), sums.of);
    };
    if constexpr (kInput) {
      map_rows<kLanes, kBatch, is_whole.value>(at.lane, part.rows, from,
                                               walk(a.d_x, part.begin, at.columns), pull);
    } else {
      visit_rows<kLanes, kBatch, is_whole.value>(at.lane, part.rows, from,
                                                 [&](int, const auto& quads) { pull(quads); });
    }
  });
  if constexpr (Chain::kTerms > 0) {
    using LaneSlot = Sums<A, Chain::kTerms>;
    SIMT_DYN_SHARED(LaneSlot, slots);
    combine_sums(slots, at, sums, kLanes);
    if (at.lane != 0) return;
    const Sheet<A> sheet = sheet_of<A>(a, kAll);
    for (int k = 0; k < at.columns.inside; ++k)
      for (int term = 0; term < Chain::kTerms; ++term)
        sheet.at(part.chunk, term, at.columns.col + k) = slots[at.slot + k].at[term];
  }
}

/// Adds up the sums of all chunks; the threads are laid out as in finish_statistics.
template <class Chain, int kFirst, int kAll, class S, class P, class A>
__global__ void __launch_bounds__(512) finish_gradients(ColumnBackward<S, P, A> a) {
  using ColumnSums = Sums<A, Chain::kTerms>;
  SIMT_DYN_SHARED(ColumnSums, slots);
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Sheet<A> sheet = sheet_of<A>(a, kAll);
  const std::int64_t chunks = sheet.chunks;
  ColumnSums sums;
  for (A& sum : sums.at) sum = A(0);
  for (std::int64_t chunk = threadIdx.y; chunk < chunks && col < a.cols; chunk += blockDim.y)
    for (int term = 0; term < Chain::kTerms; ++term) sums.at[term] += sheet.at(chunk, term, col);
  slots[threadIdx.y * blockDim.x + threadIdx.x] = sums;
  combine_lanes(slots, static_cast<int>(blockDim.x), static_cast<int>(blockDim.y));
  if (threadIdx.y == 0 && col < a.cols) publish<Chain>(a, sheet, kFirst, col, slots[threadIdx.x]);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
