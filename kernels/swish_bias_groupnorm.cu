// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/groups/group_launch.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using SwishBiasGroupNorm = GroupNorm<Stages<Swish<A>, Bias<A>>, Stages<>>;

KernelDefinition swish_bias_groupnorm() {
  return {.word = "swish_bias_groupnorm",
          .formula = "groupnorm(swish(x) + bias) * weight + beta",
          .pipeline = "y = group_norm(bias(silu(x), bias), weight, beta, groups=4, eps=1e-5)",
          .contract = group_contract,
          .workspace = group_workspace,
          .limits = group_limits,
          .entry = groupnorm_entry<SwishBiasGroupNorm>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
