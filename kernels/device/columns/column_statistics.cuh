// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/columns/batchnorm.cuh"
#include "kernels/device/moments.cuh"

/// The forward kernels of a BatchNorm. Pipeline is a BatchNorm<A, Before, After>.
namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Returns rstd from m2, the sum of squared differences from the mean.
template <class S, class P, class A>
__device__ A rstd_of(A m2, const ColumnForward<S, P, A>& a) {
  return simt::math::rsqrt(m2 / number<A>(a.rows) + a.eps);
}

/// The weight of the new statistics in the running ones; num_batches_tracked includes this batch.
template <class S, class P, class A>
__device__ A momentum_of(const ColumnForward<S, P, A>& a) {
  if (!a.cumulative) return a.momentum;
  return a.num_batches_tracked == nullptr ? A(0) : A(1) / number<A>(*a.num_batches_tracked);
}

/// Saves a column's statistics and moves the running ones.
template <class S, class P, class A>
__device__ void publish_statistics(const ColumnForward<S, P, A>& a, std::int64_t col, A mean, A m2) {
  a.mean[col] = mean;
  a.rstd[col] = rstd_of(m2, a);
  if (!a.training || a.running_mean == nullptr) return;
  const A momentum = momentum_of(a);
  const A unbiased = m2 / number<A>(a.rows - 1);
  const A keep = A(1) - momentum;
  const A old_mean = convert<A>(a.running_mean[col]);
  const A old_var = convert<A>(a.running_var[col]);
  a.running_mean[col] = convert<P>(keep * old_mean + momentum * mean);
  a.running_var[col] = convert<P>(keep * old_var + momentum * unbiased);
}

/// Counts the batch with one thread, before all other kernels, because these read the new count.
template <class S, class P, class A>
__global__ void count_batch(ColumnForward<S, P, A> a) {
  ++*a.num_batches_tracked;
}

/// In eval the saved statistics are the running ones. The kernel has one thread a column.
template <class S, class P, class A>
__global__ void take_running_statistics(ColumnForward<S, P, A> a) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= a.cols) return;
  a.mean[col] = convert<A>(a.running_mean[col]);
  a.rstd[col] = simt::math::rsqrt(convert<A>(a.running_var[col]) + a.eps);
}

/// Runs one block a column tile, which stays in shared memory, so that x is read once. Each thread
/// reads only the quads there that it wrote itself.
template <class Pipeline, int kLanes, class S, class P, class A>
__global__ void __launch_bounds__(512, blocks_at_once<A>(2))
    forward_resident(ColumnForward<S, P, A> a, bool vector) {
  constexpr int kBatch = 8;  // loads in flight
  SIMT_DYN_SHARED(Quad<S>, shared);
  const Place at = place_in(blockIdx.x, a.cols);
  const bool whole = vector && at.columns.inside == kQuad;
  const int rows = static_cast<int>(a.rows);
  const int step = static_cast<int>(blockDim.x);
  Quad<S>* const tile = shared + threadIdx.x;
  auto* const slots = reinterpret_cast<Sums<A, 1>*>(shared + rows * step);
  const typename Pipeline::Prologue before(a, at.columns);

  LaneSums<A, 1> sum;
  with_whole(whole, [&](auto is_whole) {
    Walk<const S> from[] = {walk(a.x, 0, at.columns)};
    visit_rows<kLanes, kBatch, is_whole.value>(at.lane, rows, from, [&](int row, const auto& quad) {
      tile[row * step] = quad.of[0];
      const Quad<A> x = before.value(convert_quad<A>(quad.of[0]));
      for (int k = 0; k < kQuad; ++k) sum.of[0].at[k] += x.at[k];
    });
  });
  combine_sums(slots, at, sum, kLanes);
  Quad<A> mean;
  for (int k = 0; k < kQuad; ++k) mean.at[k] = slots[at.slot + k].at[0] / number<A>(rows);
  __syncthreads();  // the slots are used again

  LaneSums<A, 1> square;
  for (int row = at.lane; row < rows; row += kLanes) {
    const Quad<A> x = before.value(convert_quad<A>(tile[row * step]));
    for (int k = 0; k < kQuad; ++k) {
      const A difference = x.at[k] - mean.at[k];
      square.of[0].at[k] += difference * difference;
    }
  }
  combine_sums(slots, at, square, kLanes);
  Quad<A> rstd;
  for (int k = 0; k < kQuad; ++k) {
    const A m2 = slots[at.slot + k].at[0];
    rstd.at[k] = rstd_of(m2, a);
    if (at.lane == 0 && k < at.columns.inside)
      publish_statistics(a, at.columns.col + k, mean.at[k], m2);
  }

  const FixedNorm<A> norm(a, at.columns, mean, rstd);
  const typename Pipeline::Epilogue after(a, at.columns, typename Pipeline::EpilogueOwn{});
  with_whole(whole, [&](auto is_whole) {
    const Walk<S> to = walk(a.y, 0, at.columns);
    for (int row = at.lane; row < rows; row += kLanes) {
      const Quad<A> x = before.value(convert_quad<A>(tile[row * step]));
      store<is_whole.value>(to, row, after.value(norm.value(x)));
    }
  });
}

