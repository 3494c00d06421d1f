// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/graph/graph.h"
#include "core/tensor/dtype.h"

namespace gradproof {

/// A module of Python that computes the graph with PyTorch: one expression a step, that of the
/// stage's row (GraphStage::libtorch), tensors permuted and widened where axes ask for it. Shapes
/// are those of the extents; numbers are rounded to the type that `storage` is computed in. It
/// defines
///   forward(...)  the tensors in the graph's order -> a tuple of its outputs
///   INPUTS, OUTPUTS  what they are called (python_names.h)
std::string python_source(const Graph& graph, const GraphExtents& extents, DType storage);

}  // namespace gradproof
