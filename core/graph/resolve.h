// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "core/graph/graph.h"

namespace gradproof {

/// The graph with all that follows from its text: tensors in the order of their first use and their
/// parts, axes of everything, outputs. Throws UsageError, which quotes the text.
Graph resolved(Graph read, std::string_view text);

}  // namespace gradproof
