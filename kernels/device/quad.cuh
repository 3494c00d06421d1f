// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/arguments.h"
#include "kernels/device/number.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

constexpr int kQuad = 4;

/// Four adjacent columns of one row, which a thread loads and stores at once: 16 bytes of float32,
/// 8 of the half types.
template <class T>
struct alignas(kQuad * sizeof(T) < 16 ? kQuad * sizeof(T) : 16) Quad {
  T at[kQuad];
};

template <class T>
__device__ Quad<T> quad_of(T all) {
  return {{all, all, all, all}};
}

template <class T>
__device__ Quad<T> zero_quad() {
  return quad_of(T(0.0f));
}

template <class To, class From>
__device__ Quad<To> convert_quad(const Quad<From>& from) {
  Quad<To> to;
  for (int k = 0; k < kQuad; ++k) to.at[k] = convert<To>(from.at[k]);
  return to;
}

/// The columns of a quad in the matrix: `col` and up to three behind it.
struct Columns {
  std::int64_t col;
  int inside;  ///< how many of them the matrix has, 0 to 4
};

__device__ inline Columns columns_from(std::int64_t col, std::int64_t cols) {
  const std::int64_t left = cols - col;
  const int inside = left >= kQuad ? kQuad : left > 0 ? static_cast<int>(left) : 0;
  return {col, inside};
}

/// The parameter's numbers of these columns; `absent` if there is no parameter.
template <class A, class P>
__device__ Quad<A> load_vector(const Vector<P>& v, const Columns& columns, A absent) {
  Quad<A> quad;
  for (int k = 0; k < kQuad; ++k) {
    const bool present = v.data != nullptr && k < columns.inside;
    quad.at[k] = present ? convert<A>(v.data[(columns.col + k) * v.stride]) : absent;
  }
  return quad;
}

/// The columns' quads, row by row from a first row; null data if there is no matrix.
template <class T>
struct Walk {
  T* to;
  std::int64_t row_stride;
  std::int64_t col_stride;
  int inside;
};

template <class T>
__device__ Walk<T> walk(const Matrix<T>& m, std::int64_t row, const Columns& columns) {
  T* const first =
      m.data == nullptr ? nullptr : m.data + row * m.row_stride + columns.col * m.col_stride;
  return {first, m.row_stride, m.col_stride, columns.inside};
}

/// Loads the quad `row` rows on. A whole quad is contiguous, aligned and all inside.
template <bool kWhole, class T>
__device__ Quad<T> load(const Walk<const T>& rows, int row) {
  const T* const from = rows.to + row * rows.row_stride;
  if constexpr (kWhole) {
    return *reinterpret_cast<const Quad<T>*>(from);
  } else {
    Quad<T> quad = zero_quad<T>();
    for (int k = 0; k < kQuad; ++k)
      if (k < rows.inside) quad.at[k] = from[k * rows.col_stride];
    return quad;
  }
}

/// Rounds the quad to T and stores it `row` rows on.
template <bool kWhole, class T, class A>
__device__ void store(const Walk<T>& rows, int row, const Quad<A>& value) {
  const Quad<T> quad = convert_quad<T>(value);
  T* const to = rows.to + row * rows.row_stride;
  if constexpr (kWhole) {
    *reinterpret_cast<Quad<T>*>(to) = quad;
  } else {
    for (int k = 0; k < kQuad; ++k)
      if (k < rows.inside) to[k * rows.col_stride] = quad.at[k];
  }
}

/// Calls work(true) if the thread's quads are whole, else work(false); the argument is a
/// compile-time constant.
template <class Work>
__device__ void with_whole(bool whole, const Work& work) {
  if (whole) return work(std::true_type{});
  work(std::false_type{});
}

/// True if the matrix may be read and written by whole quads, except for its last columns; also
/// true if there is no matrix.
template <class T>
bool is_vector(const Matrix<T>& m) {
  const auto address = reinterpret_cast<std::uintptr_t>(m.data);
  if (m.data == nullptr) return true;
  return address % alignof(Quad<T>) == 0 && m.col_stride == 1 && m.row_stride % kQuad == 0;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
