// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/graph.h"

namespace gradproof {

/// The most bytes that a check of the graph takes at a time, beside those of the worker itself:
/// tensors and values as LibTorch has them, the values kept between segments, and one block on each
/// core of the segment that takes most.
double graph_memory(const Graph& graph, const GraphExtents& extents);

}  // namespace gradproof
