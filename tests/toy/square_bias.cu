// SPDX-License-Identifier: Apache-2.0
// y = x^2 + bias
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using SquareBias = Stages<Square<A>, Bias<A>>;

template <class S, class P, class A>
void square_bias_forward(const Forward<S, P, A>& a) {
  pointwise_forward<SquareBias<A>>(a);
}

template <class S, class P, class A>
void square_bias_backward(const Backward<S, P, A>& a) {
  pointwise_backward<SquareBias<A>>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                        \
  template void square_bias_forward(const Forward<S, P, A>&); \
  template void square_bias_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
