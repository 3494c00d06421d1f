// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

#include "core/graph/graph_types.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// LibTorch has no such operator for this type.
struct NoOperator : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A graph by LibTorch's own operators and autograd, one operator a step, in the types of its
/// tensors, results in theirs: the executor of a claim that has no kernel. `inputs` has the graph's
/// tensors and a cotangent "dy" for each output y; the results are the outputs and a gradient "d_x"
/// for each tensor x but labels. Numbers of the text are float32's, with float64 tensors float64's.
/// Throws NoOperator where LibTorch has none for the type, UsageError for a step that it refuses,
/// each with its message.
Tensors graph_in_libtorch(const Graph& graph, const Tensors& inputs, const GraphTypes& types);

/// While it lives LibTorch computes without oneDNN, in all threads.
class WithoutOneDnn {
 public:
  WithoutOneDnn();
  ~WithoutOneDnn();
  WithoutOneDnn(const WithoutOneDnn&) = delete;
  WithoutOneDnn& operator=(const WithoutOneDnn&) = delete;

 private:
  bool before_ = false;
};

}  // namespace gradproof
