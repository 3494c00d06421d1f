// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <driver_types.h>

/// What the entry points of every kernel take: plain pointers, extents and strides, so that no
/// back-end's view of the language differs. A kernel reads the parts that its pipeline has.
///   S  storage: of x, y, dy and d_x
///   P  parameters, their gradients and the running statistics: S or float
///   A  accumulation and saved statistics: float, for double double
namespace gradproof {

/// A matrix in memory; strides in elements, 0 repeats a row or column, no product of index and
/// stride need fit 32 bits.
template <class T>
struct Matrix {
  T* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
};

/// One number for each column (stride 1) or one for all (stride 0). Null data: absent, or for a
/// gradient not wanted.
template <class T>
struct Vector {
  T* data;
  std::int64_t stride;
};

template <class S, class P, class A>
struct Forward {
  std::int64_t rows, cols, groups;
  Matrix<const S> x;
  Matrix<S> y;
  Vector<const P> weight, beta;  ///< of a norm; absent: 1 and 0
  Vector<const P> bias, scale, multiply;
  P* running_mean;  ///< these three null: not tracked
  P* running_var;
  std::int64_t* num_batches_tracked;
  A* mean;  ///< saved statistics, (cols) or (rows, groups); the backward pass needs them
  A* rstd;
  A eps, momentum, divide;
  bool cumulative;        ///< momentum is 1 / (number of batches), this one included
  bool training;          ///< running statistics move
  bool batch_statistics;  ///< a BatchNorm normalises with the batch's own mean and variance
  void* workspace;        ///< of the bytes that the catalog says
  cudaStream_t stream;
};

/// mean and rstd are those that the forward pass saved.
template <class S, class P, class A>
struct Backward {
  std::int64_t rows, cols, groups;
  Matrix<const S> x, dy;
  Matrix<S> d_x;
  Vector<const P> weight, beta, bias, scale, multiply;
  Vector<P> d_weight, d_beta, d_bias, d_scale, d_multiply;
  const A* mean;
  const A* rstd;
  A eps, divide;
  bool batch_statistics;  ///< mean and rstd depend on x
  void* workspace;
  cudaStream_t stream;
};

}  // namespace gradproof

/// The combinations of S, P and A that a unit holds. A mutant's unit has one of them.
#if !defined(GRADPROOF_COMBINATIONS)
#define GRADPROOF_COMBINATIONS(X)        \
  X(float, float, float)                 \
  X(double, double, double)              \
  X(__half, __half, float)               \
  X(__half, float, float)                \
  X(__nv_bfloat16, __nv_bfloat16, float) \
  X(__nv_bfloat16, float, float)
#endif
