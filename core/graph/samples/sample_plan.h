// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// A part of outputs and gradients that stands for all of them, because all would take long.
struct SamplePlan {
  std::vector<std::string> targets;
  GraphExtents counts;  ///< of the axes that are cut: so many places of each are judged
  double work = 0;      ///< work_of() the part
};

/// The multiply-adds of all products of the graph, forward and backward, of which two cores judge
/// some 10^8 a second. What other steps take is linear in the tensors' sizes.
double work_of(const Graph& graph, const GraphExtents& extents);

/// Graphs of more work are judged by parts of their outputs and gradients.
inline constexpr double kMostWork = 0x1p31;
/// The work of one part, where the axes that may be cut leave so little.
inline constexpr double kWorkOfSample = 0x1p27;
/// The fewest places of an axis that is cut.
inline constexpr std::int64_t kFewestPlaces = 1;

/// The parts of outputs and gradients that are judged: of each as many places of each axis along
/// which it is_apart() as kWorkOfSample leaves. Empty where everything is judged: the graph has at
/// most kMostWork, or parts of it take half as long as the whole.
std::vector<SamplePlan> sample_plans(const Graph& graph, const GraphExtents& extents);

/// The extents of all axes of the plan's part.
GraphExtents extents_of(const SamplePlan& plan, const Graph& graph, const GraphExtents& whole);

/// The places of an axis that are judged, in rising order: of `wanted` as many as half of `count`,
/// from the front; the first and the last; those at edges of tiles of 2^k numbers; of as many equal
/// parts of the axis as there are places left one each, at random (the same in each run). `count`
/// is at least 1 and less than `extent`.
std::vector<std::int64_t> sampled_places(std::int64_t extent, std::int64_t count,
                                         const std::vector<std::int64_t>& wanted = {});

}  // namespace gradproof