/// Computes the moments of a chunk of rows, with one block for each column tile and chunk.
template <class Pipeline, class S, class P, class A>
__global__ void __launch_bounds__(256, blocks_at_once<A>(4))
    moments_of_chunks(ColumnForward<S, P, A> a, std::int64_t tiles, bool vector) {
  constexpr int kLanes = columns::kStreamLanes;
  constexpr int kBatch = 8;
  SIMT_DYN_SHARED(Moments<A>, slots);
  const Part part = part_of<false>(a.rows, a.cols, tiles);
  const Place& at = part.at;
  const typename Pipeline::Prologue before(a, at.columns);

  Quad<A> mean = zero_quad<A>();
  Quad<A> m2 = zero_quad<A>();
  int seen = 0;
  with_whole(vector && at.columns.inside == kQuad, [&](auto is_whole) {
    Walk<const S> from[] = {walk(a.x, part.begin, at.columns)};
    const auto add_row = [&](int, const auto& quad) {
      const Quad<A> x = before.value(convert_quad<A>(quad.of[0]));
      const A n = number<A>(++seen);
      const A share = quotient(A(1), n, reciprocal_seed(n));  // one for four columns
      for (int k = 0; k < kQuad; ++k) add(mean.at[k], m2.at[k], x.at[k], share);
    };
    visit_rows<kLanes, kBatch, is_whole.value>(at.lane, part.rows, from, add_row);
  });
  const int columns = static_cast<int>(blockDim.x) * kQuad;
  Moments<A>* const mine = slots + at.lane * columns + at.slot;
  for (int k = 0; k < kQuad; ++k) mine[k] = Moments<A>{mean.at[k], m2.at[k], seen};
  combine_lanes(slots, columns, kLanes);
  if (at.lane != 0) return;
  const Sheet<A> sheet = sheet_of<A>(a, 2);
  for (int k = 0; k < at.columns.inside; ++k) {
    sheet.at(part.chunk, 0, at.columns.col + k) = slots[at.slot + k].mean;
    sheet.at(part.chunk, 1, at.columns.col + k) = slots[at.slot + k].m2;
  }
}

/// Joins the moments of all chunks. threadIdx.x is the column in the block's tile, threadIdx.y the
/// lane that takes the chunks lane, lane + lanes, ...
template <class S, class P, class A>
__global__ void __launch_bounds__(512) finish_statistics(ColumnForward<S, P, A> a) {
  SIMT_DYN_SHARED(Moments<A>, slots);
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.y);
  const columns::Chunks chunks = columns::chunks_of(a.rows);
  const Sheet<A> sheet = sheet_of<A>(a, 2);
  Moments<A> moments{A(0), A(0), 0};
  for (std::int64_t chunk = lane; chunk < chunks.count && col < a.cols; chunk += blockDim.y) {
    const Moments<A> more{sheet.at(chunk, 0, col), sheet.at(chunk, 1, col), chunks.size(chunk)};
    moments = chunk == lane ? more : combine(moments, more);
  }
  slots[threadIdx.y * blockDim.x + threadIdx.x] = moments;
  combine_lanes(slots, static_cast<int>(blockDim.x), static_cast<int>(blockDim.y));
  if (lane == 0 && col < a.cols)
    publish_statistics(a, col, slots[threadIdx.x].mean, slots[threadIdx.x].m2);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
