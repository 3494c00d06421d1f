// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "core/graph/graph.h"

namespace gradproof {

using TensorsByName = std::map<std::string, at::Tensor>;

/// The extents of all axes of a graph with these tensors.
GraphExtents extents_of_tensors(const Graph& graph, const TensorsByName& tensors);

/// LibTorch's operator of a step that moves numbers. A count of labels has the type `storage`.
at::Tensor moved(const Graph& graph, const GraphStep& s, const GraphExtents& extents,
                 const TensorsByName& values, at::ScalarType storage);

}  // namespace gradproof
