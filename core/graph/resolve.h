// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "core/graph/graph.h"

namespace gradproof {

/// A tensor of which the text asks for no gradient.
struct FixedTensor {
  std::string name;
  FixedKind kind = FixedKind::filled;
};

/// The graph with all that follows from its text: tensors in the order of their first use and their
/// parts, axes of everything, outputs. Throws UsageError, which quotes the text.
Graph resolved(Graph read, std::string_view text, const std::vector<FixedTensor>& fixed);

}  // namespace gradproof
