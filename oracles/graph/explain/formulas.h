// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The formula of a step's value in the names of its operands, a norm's in the form that its
/// contract says: "(x - mean) rstd weight + beta". One that is long is the step's call.
std::string formula_of(const GraphClaim& claim, const GraphStep& step);

/// How the cotangent of a value, or the gradient of a tensor, is computed: of one use its adjoint,
/// "weight rstd (d_v0 - S1/N - xhat S2/N)"; of several, which they are; "input" of an output that
/// nothing else takes; empty where nothing goes back.
std::string formula_of_cotangent(const GraphClaim& claim, const std::string& name);

}  // namespace gradproof
