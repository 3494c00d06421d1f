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

/// The tensors and settings of a BatchNorm1d at the time of the call.
struct BatchNorm {
  at::Tensor weight, beta;               ///< both or neither
  at::Tensor running_mean, running_var;  ///< with num_batches_tracked, or none of the three
  at::Tensor num_batches_tracked;        ///< int64, one element
  bool training = true;                  ///< running statistics move
  std::optional<double> momentum = 0.1;  ///< absent: cumulative average
  double eps = 1e-5;
};

/// The tensors and settings of a GroupNorm.
struct GroupNorm {
  at::Tensor weight, beta;  ///< both or neither
  std::int64_t num_groups = 1;
  double eps = 1e-5;
};

/// The results of a norm. Statistics are in the accumulation type (float32; float64 for float64),
/// (cols) or (rows, num_groups), and have no gradient.
struct Normalized {
  at::Tensor y, mean, rstd;
};

/// Returns swish((x + bias) / divide).
at::Tensor bias_divide_swish(const at::Tensor& x, const at::Tensor& bias, double divide);

/// Returns swish((batch_norm(x) + bias) / divide) and the statistics.
Normalized batchnorm_bias_divide_swish(const at::Tensor& x, const BatchNorm& norm,
                                       const at::Tensor& bias, double divide);

/// Returns batch_norm(x * scale) and the statistics.
Normalized scale_batchnorm(const at::Tensor& x, const at::Tensor& scale, const BatchNorm& norm);

/// Returns swish(x) + bias.
at::Tensor swish_bias(const at::Tensor& x, const at::Tensor& bias);

/// Returns group_norm(swish(x) + bias) and the statistics.
Normalized swish_bias_groupnorm(const at::Tensor& x, const at::Tensor& bias, const GroupNorm& norm);

/// Returns group_norm(x) and the statistics.
Normalized groupnorm(const at::Tensor& x, const GroupNorm& norm);

/// Returns swish(swish(x) * multiply).
at::Tensor swish_multiply_swish(const at::Tensor& x, const at::Tensor& multiply);

/// Returns swish(swish(group_norm(x)) * multiply) and the statistics.
Normalized groupnorm_swish_multiply_swish(const at::Tensor& x, const GroupNorm& norm,
                                          const at::Tensor& multiply);

}  // namespace gradproof::ops
