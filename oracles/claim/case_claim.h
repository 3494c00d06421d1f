// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "core/case/case.h"
#include "core/graph/contract/declared_contract.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The contract declared for the code that computes a Case of a graph; none for LibTorch's
/// operators, which have a contract of their own unless the Case says another one.
std::optional<DeclaredContract> declared_of(const Case& c);

/// The claim of a Case that is judged by a graph: its extents, and the contract of its code. Throws
/// UsageError for extents that do not fit the graph.
GraphClaim graph_claim_of(const Case& c);

}  // namespace gradproof
