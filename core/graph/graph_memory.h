// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/samples/sample_plan.h"

namespace gradproof {

/// The most bytes of truths that are kept from one contract to the next (KnownBlocks).
inline constexpr std::size_t kMostOfKnownBlocks = std::size_t{1} << 28;

/// The most bytes that a check of the graph takes at a time, beside those of the worker itself:
/// tensors and values as LibTorch has them, the values kept between segments, and one block on each
/// core of the segment that takes most.
double graph_memory(const Graph& graph, const GraphExtents& extents);

/// The most bytes of a graph of which parts are judged. LibTorch computes all of it in float64, to
/// say where a part should lie, where that takes at most kMostOfGuide bytes and kMostWorkOfGuide.
/// `given`: the tensors are read, and nobody computes them.
double memory_of_samples(const Graph& graph, const GraphExtents& extents,
                         const std::vector<SamplePlan>& plans, bool given);
bool is_guided(const Graph& graph, const GraphExtents& extents);
inline constexpr double kMostOfGuide = 0x1p32;
inline constexpr double kMostWorkOfGuide = 0x1p38;

}  // namespace gradproof
