// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "core/graph/draw/draw_graph.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// A drawn graph in float32, whose results are rounded no more than its steps are.
struct Drawn {
  explicit Drawn(std::uint64_t number) : line(in_float32(drawn_graph_case(20261127, number))) {
    const Case c = parse_case(line, {});
    graph = graph_of(c);
    inputs = make_graph_inputs(graph, c);
    claim = {graph, extents_of(graph, c), libtorch_graph_contract(graph, types_of(graph, c))};
    claim.whole_numbers = std::numeric_limits<std::int64_t>::max();  // no segments
  }

  static std::string in_float32(std::string line) {
    line = line.substr(0, line.find(" dtypes="));
    const std::size_t at = line.find("dtype=");
    return line.replace(at, line.find(' ', at) - at, "dtype=f32");
  }

  std::string line;
  Graph graph;
  Tensors inputs;
  GraphClaim claim;
};

}  // namespace gradproof
