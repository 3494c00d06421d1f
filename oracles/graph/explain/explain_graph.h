// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/compare/comparison.h"
#include "oracles/explain/explain.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// An element of an output, a statistic or a gradient, by name, and the truth it was compared with.
struct ExplainedElement {
  std::string target;
  std::int64_t index = 0;  ///< row-major
  Truth stored_truth;
  bool escalated = false;  ///< double-double did not decide it
};

/// Explains one element: the truth with 50 digits, each step's number at its place with the error
/// that the contract permits there, and of which sources its bound consists (bound_terms.h).
/// `statistics` are those that gradients start from, or none (FurtherInputs).
Explanation explain_in_graph(const GraphClaim& claim, const Tensors& inputs,
                             const ExplainedElement& element, const Tensors& statistics = {});

/// The largest of these terms of an element's bound, estimated on about a hundred numbers; without
/// words where there is no bound to divide.
Term largest_term_in_graph(const GraphClaim& claim, const Tensors& inputs,
                           const std::string& target, std::int64_t index,
                           const Tensors& statistics = {});

}  // namespace gradproof
