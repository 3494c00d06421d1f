// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/case/case.h"
#include "core/graph/graph.h"
#include "core/graph/samples/sample_plan.h"

namespace gradproof {

/// The start of a Case line: a graph in braces, or nothing where the line begins with a word.
struct GraphWord {
  SchemaPtr schema;       ///< null where the line begins with a word
  std::string_view rest;  ///< of the line
};
/// Throws UsageError for a graph that cannot be read.
GraphWord graph_word(std::string_view case_text);

/// The name of a Case's system in records: the Case's `name` where it has one, else its word.
std::string system_name(const Case& c);

/// The system that the passes of a Case count for, where its `part_of` names another one.
std::optional<std::string> part_of(const Case& c);

/// True if the Case is judged by a graph, which graph_of() gives: the Case's own in braces, or the
/// line of somebody's own kernel.
bool is_graph_case(const Case& c);
/// True if the Case is a graph in braces, which names no kernel.
bool is_graph_in_braces(const Case& c);
Graph graph_of(const Case& c);

/// True if the Case names files with tensors that are judged, so that nothing is run.
bool has_given_tensors(const Case& c);

/// The schema that all Cases judged by a graph share: an extent for each axis, the types, of which
/// the first is the default, keys that describe inputs, and the outputs as tensors that are judged.
Schema schema_of_graph(const Graph& graph, std::vector<std::string> dtypes);
/// Adds the gradients to the tensors that are judged.
void add_gradients(const Graph& graph, Schema& schema);
/// Throws UsageError where an axis has the name of another key.
void require_axes_apart(const Schema& schema);

/// The schema of a graph's Case: an extent for each axis, the types, keys that describe inputs, and
/// files of given tensors. Its word is the canonical text in braces.
SchemaPtr graph_schema(std::string_view text);

/// The extents of all axes. Throws UsageError for a window wider than its axis.
GraphExtents extents_of(const Graph& graph, const Case& c);

/// The parts of outputs and gradients that are judged; empty where all of them are: of a graph that
/// takes no longer, of a kernel of somebody's own, and where the Case wants it (elements=all).
std::vector<SamplePlan> sample_plans_of(const Case& c, const Graph& graph,
                                        const GraphExtents& extents);

/// The tensors that a graph is given, and a cotangent "dy" for each output y: a pure function of
/// the Case. Throws UsageError for a label that is no class.
Tensors make_graph_inputs(const Graph& graph, const Case& c);

}  // namespace gradproof
