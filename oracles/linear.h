// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "core/tensor.h"
#include "oracles/oracle.h"

namespace gradproof {

/// What a Linear was given and what it gave, row-major without gaps; null: there is none.
struct LinearTensors {
  const Tensor* input = nullptr;     ///< (rows, in)
  const Tensor* weight = nullptr;    ///< (out, in)
  const Tensor* bias = nullptr;      ///< (out)
  const Tensor* z = nullptr;         ///< (rows, out), to be judged: input weight^T + bias
  const Tensor* d_z = nullptr;       ///< (rows, out), given
  const Tensor* d_input = nullptr;   ///< (rows, in), to be judged: d_z weight
  const Tensor* d_weight = nullptr;  ///< (out, in), to be judged: d_z^T input
  const Tensor* d_bias = nullptr;    ///< (out), to be judged: column sums of d_z
};

/// Compares every element of what is to be judged (z, d_input, d_weight, d_bias, as far as given)
/// with the product in float64, tile by tile: no truth is ever held whole. The bound is that of a
/// library product in f32 whatever its order and whether it has fma, gamma_n (|A||B|)_ij, n the
/// roundings that a product goes through (Higham 2002, 3.5); the truth's radius is the float64
/// product's own. Where all products and partial sums are exact (small integers) both are 0.
/// Throws InstrumentError for shapes that do not fit, tensors with gaps and dtypes but f32.
std::map<std::string, Judged, std::less<>> compare_linear(const LinearTensors& tensors);

}  // namespace gradproof
