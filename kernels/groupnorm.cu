// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/groups/group_launch.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using GroupNormAlone = GroupNorm<Stages<>, Stages<>>;

KernelDefinition groupnorm() {
  return {.word = "groupnorm",
          .formula = "groupnorm(x) * weight + beta",
          .pipeline = "y = group_norm(x, weight, beta, groups=4, eps=1e-5)",
          .contract = group_contract,
          .workspace = group_workspace,
          .limits = group_limits,
          .entry = groupnorm_entry<GroupNormAlone>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
