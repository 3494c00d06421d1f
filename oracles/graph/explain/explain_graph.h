// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/compare/comparison.h"
#include "oracles/explain/explain.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// An element of an output or a gradient, by name, and what it was compared with.
struct ExplainedElement {
  std::string target;
  std::int64_t index = 0;  ///< row-major
  Truth ruled;
  bool escalated = false;  ///< double-double left it to 50 digits
};

/// Explains one element: the truth with 50 digits, each step's number at its place with the error
/// that the contract permits there, and of which steps' roundings its bound consists. A step's term
/// is the bound of the element where only that step's value, or its adjoint, rounds, less what is
/// left where nothing rounds (underflow, ties, kinks, LibTorch's threshold of softplus). Terms of
/// second order belong to two steps, so Explanation::terms_over_bound is not exactly 1.
Explanation explain_in_graph(const GraphClaim& claim, const Tensors& inputs,
                             const ExplainedElement& element);

}  // namespace gradproof
