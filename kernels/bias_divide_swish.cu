// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using BiasDivideSwish = Stages<Bias<A>, Divide<A>, Swish<A>>;

KernelDefinition bias_divide_swish() {
  return {.word = "bias_divide_swish",
          .formula = "swish((x + bias) / divide)",
          .pipeline = "y = silu(divide(bias(x, bias), 1.75))",
          .contract = column_contract,
          .workspace = column_workspace,
          .limits = column_limits,
          .entry = pointwise_entry<BiasDivideSwish>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
