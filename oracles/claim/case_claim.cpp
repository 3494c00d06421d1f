// SPDX-License-Identifier: Apache-2.0
#include "oracles/claim/case_claim.h"

#include "core/graph/graph_case.h"
#include "core/graph/graph_types.h"

namespace gradproof {

std::optional<DeclaredContract> declared_of(const Case& c) {
  const std::string contract = c.text("contract");
  const bool libtorch = is_graph_in_braces(c) && !has_given_tensors(c) && c.text("answers").empty();
  if (libtorch && contract.empty()) return std::nullopt;
  return parse_declared_contract(contract, graph_of(c));
}

GraphClaim graph_claim_of(const Case& c) {
  const Graph graph = graph_of(c);
  const GraphTypes types = types_of(graph, c);
  GraphClaim claim{graph, extents_of(graph, c), libtorch_graph_contract(graph, types)};
  // This refuses wrong extents in our words, before LibTorch does.
  const GraphPlan fits = claim.plan(1);
  if (const auto declared = declared_of(c))
    claim.contract = graph_contract(graph, types, *declared);
  return claim;
}

}  // namespace gradproof
