// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "core/graph/graph_case.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {

/// A Case with what LibTorch computes for it.
struct Ran {
  explicit Ran(const std::string& line)
      : c(parse_case(line, {})),
        graph(graph_of(c)),
        storage(parse_dtype(c.text("dtype"))),
        claim{graph, extents_of(graph, c), libtorch_graph_contract(graph, types_of(graph, c))},
        inputs(make_graph_inputs(graph, c)),
        got(graph_in_libtorch(graph, inputs, types_of(graph, c))) {}

  std::map<std::string, Judged, std::less<>> judged() const {
    return judge_graph(claim, inputs, got);
  }

  Case c;
  Graph graph;
  DType storage;
  GraphClaim claim;
  Tensors inputs;
  Tensors got;
};

}  // namespace gradproof
