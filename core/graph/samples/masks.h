// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// A mask that stands for the places of a triangular step: 1 where the step keeps a number.
struct PlaceMask {
  std::string tensor;
  GraphStep step;  ///< as the text has it
};

/// The graph with `where` by a tensor in place of each step that keeps a triangle or a band of its
/// numbers. Such a step knows the place of a number along two axes, which a part of them has not.
struct MaskedGraph {
  Graph graph;
  std::vector<PlaceMask> masks;
};
MaskedGraph with_masks(Graph graph);

/// The numbers of the mask.
Tensor mask_of(const PlaceMask& mask, const GraphExtents& extents, DType type);

}  // namespace gradproof
