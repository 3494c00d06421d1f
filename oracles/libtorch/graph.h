// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// LibTorch has no such operator for this type.
struct NoOperator : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A graph by LibTorch's own operators and autograd, one operator a step, in the type of its
/// tensors: the executor of a claim that has no kernel. `inputs` has the graph's tensors and a
/// cotangent "dy" for each output y; the results are the outputs and a gradient "d_x" for each
/// tensor x but labels. Numbers of the text are rounded to `scalar` first. Throws NoOperator where
/// LibTorch has none for the type, UsageError for a step that it refuses, each with its message.
Tensors graph_in_libtorch(const Graph& graph, const Tensors& inputs, DType storage);

}  // namespace gradproof
