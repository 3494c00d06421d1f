// SPDX-License-Identifier: Apache-2.0
// y = groupnorm(swish(x) + bias) * weight + beta
#include "kernels/device/groups/group_launch.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

struct SwishBiasGroupNorm {
  template <class A>
  using Before = Stages<Swish<A>, Bias<A>>;
  template <class A>
  using After = Stages<>;
};

template <class S, class P, class A>
void swish_bias_groupnorm_forward(const Forward<S, P, A>& a) {
  run_forward<SwishBiasGroupNorm>(a);
}

template <class S, class P, class A>
void swish_bias_groupnorm_backward(const Backward<S, P, A>& a) {
  run_backward<SwishBiasGroupNorm>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                                 \
  template void swish_bias_groupnorm_forward(const Forward<S, P, A>&); \
  template void swish_bias_groupnorm_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
