// SPDX-License-Identifier: Apache-2.0
// y = swish(x) + bias
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using SwishBias = Stages<Swish<A>, Bias<A>>;

template <class S, class P, class A>
void swish_bias_forward(const Forward<S, P, A>& a) {
  pointwise_forward<SwishBias<A>>(a);
}

template <class S, class P, class A>
void swish_bias_backward(const Backward<S, P, A>& a) {
  pointwise_backward<SwishBias<A>>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                       \
  template void swish_bias_forward(const Forward<S, P, A>&); \
  template void swish_bias_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
