// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof::diagnosis {

/// The text of a stage: "layer_norm"; "the layer_norm of h" if the graph has several.
std::string stage_text(const Graph& graph, std::size_t step);

/// The graph without tensors that no step takes any more.
Graph without_unused(Graph graph);

/// Statements in the place of one step of a line, whose last one makes its value. `$m` is a name
/// that the line does not have. Nothing where the line defines stages of its own, calls a tensor as
/// an axis, or where the new line is refused or has other axes of a tensor or of an output.
std::optional<Graph> with_statements(const Graph& graph, std::size_t step,
                                     const std::string& statements);

}  // namespace gradproof::diagnosis
