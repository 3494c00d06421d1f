// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "core/graph/graph_types.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The module's answers to libtorch_operators() (oracles/libtorch/autograd.h) and to
/// graph_in_libtorch() (oracles/libtorch/graph.h), with no more threads than `threads`.
Tensors answer_operators(const Claim& claim, const Tensors& inputs, int threads);
Tensors answer_graph(const Graph& graph, const Tensors& inputs, const GraphTypes& types,
                     int threads);

}  // namespace gradproof
