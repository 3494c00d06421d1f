// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/graph/graph.h"

namespace gradproof {

/// The keys that describe inputs (core/case/inputs.h), with the words that only graphs have.
std::vector<Key> graph_input_keys();

/// An input as the Case's `fill` says. A unit of the fill, which has one offset or outlier, is all
/// numbers that the graph's first norm standardises together; where no norm works over an axis of
/// the tensor, a unit is a row of its last axis.
Tensor filled_input(const Graph& graph, const GraphTensor& tensor, const GraphExtents& extents,
                    const Case& c, DType type);

/// A cotangent as the Case says; `designed` ones follow the first input if it has their shape.
Tensor filled_cotangent(const Graph& graph, const std::string& output, const Shape& shape,
                        const Case& c, const Tensors& inputs, DType type);

/// The numbers of a fixed tensor of some kind. A tensor by which a step chooses has 1 where another
/// mask has 0, and 0 where another one has -Inf.
Tensor filled_mask(const Graph& graph, const GraphTensor& tensor, const Shape& shape, const Case& c,
                   DType type);

}  // namespace gradproof
