// SPDX-License-Identifier: Apache-2.0
// y = groupnorm(x) * weight + beta
#include "kernels/device/groups/group_launch.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

struct GroupNorm {
  template <class A>
  using Before = Stages<>;
  template <class A>
  using After = Stages<>;
};

template <class S, class P, class A>
void groupnorm_forward(const Forward<S, P, A>& a) {
  run_forward<GroupNorm>(a);
}

template <class S, class P, class A>
void groupnorm_backward(const Backward<S, P, A>& a) {
  run_backward<GroupNorm>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                      \
  template void groupnorm_forward(const Forward<S, P, A>&); \
  template void groupnorm_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
