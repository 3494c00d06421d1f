// SPDX-License-Identifier: Apache-2.0
// y = swish((x + bias) / divide)
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using BiasDivideSwish = Stages<Bias<A>, Divide<A>, Swish<A>>;

template <class S, class P, class A>
void bias_divide_swish_forward(const Forward<S, P, A>& a) {
  pointwise_forward<BiasDivideSwish<A>>(a);
}

template <class S, class P, class A>
void bias_divide_swish_backward(const Backward<S, P, A>& a) {
  pointwise_backward<BiasDivideSwish<A>>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                              \
  template void bias_divide_swish_forward(const Forward<S, P, A>&); \
  template void bias_divide_swish_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
