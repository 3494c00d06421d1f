// SPDX-License-Identifier: Apache-2.0
// y = swish((batchnorm(x) * weight + beta + bias) / divide)
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using BatchNormBiasDivideSwish = BatchNorm<A, Stages<>, Stages<BiasOfNorm<A>, Divide<A>, Swish<A>>>;

template <class S, class P, class A>
void batchnorm_bias_divide_swish_forward(const Forward<S, P, A>& a) {
  batchnorm_forward<BatchNormBiasDivideSwish<A>>(a);
}

template <class S, class P, class A>
void batchnorm_bias_divide_swish_backward(const Backward<S, P, A>& a) {
  batchnorm_backward<BatchNormBiasDivideSwish<A>>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                                        \
  template void batchnorm_bias_divide_swish_forward(const Forward<S, P, A>&); \
  template void batchnorm_bias_divide_swish_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
