// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using BatchNormBiasDivideSwish = BatchNorm<A, Stages<>, Stages<BiasOfNorm<A>, Divide<A>, Swish<A>>>;

KernelDefinition batchnorm_bias_divide_swish() {
  return {.word = "batchnorm_bias_divide_swish",
          .formula = "swish((batchnorm(x) * weight + beta + bias) / divide)",
          .pipeline =
              "h = batch_norm(x, weight, beta, eps=1e-5); "
              "y = silu(divide(bias(h, bias), 1.75))",
          .contract = column_contract,
          .workspace = column_workspace,
          .limits = column_limits,
          .entry = batchnorm_entry<BatchNormBiasDivideSwish>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
