// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof::diagnosis {

/// The text of a stage: "layer_norm"; "the second layer_norm" if the graph has several; "the
/// layer_norm of h" if it has more than four.
std::string stage_text(const Graph& graph, std::size_t step);

/// The text of a tensor or a value: "x"; "the value behind layer_norm".
std::string value_text(const Graph& graph, std::string_view name);

/// True if the step takes its channels in groups, and how many of them; 1 for any other step.
bool has_groups(const GraphStep& step);
std::int64_t group_count(const GraphStep& step);

/// The place of the operand with this word in its stage's row ("weight"); the number of operands
/// where the step lacks it.
std::size_t place_of_operand(const GraphStep& step, std::string_view word);

/// The step of an elementwise stage, from these operands to a value with these axes.
GraphStep elementwise_step(std::string value, std::string stage, std::vector<GraphOperand> operands,
                           std::vector<std::string> axes);

/// The graph without tensors that no step takes any more.
Graph without_unused(Graph graph);

/// Statements in the place of one step of a line, whose last one makes its value. `$m` is a name
/// that the line does not have. `more` are tensors that the statements take besides those of the
/// line. Nothing where the line defines stages of its own, calls a tensor as an axis, or where the
/// new line is refused or has other axes of a tensor or of an output.
std::optional<Graph> with_statements(const Graph& graph, std::size_t step,
                                     const std::string& statements,
                                     const std::vector<GraphTensor>& more = {});

}  // namespace gradproof::diagnosis
