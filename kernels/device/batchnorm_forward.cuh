// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/batchnorm_column.cuh"
#include "kernels/device/column_tree.cuh"
#include "kernels/device/moments.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class T>
__device__ T rstd_of(T m2, const BatchNormForward<T>& a) {
  return simt::math::rsqrt(m2 / T(static_cast<float>(a.rows)) + a.eps);
}

/// Saves a column's statistics and moves the running ones; m2 is the sum of squared differences
/// from the mean.
template <class T>
__device__ void publish(const BatchNormForward<T>& a, std::int64_t col, T mean, T m2) {
  a.mean[col] = mean;
  a.rstd[col] = rstd_of(m2, a);
  if (!a.training || a.running_mean == nullptr) return;
  // num_batches_tracked counts this batch already
  const T momentum =
      a.cumulative ? T(1) / T(static_cast<float>(*a.num_batches_tracked)) : a.momentum;
  const T unbiased = m2 / T(static_cast<float>(a.rows - 1));
  const T keep = T(1) - momentum;
  a.running_mean[col] = keep * a.running_mean[col] + momentum * mean;
  a.running_var[col] = keep * a.running_var[col] + momentum * unbiased;
}

/// One thread, before all others: they read the new count.
template <class T>
__global__ void count_batch(BatchNormForward<T> a) {
  ++*a.num_batches_tracked;
}

/// Eval: the saved statistics are the running ones. One thread a column.
template <class T>
__global__ void take_running_statistics(BatchNormForward<T> a) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= a.cols) return;
  a.mean[col] = a.running_mean[col];
  a.rstd[col] = simt::math::rsqrt(a.running_var[col] + a.eps);
}

/// One block a column tile, which stays in shared memory: x is read once. Each thread meets only
/// its own quads there.
template <int kLanes, class T>
__global__ void __launch_bounds__(512) forward_resident(BatchNormForward<T> a, bool vector) {
  constexpr int kBatch = 8;  // loads in flight
  SIMT_DYN_SHARED(Quad<T>, shared);
  const Place at = place_in(blockIdx.x, a.cols);
  const bool whole = vector && at.inside == kQuad;
  const int rows = static_cast<int>(a.rows);
  const int step = static_cast<int>(blockDim.x);
  const int columns = step * kQuad;
  Quad<T>* const tile = shared + threadIdx.x;
  T* const slots = reinterpret_cast<T*>(shared + rows * step);
  T* const mine = slots + at.lane * columns + at.slot;
  const T* const total = slots + at.slot;

  Quad<T> sum = zero_quad<T>();
  with_whole(whole, [&](auto is_whole) {
    visit_rows<kLanes, kBatch>(at.lane, rows, [&](int row, auto count) {
      const Walk<const T> from = walk(a.x, row, kLanes, at);
      Quad<T> x[count.value];
      for (int i = 0; i < count.value; ++i) x[i] = load<is_whole.value>(from, i);
      for (int i = 0; i < count.value; ++i) {
        tile[(row + i * kLanes) * step] = x[i];
        for (int k = 0; k < kQuad; ++k) sum.at[k] += x[i].at[k];
      }
    });
  });
  for (int k = 0; k < kQuad; ++k) mine[k] = sum.at[k];
  combine_lanes(slots, columns, kLanes);

  Column<T> column[kQuad];
  for (int k = 0; k < kQuad; ++k) column[k].mean = total[k] / T(static_cast<float>(rows));
  __syncthreads();  // the slots are used again
  Quad<T> square = zero_quad<T>();
  for (int row = at.lane; row < rows; row += kLanes) {
    const Quad<T> x = tile[row * step];
    for (int k = 0; k < kQuad; ++k) {
      const T difference = x.at[k] - column[k].mean;
      square.at[k] += difference * difference;
    }
  }
  for (int k = 0; k < kQuad; ++k) mine[k] = square.at[k];
  combine_lanes(slots, columns, kLanes);

  for (int k = 0; k < kQuad; ++k) {
    column[k].rstd = rstd_of(total[k], a);
    if (at.lane == 0 && k < at.inside) publish(a, at.col + k, column[k].mean, total[k]);
  }
  load_parameters(a, at, column);
  const Divisor<T> divide = divisor_of(a.divide);
  with_whole(whole, [&](auto is_whole) {
    visit_rows<kLanes, 1>(at.lane, rows, [&](int row, auto) {
      const Quad<T> y = activated(tile[row * step], column, divide);
      store<is_whole.value>(walk(a.y, row, kLanes, at), 0, y);
    });
  });
}

