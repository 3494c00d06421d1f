// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/groups/group_launch.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using GroupNormSwishMultiplySwish = GroupNorm<Stages<>, Stages<Swish<A>, Product<A>, Swish<A>>>;

KernelDefinition groupnorm_swish_multiply_swish() {
  return {.word = "groupnorm_swish_multiply_swish",
          .formula = "swish(swish(groupnorm(x) * weight + beta) * multiply)",
          .pipeline =
              "h = group_norm(x, weight, beta, groups=4, eps=1e-5); "
              "y = silu(scale(silu(h), multiply))",
          .contract = group_contract,
          .workspace = group_workspace,
          .limits = group_limits,
          .entry = groupnorm_entry<GroupNormSwishMultiplySwish>()};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
