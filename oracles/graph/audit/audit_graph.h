// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/options.h"
#include "oracles/graph/audit/graph_target.h"
#include "oracles/oracle.h"

namespace gradproof {

/// The claims of a control, by tensor.
using EditClaims = std::map<std::string, EditClaim, std::less<>>;

/// Audits every entry of every gradient of a graph: the oracle's adjoint against central
/// differences of L = sum dy*y by the oracle's value (docs/audit.md), with the witness of dual
/// numbers. `inputs` has all tensors and a cotangent for each output. A tensor that would take
/// minutes is inconclusive, and its row says so.
std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options, const EditClaims& edits = {});

/// <J v, dy> by dual numbers in double-doubles through the graph's value, as hi and lo; no adjoint
/// is used, and at a kink the side counts that v leads to. `directions` holds v by the names of
/// tensors that have a gradient; an absent tensor counts as zero.
HiLo directional_derivative(const GraphClaim& claim, const Tensors& inputs,
                            const Tensors& directions);

}  // namespace gradproof
