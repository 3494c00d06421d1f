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
/// numbers and of second order. `inputs` has all tensors and a cotangent for each output. A tensor
/// that would take minutes is inconclusive, and its row says so.
std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options, const EditClaims& edits = {});

/// The witnesses of dual numbers and of second order for each gradient, by its name; those of the
/// cotangents are of the first (oracles/functions/second_order.h). A part that would take minutes
/// is left out, and its witness says so.
std::map<std::string, std::vector<AuditWitness>, std::less<>> derivative_witnesses(
    const GraphClaim& claim, const Tensors& inputs, int digits);

/// The second of these, of each tensor with a gradient in the graph's order.
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
