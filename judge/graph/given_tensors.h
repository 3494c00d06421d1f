// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/case.h"
#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The tensors of a Case that names files of them.
struct GivenTensors {
  Tensors inputs;   ///< with a cotangent for each output, zeros where none is given
  Tensors outputs;  ///< those outputs and gradients that there are
};

/// Reads the files `inputs` and `outputs` of the Case. Throws UsageError where they cannot be read,
/// do not fit the graph (core/graph/given_tensors.h) or the extents and the dtype of the Case.
GivenTensors given_tensors(const Case& c, const Graph& graph);

}  // namespace gradproof
