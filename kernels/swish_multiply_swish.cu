// SPDX-License-Identifier: Apache-2.0
// y = swish(swish(x) * multiply)
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using SwishMultiplySwish = Stages<Swish<A>, Multiply<A>, Swish<A>>;

template <class S, class P, class A>
void swish_multiply_swish_forward(const Forward<S, P, A>& a) {
  pointwise_forward<SwishMultiplySwish<A>>(a);
}

template <class S, class P, class A>
void swish_multiply_swish_backward(const Backward<S, P, A>& a) {
  pointwise_backward<SwishMultiplySwish<A>>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                                 \
  template void swish_multiply_swish_forward(const Forward<S, P, A>&); \
  template void swish_multiply_swish_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
