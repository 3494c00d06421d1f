// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

/// The fused kernels as LibTorch operators (torch.ops.gradproof.<name>, docs/operators.md), called
/// through the dispatcher: autograd, autocast and torch.compile see them as any other operator.
/// x is (rows, cols); a parameter is (1), (cols) or (1, cols), weight and beta are (cols). An
/// undefined tensor is an absent part. Every function throws c10::Error, with LibTorch's subclass
/// for that mistake, and names the argument, what it got and what it expected.
namespace gradproof::ops {

/// What a BatchNorm1d holds, as it holds it now.
struct BatchNorm {
  at::Tensor weight, beta;               ///< both or neither
  at::Tensor running_mean, running_var;  ///< with num_batches_tracked, or none of the three
  at::Tensor num_batches_tracked;        ///< int64, one element
  bool training = true;                  ///< running statistics move
  std::optional<double> momentum = 0.1;  ///< absent: cumulative average
  double eps = 1e-5;
};

/// What a GroupNorm holds.
struct GroupNorm {
  at::Tensor weight, beta;  ///< both or neither
  std::int64_t num_groups = 1;
  double eps = 1e-5;
};

/// The statistics are in the accumulation type (float32; float64 of float64), (cols) or
/// (rows, num_groups), and have no gradient.
struct Normalized {
  at::Tensor y, mean, rstd;
};

/// swish((x + bias) / divide)
at::Tensor bias_divide_swish(const at::Tensor& x, const at::Tensor& bias, double divide);

/// swish((batch_norm(x) + bias) / divide)
Normalized batchnorm_bias_divide_swish(const at::Tensor& x, const BatchNorm& norm,
                                       const at::Tensor& bias, double divide);

/// batch_norm(x * scale)
Normalized scale_batchnorm(const at::Tensor& x, const at::Tensor& scale, const BatchNorm& norm);

/// swish(x) + bias
at::Tensor swish_bias(const at::Tensor& x, const at::Tensor& bias);

/// group_norm(swish(x) + bias)
Normalized swish_bias_groupnorm(const at::Tensor& x, const at::Tensor& bias, const GroupNorm& norm);

/// group_norm(x)
Normalized groupnorm(const at::Tensor& x, const GroupNorm& norm);

/// swish(swish(x) * multiply)
at::Tensor swish_multiply_swish(const at::Tensor& x, const at::Tensor& multiply);

/// swish(swish(group_norm(x)) * multiply)
Normalized groupnorm_swish_multiply_swish(const at::Tensor& x, const GroupNorm& norm,
                                          const at::Tensor& multiply);

}  // namespace gradproof::ops
