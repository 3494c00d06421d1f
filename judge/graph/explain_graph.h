// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "judge/explain_case.h"

namespace gradproof {

/// element_facts() of a Case about a graph: of what the accused computes for it
/// (judge/graph/accused.h), or of the tensors that it names.
ElementFacts graph_element_facts(const Systems& systems, const Case& c, const std::string& element);

}  // namespace gradproof