/// Moments of a chunk of rows, one block for each column tile and chunk.
template <class T>
__global__ void __launch_bounds__(256, 4)
    moments_of_chunks(BatchNormForward<T> a, std::int64_t tiles, bool vector) {
  constexpr int kLanes = batchnorm::kStreamLanes;
  constexpr int kBatch = 8;
  SIMT_DYN_SHARED(Moments<T>, slots);
  const Place at = place_in(blockIdx.x % tiles, a.cols);
  const std::int64_t chunk = blockIdx.x / tiles;
  const batchnorm::Chunks chunks = batchnorm::chunks_of(a.rows);
  const int rows = static_cast<int>(chunks.size(chunk));
  const int columns = static_cast<int>(blockDim.x) * kQuad;

  Quad<T> mean = zero_quad<T>();
  Quad<T> m2 = zero_quad<T>();
  int seen = 0;
  with_whole(vector && at.inside == kQuad, [&](auto is_whole) {
    Walk<const T> from = walk(a.x, chunks.begin(chunk) + at.lane, kLanes, at);
    visit_rows<kLanes, kBatch>(at.lane, rows, [&](int, auto count) {
      Quad<T> x[count.value];
      for (int i = 0; i < count.value; ++i) x[i] = load<is_whole.value>(from, i);
      from.to += count.value * from.step;
      for (int i = 0; i < count.value; ++i) {
        const T n = T(static_cast<float>(++seen));
        const T share = quotient(T(1), n, reciprocal_seed(n));  // one for four columns
        for (int k = 0; k < kQuad; ++k) add(mean.at[k], m2.at[k], x[i].at[k], share);
      }
    });
  });
  Moments<T>* const mine = slots + at.lane * columns + at.slot;
  for (int k = 0; k < kQuad; ++k) mine[k] = Moments<T>{mean.at[k], m2.at[k], seen};
  combine_lanes(slots, columns, kLanes);
  if (at.lane != 0) return;
  T* const partial = a.workspace + chunk * 2 * a.cols;
  for (int k = 0; k < at.inside; ++k) {
    partial[at.col + k] = slots[at.slot + k].mean;
    partial[a.cols + at.col + k] = slots[at.slot + k].m2;
  }
}

/// Joins the moments of all chunks. threadIdx.x is the column in the block's tile, threadIdx.y the
/// lane over the chunks.
template <class T>
__global__ void __launch_bounds__(512) finish_statistics(BatchNormForward<T> a) {
  SIMT_DYN_SHARED(Moments<T>, slots);
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.y);
  const batchnorm::Chunks chunks = batchnorm::chunks_of(a.rows);
  Moments<T> moments{T(0), T(0), 0};
  for (std::int64_t chunk = lane; chunk < chunks.count && col < a.cols; chunk += blockDim.y) {
    const T* const partial = a.workspace + chunk * 2 * a.cols;
    const Moments<T> more{partial[col], partial[a.cols + col], chunks.size(chunk)};
    moments = chunk == lane ? more : combine(moments, more);
  }
  slots[threadIdx.y * blockDim.x + threadIdx.x] = moments;
  combine_lanes(slots, static_cast<int>(blockDim.x), static_cast<int>(blockDim.y));
  if (lane == 0 && col < a.cols) publish(a, col, slots[threadIdx.x].mean, slots[threadIdx.x].m2);
}

/// y from x and the saved statistics. Chunks go from last to first: the cache still holds the rows
/// read last.
template <class T>
__global__ void __launch_bounds__(256, 3)
    normalize(BatchNormForward<T> a, std::int64_t tiles, bool vector) {
  constexpr int kLanes = batchnorm::kStreamLanes;
  constexpr int kBatch = 4;
  const batchnorm::Chunks chunks = batchnorm::chunks_of(a.rows);
  const Place at = place_in(blockIdx.x % tiles, a.cols);
  const std::int64_t chunk = chunks.count - 1 - blockIdx.x / tiles;
  const int rows = static_cast<int>(chunks.size(chunk));
  Column<T> column[kQuad];
  load_parameters(a, at, column);
  load_statistics(a, at, column);
  const Divisor<T> divide = divisor_of(a.divide);
  with_whole(vector && at.inside == kQuad, [&](auto is_whole) {
    Walk<const T> from = walk(a.x, chunks.begin(chunk) + at.lane, kLanes, at);
    Walk<T> to = walk(a.y, chunks.begin(chunk) + at.lane, kLanes, at);
    visit_rows<kLanes, kBatch>(at.lane, rows, [&](int, auto count) {
      Quad<T> x[count.value];
      for (int i = 0; i < count.value; ++i) x[i] = load<is_whole.value>(from, i);
      for (int i = 0; i < count.value; ++i)
        store<is_whole.value>(to, i, activated(x[i], column, divide));
      from.to += count.value * from.step;
      to.to += count.value * to.step;
    });
  });
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
