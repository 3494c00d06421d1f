// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/batchnorm_column.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Four elements on the way back: g is the cotangent of batchnorm's value.
template <class T>
struct Cells {
  Quad<T> xhat, g;
};

template <class T>
__device__ Cells<T> cells_of(const Quad<T>& x, const Quad<T>& dy, const Column<T> (&columns)[kQuad],
                             const Divisor<T>& divide) {
  const Quad<T> xhat = standardized(x, columns);
  Quad<T> g = pre_activation(xhat, columns, divide);
  for (int k = 0; k < kQuad; ++k) g.at[k] = dy.at[k] * swish_slope(g.at[k]);
  return {xhat, divided(g, divide)};
}

/// Quads of x and dy in kCount rows, all loads in flight together.
template <int kCount, class T>
struct Loaded {
  Quad<T> x[kCount], dy[kCount];
};

template <bool kWhole, int kCount, class T>
__device__ Loaded<kCount, T> load_both(const Walk<const T>& x, const Walk<const T>& dy) {
  Loaded<kCount, T> loaded;
  for (int i = 0; i < kCount; ++i) {
    loaded.x[i] = load<kWhole>(x, i);
    loaded.dy[i] = load<kWhole>(dy, i);
  }
  return loaded;
}

/// Sums over the rows of one column.
template <class T>
struct GradientSums {
  T g, g_xhat;
};

template <class T>
__device__ GradientSums<T> combine(const GradientSums<T>& a, const GradientSums<T>& b) {
  return {a.g + b.g, a.g_xhat + b.g_xhat};
}

template <class T>
__device__ void add(GradientSums<T> (&sums)[kQuad], const Cells<T>& cells) {
  for (int k = 0; k < kQuad; ++k) {
    sums[k].g += cells.g.at[k];
    sums[k].g_xhat += cells.g.at[k] * cells.xhat.at[k];
  }
}

/// The means of g and g * xhat of one column, and weight * rstd.
template <class T>
struct Correction {
  T factor, mean_g, mean_g_xhat;
};

template <class T>
__device__ Correction<T> correction_of(const GradientSums<T>& sums, const Column<T>& column,
                                       std::int64_t rows) {
  const T n = T(static_cast<float>(rows));
  return {column.weight * column.rstd, sums.g / n, sums.g_xhat / n};
}

/// Ioffe and Szegedy, "Batch normalization" (2015), section 3, in terms of xhat.
template <class T>
__device__ Quad<T> d_x_of(const Cells<T>& cells, const Correction<T> (&corrections)[kQuad]) {
  Quad<T> d_x;
  for (int k = 0; k < kQuad; ++k) {
    const Correction<T>& c = corrections[k];
    d_x.at[k] = c.factor * ((cells.g.at[k] - c.mean_g) - cells.xhat.at[k] * c.mean_g_xhat);
  }
  return d_x;
}

/// The same where the statistics are constants.
template <class T>
__device__ Quad<T> d_x_of(const Cells<T>& cells, const Column<T> (&columns)[kQuad]) {
  Quad<T> d_x;
  for (int k = 0; k < kQuad; ++k) d_x.at[k] = columns[k].weight * columns[k].rstd * cells.g.at[k];
  return d_x;
}

/// The workspace keeps the sums of each column behind the partial sums of the chunks.
template <class T>
__device__ T* whole_sums(const BatchNormBackward<T>& a) {
  return a.workspace + batchnorm::chunks_of(a.rows).count * 2 * a.cols;
}

template <class T>
__device__ void publish(const BatchNormBackward<T>& a, std::int64_t col,
                        const GradientSums<T>& sums) {
  if (a.d_weight != nullptr) a.d_weight[col] = sums.g_xhat;
  if (a.d_beta != nullptr) a.d_beta[col] = sums.g;
  if (a.bias_stride != 0) a.d_bias[col] = sums.g;
  whole_sums(a)[col] = sums.g;
  whole_sums(a)[a.cols + col] = sums.g_xhat;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
