// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/batchnorm_gradient.cuh"
#include "kernels/device/column_tree.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// A batch of no rows. One thread a column.
template <class T>
__global__ void publish_zeros(BatchNormBackward<T> a) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col < a.cols) publish(a, col, {T(0), T(0)});
}

/// The gradient of a bias of one number, from the sums of the columns. One block.
template <class T>
__global__ void sum_bias_gradient(BatchNormBackward<T> a) {
  SIMT_SHARED(T, slots, [batchnorm::kBiasLanes]);
  T sum = T(0);
  for (std::int64_t col = threadIdx.x; col < a.cols; col += blockDim.x) sum += whole_sums(a)[col];
  slots[threadIdx.x] = sum;
  combine_lanes(&slots[0], 1, batchnorm::kBiasLanes);
  if (threadIdx.x == 0) a.d_bias[0] = slots[0];
}

/// One block a column tile; xhat and g stay in shared memory, so that x and dy are read and Swish
/// is taken back once.
template <int kLanes, class T>
__global__ void __launch_bounds__(512) backward_resident(BatchNormBackward<T> a, bool vector) {
  constexpr int kBatch = 4;
  SIMT_DYN_SHARED(Quad<T>, shared);
  const Place at = place_in(blockIdx.x, a.cols);
  const bool whole = vector && at.inside == kQuad;
  const int rows = static_cast<int>(a.rows);
  const int step = static_cast<int>(blockDim.x);
  const int columns = step * kQuad;
  Quad<T>* const xhat = shared + threadIdx.x;
  Quad<T>* const g = xhat + rows * step;
  auto* const slots = reinterpret_cast<GradientSums<T>*>(shared + 2 * rows * step);

  Column<T> column[kQuad];
  load_parameters(a, at, column);
  load_statistics(a, at, column);
  const Divisor<T> divide = divisor_of(a.divide);
  GradientSums<T> sums[kQuad];
  for (int k = 0; k < kQuad; ++k) sums[k] = {T(0), T(0)};
  with_whole(whole, [&](auto is_whole) {
    visit_rows<kLanes, kBatch>(at.lane, rows, [&](int row, auto count) {
      const auto loaded = load_both<is_whole.value, count.value>(walk(a.x, row, kLanes, at),
                                                                 walk(a.dy, row, kLanes, at));
      for (int i = 0; i < count.value; ++i) {
        const Cells<T> cells = cells_of(loaded.x[i], loaded.dy[i], column, divide);
        add(sums, cells);
        xhat[(row + i * kLanes) * step] = cells.xhat;
        g[(row + i * kLanes) * step] = cells.g;
      }
    });
  });
  for (int k = 0; k < kQuad; ++k) slots[at.lane * columns + at.slot + k] = sums[k];
  combine_lanes(slots, columns, kLanes);

  Correction<T> correction[kQuad];
  for (int k = 0; k < kQuad; ++k) {
    correction[k] = correction_of(slots[at.slot + k], column[k], a.rows);
    if (at.lane == 0 && k < at.inside) publish(a, at.col + k, slots[at.slot + k]);
  }
  with_whole(whole, [&](auto is_whole) {
    visit_rows<kLanes, 1>(at.lane, rows, [&](int row, auto) {
      const Cells<T> cells{xhat[row * step], g[row * step]};
      store<is_whole.value>(walk(a.d_x, row, kLanes, at), 0, d_x_of(cells, correction));
    });
  });
}

