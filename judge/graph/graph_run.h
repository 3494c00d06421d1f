// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/case.h"
#include "core/compare/discrepancy.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// What one Case of a graph is judged by.
struct GraphRun {
  GraphClaim claim;
  Tensors inputs;   ///< with a cotangent for each output
  Tensors got;      ///< what there is of outputs and gradients
  std::string who;  ///< computed them
};

/// What LibTorch's operators compute, or the given tensors of a Case that names them. Throws
/// NoOperator (oracles/libtorch/graph.h) where LibTorch has none for the type, and UsageError for
/// extents and files that do not fit the graph.
GraphRun run_graph(const Case& c);

/// Its claim and its inputs, and nothing computed from them.
GraphRun inputs_of_graph(const Case& c);

/// The same inputs in LibTorch's float64, by its own contract: the second witness.
GraphRun in_libtorch_float64(const GraphRun& run);

/// "LibTorch float64 says 1 at [2,3] where the oracle says 2"
std::string disagreement(const Discrepancy& found, const Tensor& got);

}  // namespace gradproof
