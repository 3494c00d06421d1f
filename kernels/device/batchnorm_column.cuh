// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/quad.cuh"
#include "kernels/device/swish.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// What one column is normalised, shifted and divided with.
template <class T>
struct Column {
  T mean, rstd, weight, beta, bias;
};

/// The parameters of the quad's columns; Arguments is BatchNormForward or BatchNormBackward.
template <class Arguments, class T>
__device__ void load_parameters(const Arguments& a, const Place& at, Column<T> (&columns)[kQuad]) {
  for (int k = 0; k < kQuad; ++k) {
    const bool inside = k < at.inside;
    const std::int64_t col = at.col + k;
    columns[k].weight = inside && a.weight != nullptr ? a.weight[col] : T(1);
    columns[k].beta = inside && a.beta != nullptr ? a.beta[col] : T(0);
    columns[k].bias = inside ? a.bias[col * a.bias_stride] : T(0);
  }
}

template <class Arguments, class T>
__device__ void load_statistics(const Arguments& a, const Place& at, Column<T> (&columns)[kQuad]) {
  for (int k = 0; k < kQuad; ++k) {
    columns[k].mean = k < at.inside ? a.mean[at.col + k] : T(0);
    columns[k].rstd = k < at.inside ? a.rstd[at.col + k] : T(0);
  }
}

template <class T>
__device__ Quad<T> standardized(const Quad<T>& x, const Column<T> (&columns)[kQuad]) {
  Quad<T> xhat;
  for (int k = 0; k < kQuad; ++k) xhat.at[k] = (x.at[k] - columns[k].mean) * columns[k].rstd;
  return xhat;
}

/// What Swish is applied to.
template <class T>
__device__ Quad<T> pre_activation(const Quad<T>& xhat, const Column<T> (&columns)[kQuad],
                                  const Divisor<T>& divide) {
  Quad<T> biased;
  for (int k = 0; k < kQuad; ++k) {
    const T z = columns[k].weight * xhat.at[k] + columns[k].beta;
    biased.at[k] = z + columns[k].bias;
  }
  return divided(biased, divide);
}

template <class T>
__device__ Quad<T> activated(const Quad<T>& x, const Column<T> (&columns)[kQuad],
                             const Divisor<T>& divide) {
  Quad<T> y = pre_activation(standardized(x, columns), columns, divide);
  for (int k = 0; k < kQuad; ++k) y.at[k] = swish(y.at[k]);
  return y;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
