// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/torch/arguments.h"

namespace gradproof::ops {

/// Both functions allocate the results and run the kernel where x is: in the executor for the CPU,
/// on the current stream of x's device for CUDA, not at all for meta tensors. Results are
/// contiguous. They throw c10::Error, also for the executor's findings.

/// Returns y, and with a norm mean and rstd; running statistics are updated in place.
std::vector<at::Tensor> forward(const Arguments& arguments);

/// Returns the gradients of x and of the parameters, each in the shape of its tensor; undefined if
/// output_mask does not want it.
std::vector<at::Tensor> backward(const Arguments& arguments);

}  // namespace gradproof::ops
