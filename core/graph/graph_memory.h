// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/graph.h"

namespace gradproof {

/// Bytes that a check of the graph takes at most at a time, beside what the worker itself takes:
/// tensors and values as LibTorch has them, what is kept between segments, and of the segment that
/// takes most one block on each core.
double graph_memory(const Graph& graph, const GraphExtents& extents);

}  // namespace gradproof
