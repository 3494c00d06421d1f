// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/batchnorm_bias_divide_swish.h"
#include "simt/simt.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

constexpr int kQuad = 4;

/// Four adjacent columns of one row: what a thread loads and stores at once, 16 bytes of float32.
template <class T>
struct alignas(kQuad * sizeof(T)) Quad {
  T at[kQuad];
};

template <class T>
__device__ Quad<T> zero_quad() {
  return {{T(0), T(0), T(0), T(0)}};
}

/// Where a thread works: threadIdx.x counts quads of the block's column tile, threadIdx.y is the
/// lane that walks the rows lane, lane + lanes, ... of these columns.
struct Place {
  int lane;
  int slot;          ///< the quad's first column in the tile
  std::int64_t col;  ///< the same in the matrix
  int inside;        ///< how many of its columns the matrix has, 0 to 4
};

__device__ inline Place place_in(std::int64_t tile, std::int64_t cols) {
  const int slot = static_cast<int>(threadIdx.x) * kQuad;
  const std::int64_t col = tile * blockDim.x * kQuad + slot;
  const std::int64_t left = cols - col;
  const int inside = left >= kQuad ? kQuad : left > 0 ? static_cast<int>(left) : 0;
  return {static_cast<int>(threadIdx.y), slot, col, inside};
}

/// A way down the quads of a matrix, from one row to the one `lanes` further.
template <class T>
struct Walk {
  T* to;
  std::int64_t step;
  std::int64_t col_stride;
  int inside;
};

template <class T>
__device__ Walk<T> walk(const Matrix<T>& m, std::int64_t row, int lanes, const Place& at) {
  return {m.data + row * m.row_stride + at.col * m.col_stride, lanes * m.row_stride, m.col_stride,
          at.inside};
}

/// The quad `i` steps on. A whole quad is contiguous, aligned and all inside.
template <bool kWhole, class T>
__device__ Quad<T> load(const Walk<const T>& rows, int i) {
  const T* const from = rows.to + i * rows.step;
  if constexpr (kWhole) {
    return *reinterpret_cast<const Quad<T>*>(from);
  } else {
    Quad<T> quad = zero_quad<T>();
    for (int k = 0; k < kQuad; ++k)
      if (k < rows.inside) quad.at[k] = from[k * rows.col_stride];
    return quad;
  }
}

template <bool kWhole, class T>
__device__ void store(const Walk<T>& rows, int i, const Quad<T>& quad) {
  T* const to = rows.to + i * rows.step;
  if constexpr (kWhole) {
    *reinterpret_cast<Quad<T>*>(to) = quad;
  } else {
    for (int k = 0; k < kQuad; ++k)
      if (k < rows.inside) to[k * rows.col_stride] = quad.at[k];
  }
}

/// Calls visit(row, count) for the rows lane, lane + kLanes, ... below `rows`: kBatch of them at
/// once as long as there are so many, so that their loads are in flight together. `count` is a
/// compile-time number.
template <int kLanes, int kBatch, class Visit>
__device__ void visit_rows(int lane, int rows, const Visit& visit) {
  int row = lane;
  for (; row + (kBatch - 1) * kLanes < rows; row += kBatch * kLanes)
    visit(row, std::integral_constant<int, kBatch>{});
  for (; row < rows; row += kLanes) visit(row, std::integral_constant<int, 1>{});
}

/// Calls work(true) where the thread's quads are whole, work(false) otherwise; the argument is a
/// compile-time truth.
template <class Work>
__device__ void with_whole(bool whole, const Work& work) {
  if (whole) return work(std::true_type{});
  work(std::false_type{});
}

/// Whether the matrix may be read and written by whole quads, its last columns aside.
template <class T>
bool is_vector(const Matrix<T>& m) {
  const auto address = reinterpret_cast<std::uintptr_t>(m.data);
  return address % alignof(Quad<T>) == 0 && m.col_stride == 1 && m.row_stride % kQuad == 0;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
