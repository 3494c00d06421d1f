// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using SwishMultiplySwish = Stages<Swish<A>, Product<A>, Swish<A>>;

KernelDefinition swish_multiply_swish() {
  return {.word = "swish_multiply_swish",
          .formula = "swish(swish(x) * multiply)",
          .pipeline = "y = silu(scale(silu(x), multiply))",
          .contract = column_contract,
          .workspace = column_workspace,
          .limits = column_limits,
          .entry = pointwise_entry<SwishMultiplySwish>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
