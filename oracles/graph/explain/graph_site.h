// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/graph/block_numbers.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// An output's or a gradient's element, as a place in the graph.
struct GraphElement {
  /// `target` is the name of an output or a gradient, `index` row-major.
  GraphElement(const GraphClaim& claim, std::string_view target, std::int64_t index);

  bool gradient = false;
  std::size_t place = 0;  ///< of the value, or of the gradient's tensor, in GraphPlan::values
  std::string cut;        ///< the axis that blocks are cut from; empty: there is none
  bool sliced = false;    ///< the element has that axis; else it is decided by all numbers along it
  /// Of the element along its axes, and along those from which, or into which, windows lead.
  GraphExtents coordinates;
};

/// Numbers along the axis that blocks are cut from, of a graph without one all of it, evaluated in
/// one block.
class GraphSite {
 public:
  /// Neither claim nor inputs may end before it.
  GraphSite(const GraphClaim& claim, const Tensors& inputs, const GraphElement& element,
            std::int64_t first, std::int64_t length);

  const GraphPlan& plan() const { return plan_; }
  const PackedBlock& block() const { return block_; }
  BlockNumbers numbers() const { return numbers_.view(); }
  /// The place in a value's part of the block that agrees with the element along the axes that both
  /// have; along all others it is the first.
  std::size_t at(const PlanValue& value) const;
  /// That place in the whole value: "h[3,0]".
  std::string name_at(const PlanValue& value) const;

 private:
  std::vector<std::int64_t> index_at(const PlanValue& value) const;

  const GraphElement& element_;
  GraphPlan plan_;
  PackedBlock block_;
  PackedNumbers numbers_;
};

}  // namespace gradproof
