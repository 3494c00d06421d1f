// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "oracles/diagnosis/fit.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof::diagnosis {

using Reals = std::vector<LongDouble>;

/// A tensor of a graph or the value of a step, in row-major order.
struct Node {
  std::string name;
  std::string text;  ///< "x", "xhat", "the value behind silu"
  std::vector<std::string> axes;
  Reals value;
  std::string cotangent_text;  ///< "dy", "the cotangent behind silu"; empty of a tensor
  Reals cotangent;             ///< what goes back to the value; empty of a tensor
};

/// The numbers of a graph, tensors first, of which the steps multiply weight and add beta of each
/// norm by themselves.
struct Nodes {
  Graph graph;
  std::vector<Node> all;
  std::vector<LongDouble> rstd;  ///< of the only norm whose statistics are given
  std::vector<std::string> rstd_axes;

  const Node* find(std::string_view name) const;  ///< null where there is none
};

/// The truths of all values and of what goes back to them, from given statistics where there are
/// some. Nothing for a line with stages of its own, for more than 2^22 numbers, and where the
/// oracle refuses.
std::optional<Nodes> nodes_of(const GraphClaim& claim, const Tensors& inputs,
                              const Tensors& statistics);

}  // namespace gradproof::diagnosis
