// SPDX-License-Identifier: Apache-2.0
// y = batchnorm(x * scale) * weight + beta
#include "kernels/device/columns/column_passes.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
using ScaleBatchNorm = BatchNorm<A, Stages<Scale<A>>, Stages<>>;

template <class S, class P, class A>
void scale_batchnorm_forward(const Forward<S, P, A>& a) {
  batchnorm_forward<ScaleBatchNorm<A>>(a);
}

template <class S, class P, class A>
void scale_batchnorm_backward(const Backward<S, P, A>& a) {
  batchnorm_backward<ScaleBatchNorm<A>>(a);
}

#define GRADPROOF_INSTANTIATE(S, P, A)                            \
  template void scale_batchnorm_forward(const Forward<S, P, A>&); \
  template void scale_batchnorm_backward(const Backward<S, P, A>&);
GRADPROOF_COMBINATIONS(GRADPROOF_INSTANTIATE)
#undef GRADPROOF_INSTANTIATE

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
