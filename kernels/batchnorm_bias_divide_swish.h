// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <driver_types.h>

#include "simt/view.h"

/// y = swish((batchnorm(x) * weight + beta + bias) / divide): what its two entry points take. Plain
/// pointers, extents and strides, so that no back-end's view of the language differs.
namespace gradproof {

/// A matrix in memory; strides in elements, 0 repeats a row or column.
template <class T>
struct Matrix {
  T* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
};

/// Vectors have `cols` elements, contiguous.
template <class T>
struct BatchNormForward {
  std::int64_t rows, cols;
  Matrix<const T> x;
  Matrix<T> y;
  const T* weight;  ///< null: 1
  const T* beta;    ///< null: 0
  const T* bias;
  std::int64_t bias_stride;  ///< 1, or 0: one number for all columns
  T* running_mean;  ///< these three null: not tracked, so the batch's own statistics in eval too
  T* running_var;
  std::int64_t* num_batches_tracked;
  T* mean;  ///< saved statistics, the backward pass needs them
  T* rstd;
  T eps, momentum, divide;
  bool cumulative;  ///< momentum is 1 / (number of batches), this one included
  bool training;
  T* workspace;  ///< workspace_elements(rows, cols)
  cudaStream_t stream;
};

/// mean and rstd are those that the forward pass saved.
template <class T>
struct BatchNormBackward {
  std::int64_t rows, cols;
  Matrix<const T> x, dy;
  Matrix<T> d_x;
  const T *weight, *beta, *bias;
  std::int64_t bias_stride;
  const T *mean, *rstd;
  T *d_weight, *d_beta;  ///< null together with weight and beta
  T* d_bias;             ///< cols numbers, or one when bias_stride is 0
  T divide;
  bool batch_statistics;  ///< mean and rstd depend on x
  T* workspace;
  cudaStream_t stream;
};

namespace batchnorm {

/// Up to here a tile of columns stays in shared memory between its two passes (147456 bytes at
/// most, so that every device since sm_80 takes the same path); taller matrices are streamed in
/// chunks of rows.
constexpr std::int64_t kResidentRows = 1024;
constexpr std::int64_t kChunkRows = 512;
constexpr int kStreamLanes = 32;  ///< threads that share a column of a chunk
constexpr int kFinishLanes = 32;  ///< threads that share a column's partial results
constexpr int kBiasLanes = 256;   ///< threads that sum the gradient of a bias of one number

constexpr int kFewLanes = 32;
constexpr int kManyLanes = 128;

/// Threads that share a column of a resident tile.
constexpr int resident_lanes(std::int64_t rows) {
  return rows <= kFewLanes ? kFewLanes : kManyLanes;
}

/// Rows split evenly; the first chunks are the longest.
struct Chunks {
  std::int64_t rows;
  std::int64_t count;
  SIMT_HOST_DEVICE constexpr std::int64_t size(std::int64_t chunk) const {
    return rows / count + (chunk < rows % count ? 1 : 0);
  }
  SIMT_HOST_DEVICE constexpr std::int64_t begin(std::int64_t chunk) const {
    const std::int64_t longer = rows % count;
    return chunk * (rows / count) + (chunk < longer ? chunk : longer);
  }
};

SIMT_HOST_DEVICE constexpr Chunks chunks_of(std::int64_t rows) {
  return {rows, (rows + kChunkRows - 1) / kChunkRows};
}

/// Two numbers for each column of each chunk, and two for each column.
constexpr std::int64_t workspace_elements(std::int64_t rows, std::int64_t cols) {
  return 2 * cols * (chunks_of(rows).count + 1);
}

}  // namespace batchnorm
}  // namespace gradproof
