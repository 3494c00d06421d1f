// SPDX-License-Identifier: Apache-2.0
// y = swish(swish(groupnorm(x) * weight + beta) * multiply)
#include "kernels/device/groups/group_launch.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

struct GroupNormSwishMultiplySwish {
  template <class A>
  using Before = Stages<>;
  template <class A>
  using After = Stages<Swish<A>, Multiply<A>, Swish<A>>;
};

template <class S, class P, class A>
void groupnorm_swish_multiply_swish_forward(const Forward<S, P, A>& a) {
  run_forward<GroupNormSwishMultiplySwish>(a);
}

template <class S, class P, class A>
void groupnorm_swish_multiply_swish_backward(const Backward<S, P, A>& a) {
  run_backward<GroupNormSwishMultiplySwish>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                                           \
  template void groupnorm_swish_multiply_swish_forward(const Forward<S, P, A>&); \
  template void groupnorm_swish_multiply_swish_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
