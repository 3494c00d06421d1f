// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// A number or word that a step, or the call of a defined stage, says or takes by default.
struct GraphNumber {
  std::string step;  ///< the value of the step or call
  std::string word;  ///< "eps"; of an operand that is a number the operand's name in its row
  std::variant<double, std::int64_t, std::string> value;
};

/// All numbers and words of the graph, in the order of its text.
std::vector<GraphNumber> graph_numbers(const Graph& graph);

/// The graph with `value` in the number's place. Throws UsageError where the stage cannot have the
/// value, such as a minimum above the maximum.
Graph with_number(Graph graph, const GraphNumber& number, double value);

}  // namespace gradproof
