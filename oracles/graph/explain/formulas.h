// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The formula of a step's value in the names of its operands, a norm's in the form that its
/// contract says: "(x - mean) rstd weight + beta". For a long formula, the step's call.
std::string formula_of(const GraphClaim& claim, const GraphStep& step);

/// The formula of the cotangent of a value, or the gradient of a tensor: for one use its adjoint,
/// "weight rstd (d_v0 - S1/N - xhat S2/N)"; for several uses a list of them; "input" for an output
/// that nothing else takes; empty if nothing goes back.
std::string formula_of_cotangent(const GraphClaim& claim, const std::string& name);

}  // namespace gradproof
