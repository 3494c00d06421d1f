// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/options.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// Every entry of every gradient of a graph: the oracle's adjoint against central differences of
/// L = sum dy*y by the oracle's value (docs/audit.md), with the witness of dual numbers. `inputs`
/// has all tensors and a cotangent for each output. Throws UsageError for a graph that is too large
/// for so many evaluations.
std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options);

}  // namespace gradproof
