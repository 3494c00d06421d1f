// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "core/tensor/tensor.h"
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

/// How a product is compared: each element with the float64 product, or sums of elements with
/// random signs. Automatic: the first, up to kFullAtMost multiplications.
enum class ProductCheck { automatic, full, freivalds };

/// Multiplications of one product that are affordable in float64: some 20 s on two cores.
inline constexpr double kFullAtMost = 0x1p39;

struct LinearCheck {
  ProductCheck product = ProductCheck::automatic;
  std::uint64_t seed = 1;  ///< of the signs
};

/// What was found about one result. Where sums were compared, the discrepancy is theirs: its
/// elements are (rows, tiles of columns, sign vectors), which is `shape` then.
struct LinearJudged : Judged {
  Shape shape;
  std::string witness;
  double seen_over = 0;  ///< sums: one element further off than this is seen but for 2^-16
};

/// Judges what is to be judged (z, d_input, d_weight, d_bias, as far as given) by the product in
/// float64, tile by tile: no truth is ever held whole. The bound is that of a library product in
/// f32 whatever its order and whether it has fma, gamma_n (|A||B|)_ij, n the roundings that a
/// product goes through (Higham 2002, 3.5); the truth's radius is the float64 product's own. Where
/// all products and partial sums are exact (small integers) both are 0.
/// Throws InstrumentError for shapes that do not fit, tensors with gaps and dtypes but f32.
std::map<std::string, LinearJudged, std::less<>> compare_linear(const LinearTensors& tensors,
                                                                const LinearCheck& check = {});

/// z of some columns as nobody has computed it, f64 (rows, columns).
struct LinearTruth {
  Tensor value;
  Tensor radius;  ///< |truth - value| at most
  Tensor error;   ///< what a float32 product may be off by
};
LinearTruth truth_of_z(const LinearTensors& tensors, const std::vector<std::int64_t>& columns);

}  // namespace gradproof
