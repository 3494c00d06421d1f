// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using ScaleBatchNorm = BatchNorm<A, Stages<Product<A>>, Stages<>>;

KernelDefinition scale_batchnorm() {
  return {.word = "scale_batchnorm",
          .formula = "batchnorm(x * scale) * weight + beta",
          .pipeline = "y = batch_norm(scale(x, scale), weight, beta, eps=1e-5)",
          .contract = column_contract,
          .workspace = column_workspace,
          .limits = column_limits,
          .entry = batchnorm_entry<ScaleBatchNorm>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