/// Sums of a chunk of rows, one block for each column tile and chunk. In eval the statistics are
/// constants, d_x needs no sums and is written on the way.
template <bool kConstantStatistics, class T>
__global__ void __launch_bounds__(256, 3)
    sums_of_chunks(BatchNormBackward<T> a, std::int64_t tiles, bool vector) {
  constexpr int kLanes = batchnorm::kStreamLanes;
  constexpr int kBatch = 2;
  SIMT_DYN_SHARED(GradientSums<T>, slots);
  const batchnorm::Chunks chunks = batchnorm::chunks_of(a.rows);
  const Place at = place_in(blockIdx.x % tiles, a.cols);
  const std::int64_t chunk = blockIdx.x / tiles;
  const std::int64_t begin = chunks.begin(chunk) + at.lane;
  const int columns = static_cast<int>(blockDim.x) * kQuad;

  Column<T> column[kQuad];
  load_parameters(a, at, column);
  load_statistics(a, at, column);
  const Divisor<T> divide = divisor_of(a.divide);
  GradientSums<T> sums[kQuad];
  for (int k = 0; k < kQuad; ++k) sums[k] = {T(0), T(0)};
  with_whole(vector && at.inside == kQuad, [&](auto is_whole) {
    Walk<const T> x = walk(a.x, begin, kLanes, at);
    Walk<const T> dy = walk(a.dy, begin, kLanes, at);
    Walk<T> to = walk(a.d_x, begin, kLanes, at);
    const int rows = static_cast<int>(chunks.size(chunk));
    visit_rows<kLanes, kBatch>(at.lane, rows, [&](int, auto count) {
      const auto loaded = load_both<is_whole.value, count.value>(x, dy);
      for (int i = 0; i < count.value; ++i) {
        const Cells<T> cells = cells_of(loaded.x[i], loaded.dy[i], column, divide);
        add(sums, cells);
        if constexpr (kConstantStatistics) store<is_whole.value>(to, i, d_x_of(cells, column));
      }
      x.to += count.value * x.step;
      dy.to += count.value * dy.step;
      to.to += count.value * to.step;
    });
  });
  for (int k = 0; k < kQuad; ++k) slots[at.lane * columns + at.slot + k] = sums[k];
  combine_lanes(slots, columns, kLanes);
  if (at.lane != 0) return;
  T* const partial = a.workspace + chunk * 2 * a.cols;
  for (int k = 0; k < at.inside; ++k) {
    partial[at.col + k] = slots[at.slot + k].g;
    partial[a.cols + at.col + k] = slots[at.slot + k].g_xhat;
  }
}

/// Adds up the sums of all chunks; threads as in finish_statistics.
template <class T>
__global__ void __launch_bounds__(512) finish_gradients(BatchNormBackward<T> a) {
  SIMT_DYN_SHARED(GradientSums<T>, slots);
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t chunks = batchnorm::chunks_of(a.rows).count;
  GradientSums<T> sums{T(0), T(0)};
  for (std::int64_t chunk = threadIdx.y; chunk < chunks && col < a.cols; chunk += blockDim.y) {
    const T* const partial = a.workspace + chunk * 2 * a.cols;
    sums = combine(sums, GradientSums<T>{partial[col], partial[a.cols + col]});
  }
  slots[threadIdx.y * blockDim.x + threadIdx.x] = sums;
  combine_lanes(slots, static_cast<int>(blockDim.x), static_cast<int>(blockDim.y));
  if (threadIdx.y == 0 && col < a.cols) publish(a, col, slots[threadIdx.x]);
}

/// d_x from x, dy and the finished sums. Chunks go from last to first: the cache still holds the
/// rows read last.
template <class T>
__global__ void __launch_bounds__(256, 3)
    d_x_of_chunks(BatchNormBackward<T> a, std::int64_t tiles, bool vector) {
  constexpr int kLanes = batchnorm::kStreamLanes;
  constexpr int kBatch = 2;
  const batchnorm::Chunks chunks = batchnorm::chunks_of(a.rows);
  const Place at = place_in(blockIdx.x % tiles, a.cols);
  const std::int64_t chunk = chunks.count - 1 - blockIdx.x / tiles;
  const std::int64_t begin = chunks.begin(chunk) + at.lane;
  Column<T> column[kQuad];
  load_parameters(a, at, column);
  load_statistics(a, at, column);
  const Divisor<T> divide = divisor_of(a.divide);
  Correction<T> correction[kQuad];
  for (int k = 0; k < kQuad; ++k) {
    const std::int64_t col = k < at.inside ? at.col + k : 0;
    const GradientSums<T> sums{whole_sums(a)[col], whole_sums(a)[a.cols + col]};
    correction[k] = correction_of(sums, column[k], a.rows);
  }
  with_whole(vector && at.inside == kQuad, [&](auto is_whole) {
    Walk<const T> x = walk(a.x, begin, kLanes, at);
    Walk<const T> dy = walk(a.dy, begin, kLanes, at);
    Walk<T> to = walk(a.d_x, begin, kLanes, at);
    const int rows = static_cast<int>(chunks.size(chunk));
    visit_rows<kLanes, kBatch>(at.lane, rows, [&](int, auto count) {
      const auto loaded = load_both<is_whole.value, count.value>(x, dy);
      for (int i = 0; i < count.value; ++i) {
        const Cells<T> cells = cells_of(loaded.x[i], loaded.dy[i], column, divide);
        store<is_whole.value>(to, i, d_x_of(cells, correction));
      }
      x.to += count.value * x.step;
      dy.to += count.value * dy.step;
      to.to += count.value * to.step;
    });
  });
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
