// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// The axes of a step's value along which it couples nothing, in the order of the value. An axis
/// that a window makes is none of them: the first window of a part would not be that of the whole.
std::vector<std::string> free_axes(const Graph& graph, const GraphStep& step);

/// A graph without an axis for blocks is one block up to so many numbers in tensors and values:
/// its bounds are smaller than those of segments (docs/graphs.md), and it takes some 100 MB.
inline constexpr std::int64_t kWholeNumbers = 1 << 15;

/// The approximate number of elements that one block has of the widest value.
inline constexpr std::int64_t kBlockElements = 8192;
/// The count of numbers along the axis of the blocks that are evaluated at once.
inline constexpr std::int64_t kNumbersOfPack = 8;

/// The axis that blocks are cut from, free in every step; empty: there is none. Of axes along which
/// a pack of numbers is full and fits into a block it is the one that most gradients have, so that
/// fewest gradients are sums over blocks: where double-doubles cannot decide a sum, all its numbers
/// are computed with 50 digits. Of equal axes it is the longest. An axis of a product's second
/// factor is one of them where its first has none that fills a pack.
std::string block_axis(const Graph& graph, const GraphExtents& whole);

/// The places of a part's steps in the graph.
using GraphPart = std::vector<std::size_t>;

/// The steps that stand together in each segment, segments in the order of execution. All steps are
/// one segment where an axis is free in every step, or where tensors and values have at most
/// `whole_numbers` numbers in all. Else steps are taken in their order as long as they have a free
/// axis in common; a step that fits into a segment goes before earlier ones that do not, unless an
/// operand of theirs gets a gradient from both: gradients are added up in the order of the text.
/// A step without a free axis stands in a segment of one block.
std::vector<GraphPart> graph_parts(const Graph& graph, const GraphExtents& extents,
                                   std::int64_t whole_numbers);

/// The part's steps as a graph without outputs; values of other parts are tensors of it.
Graph part_of(const Graph& graph, const GraphPart& part);

/// Makes one axis of two that are free in every step and stand side by side wherever either stands:
/// the order of all elements stays, and blocks along the longer axis hold fewer numbers. The name
/// of (d, h) is "d*h".
void merge_free_axes(Graph& graph, GraphExtents& extents);

}  // namespace gradproof
