// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

/// The operators' kernels for the dispatch keys above the back-ends, the same for every operator.
namespace gradproof::ops {

/// Autograd of an operator: a node that calls its backward when a gradient may be wanted. It keeps
/// x, the parameters, mean and rstd; autograd refuses when one of them was changed in place since.
/// Throws c10::Error for a running statistic that requires a gradient.
void forward_autograd(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                      torch::jit::Stack* stack);

/// Autograd of a backward: its results require a gradient if its inputs do, and throw if one is
/// computed. Without this node a second derivative would silently be zero.
void backward_autograd(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack);

/// Reports to autograd that a training step changed the running statistics in place.
void forward_in_place(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                      torch::jit::Stack* stack);

}  // namespace gradproof::ops
