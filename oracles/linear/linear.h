// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "core/tensor/tensor.h"
#include "oracles/oracle.h"

namespace gradproof {

/// Inputs and results of a Linear, row-major without gaps; nullptr: there is no such tensor.
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

/// The way of comparing a product: each element with the float64 product (full), or sums of
/// elements with random signs. Automatic is full up to kFullAtMost multiplications.
enum class ProductCheck { automatic, full, freivalds };

/// The most multiplications of a product that is computed in float64: some 20 s on two cores.
inline constexpr double kFullAtMost = 0x1p39;

struct LinearCheck {
  ProductCheck product = ProductCheck::automatic;
  std::uint64_t seed = 1;  ///< seed of the signs
};

/// The judgement of one result. If sums were compared, the elements of the discrepancy are sums,
/// and `shape` is (rows, tiles of columns, sign vectors).
struct LinearJudged : Judged {
  Shape shape;
  std::string witness;
  double seen_over = 0;  ///< an element with a larger error is missed with probability 2^-16
};

/// Compares those of z, d_input, d_weight and d_bias that are given with the product in float64,
/// tile by tile: the truth is never held as a whole. The bound is that of a product in f32 in any
/// order, with or without fma: gamma_n (|A||B|)_ij, n being the roundings of one product (Higham
/// 2002, 3.5). The radius is this bound for the float64 product. If all products and partial sums
/// are exact (small integers), both are 0. Throws InstrumentError for shapes that do not fit,
/// tensors with gaps and dtypes but f32.
std::map<std::string, LinearJudged, std::less<>> compare_linear(const LinearTensors& tensors,
                                                                const LinearCheck& check = {});

/// The exact z of some columns, with its error bounds; f64 (rows, columns).
struct LinearTruth {
  Tensor value;
  Tensor radius;  ///< |truth - value| is at most this
  Tensor error;   ///< permitted error of a float32 product
};
LinearTruth truth_of_z(const LinearTensors& tensors, const std::vector<std::int64_t>& columns);

}  // namespace gradproof
