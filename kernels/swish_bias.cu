// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using SwishBias = Stages<Swish<A>, Bias<A>>;

KernelDefinition swish_bias() {
  return {.word = "swish_bias",
          .formula = "swish(x) + bias",
          .pipeline = "y = bias(silu(x), bias)",
          .contract = column_contract,
          .workspace = column_workspace,
          .limits = column_limits,
          .entry = pointwise_entry<SwishBias>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
