// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The labels that may stand in a tensor: 0 to classes - 1, and the one that is left out.
struct LabelRange {
  std::int64_t classes = 0;
  double ignored = 0;  ///< kNothingIgnored where none is
};

/// The labels that a step takes, which has them as an operand.
LabelRange label_range(const Graph& graph, const GraphStep& step, const GraphExtents& extents);

/// The labels that all steps with the tensor take. Throws InstrumentError where none has it.
LabelRange label_range(const Graph& graph, std::string_view labels, const GraphExtents& extents);

/// Throws UsageError for a label outside the range, with the tensor's name and the place.
void refuse_wrong_labels(std::string_view name, const Tensor& labels, const LabelRange& range);

/// True if the tensor stands as a mask, and as nothing else.
bool is_mask(const Graph& graph, std::string_view tensor);

/// Fixes the tensors that stand as masks alone; each is a coin unless the text says another kind.
void fix_masks(Graph& graph);

}  // namespace gradproof
