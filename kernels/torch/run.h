// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/torch/arguments.h"

namespace gradproof::ops {

/// Allocates the results and runs the kernel where x is: in the executor for the CPU, on the
/// current stream of x's device for CUDA, not at all for meta tensors. Results are contiguous.
/// Throws c10::Error, with the executor's findings too.

/// y, and with a norm mean and rstd; running statistics are updated in place.
std::vector<at::Tensor> forward(const Arguments& arguments);

/// The gradients of x and of the parameters, each in the shape of its own; undefined where
/// output_mask does not want it.
std::vector<at::Tensor> backward(const Arguments& arguments);

}  // namespace gradproof::ops
