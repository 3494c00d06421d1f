// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/options.h"
#include "oracles/graph/audit/graph_target.h"

namespace gradproof {

/// The claims of a control, by tensor.
using EditClaims = std::map<std::string, EditClaim, std::less<>>;

/// Audits every entry of every gradient of a graph: the oracle's adjoint against central
/// differences of L = sum dy*y by the oracle's value (docs/audit.md), with the witnesses of dual
/// numbers and of second order; those of the cotangents are of the first row
/// (oracles/functions/second_order.h). `inputs` has all tensors and a cotangent for each output. A
/// tensor that would take minutes is inconclusive, and its row says so.
std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options, const EditClaims& edits = {});
/// audit_graph() without witnesses.
std::vector<AuditRow> graph_differences(const GraphClaim& claim, const Tensors& inputs,
                                        const AuditOptions& options, const EditClaims& edits = {});

/// The adjoint's gradients in one part, in 400 digits, by tensor that has one (graph_target.cpp).
std::vector<Values<Digits400>> adjoint_of_part(const AuditedGraph& graph, std::int64_t part);

/// The witnesses of second order of each tensor with a gradient, in the graph's order.
std::vector<std::vector<AuditWitness>> second_order_witnesses(const AuditedGraph& graph);

/// <J v, dy> by dual numbers in double-doubles through the graph's value, as hi and lo; no adjoint
/// is used, and at a kink the side counts that v leads to. `directions` holds v by the names of
/// tensors that have a gradient; an absent tensor counts as zero.
struct HiLo {
  double hi = 0;
  double lo = 0;
};
HiLo directional_derivative(const GraphClaim& claim, const Tensors& inputs,
                            const Tensors& directions);

}  // namespace gradproof
