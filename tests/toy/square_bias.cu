// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using SquareBias = Stages<Square<A>, Bias<A>>;

KernelDefinition square_bias() {
  return {.word = "square_bias",
          .formula = "x^2 + bias",
          .pipeline = "y = bias(square(x), bias)",
          .contract = column_contract,
          .workspace = column_workspace,
          .limits = column_limits,
          .entry = pointwise_entry<SquareBias>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
