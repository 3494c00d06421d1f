// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>
#include <vector>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// A part of a graph that is evaluated in blocks along one axis, as a claim of its own: the values
/// of earlier segments are tensors of it (TensorPart::value), those that later ones take are among
/// its outputs.
struct Segment {
  GraphClaim claim;
  std::vector<std::string> outputs;    ///< of the whole graph
  std::vector<std::string> passed_on;  ///< values that later segments take
  /// Tensors whose gradient other segments have a part of, and values of earlier segments.
  std::set<std::string, std::less<>> gradients;
  bool alone = true;  ///< it is the whole graph

  bool passes_on(std::string_view value) const { return has_name(passed_on, value); }
};

/// The graph in segments, in the order of their execution (core/graph/graph_parts.h); a graph that
/// is evaluated as a whole is one.
std::vector<Segment> segments_of(const GraphClaim& claim);

}  // namespace gradproof
