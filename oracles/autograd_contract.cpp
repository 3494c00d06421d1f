// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "oracles/autograd.h"

/// LibTorch's float64 arithmetic on the CPU as a contract, read from its sources
/// (aten/src/ATen/native of pytorch 2.11); tests/autograd_witness_test.cpp holds the library to it.
/// Its kernels are compiled with contraction to fma, which takes roundings away and adds none: a
/// bound without fma stays a bound.
namespace gradproof {
namespace {

/// cpu/batch_norm_kernel.cpp, batch_norm_cpu_collect_stats_channels_last_impl and
/// batch_norm_cpu_backward_channels_last_impl: an (N, C) tensor is contiguous with image_size 1, so
/// it takes the channels-last path, where each thread sums its own rows in order and then the
/// threads' sums are added. How many threads there are is no promise, and the sums of sum_to
/// (SumKernel.cpp, cascades) for the bias have another order again: any order of n terms is at most
/// a chain of n - 1.
Reduction any_order(const std::string& name, std::int64_t length) {
  return {name, length, std::max<std::int64_t>(length - 1, 0), "sums in any order"};
}

std::int64_t bias_terms(const Claim& claim) {
  std::int64_t terms = claim.rows;
  for (const Step& step : claim.pipeline.steps)
    if (step.kind == StageKind::bias &&
        numel(claim.tensor(step.parameters.at(0)).layout.shape) == 1)
      terms = claim.rows * claim.cols;
  return terms;
}

Contract libtorch_float64(const Claim& claim) {
  Contract c;
  c.storage = c.accumulation = c.scalar = DType::f64;
  c.reductions = {any_order("statistics", claim.rows), any_order("gradients", claim.rows),
                  any_order("bias_gradient", bias_terms(claim))};
  // The mean first, then the sum of (x - mean)^2; acc_type of double is double.
  c.variance = Variance::two_pass;
  // batch_norm_cpu_collect_linear_and_constant_terms: alpha = invstd * weight,
  // beta' = bias - mean * alpha, y = x * alpha + beta'. Without running statistics too: an
  // undefined tensor counts as contiguous in batch_norm_cpu_transform_input_template
  // (Normalization.cpp).
  c.affine_folded = true;
  // cpu/Activation.cpp, silu_kernel: x / (1 + exp(-x)).
  c.swish = SwishForm::quotient;
  // silu_backward_kernel: dy * s * (1 + x * (1 - s)) with s = 1 / (1 + exp(-x)).
  c.complement = SigmoidComplement::subtracted;
  // k = dotp * invstd * invstd / N, dx = (dy - sum / N - (x - mean) * k) * invstd * w.
  c.backward = NormBackward::centered;
  // Normalization.cpp, batch_norm_cpu_update_stats_template:
  // momentum * new + (1 - momentum) * old, the variance being var_sum / (n - 1).
  c.running = RunningUpdate::weighted;
  // cpu/vec/vec256/vec256_double.h and vec512: Sleef_expd*_u10, within 1.0 ulp = 2u of the true
  // value; a loop's remainder takes std::exp, which glibc keeps under 1 ulp.
  c.exp_error = 2;
  // InvStd: 1 / std::sqrt(var + eps), two correctly rounded operations.
  c.rsqrt_error = 2;
  // The number of threads decides the order of the sums.
  c.deterministic = false;
  return c;
}

}  // namespace

Claim as_libtorch_float64(const Claim& claim) {
  Claim own = claim;
  own.contract = libtorch_float64(claim);
  for (TensorSpec& spec : own.tensors)
    if (spec.dtype == DType::f32) spec.dtype = DType::f64;
  return own;
}

}  // namespace gradproof
