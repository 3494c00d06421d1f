// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// An axis of a tensor, a value or a statistic: an index along it stands for `width` numbers of the
/// graph's axis, one group of channels.
struct CountedAxis {
  std::string name;
  std::int64_t extent = 1;
  std::int64_t width = 1;
};
std::vector<CountedAxis> counted_axes(const GraphClaim& claim, std::string_view name);

/// An output's, a statistic's or a gradient's element, as a place in the graph.
struct GraphElement {
  /// `target` is the name of an output, a statistic or a gradient, `index` row-major.
  GraphElement(const GraphClaim& claim, std::string_view target, std::int64_t index);

  bool gradient = false;
  bool statistic = false;
  /// Of the value, or of the gradient's tensor, in GraphPlan::values; in GraphPlan::statistics.
  std::size_t place = 0;
  std::string cut;     ///< the axis that blocks are cut from; empty: there is none
  bool sliced = true;  ///< the element has that axis; else it is decided by all numbers along it
  /// Of the element along its axes, and along those from which, or into which, windows lead.
  GraphExtents coordinates;

  /// Whether it is a sum over blocks.
  bool is_sum() const { return gradient && !sliced; }
};

/// What decides a target: the steps that lead to it, of a gradient those behind it too, as a claim
/// about this target alone.
GraphClaim claim_about(const GraphClaim& claim, const Tensors& inputs, std::string_view target);

/// Numbers along the axis that blocks are cut from, of a graph without one all of it, evaluated in
/// one block.
class GraphSite {
 public:
  /// `statistics` are those that gradients start from, or none (BesideInputs). Nothing of it may
  /// end before the site.
  GraphSite(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
            const GraphElement& element, std::int64_t first, std::int64_t length);

  const GraphPlan& plan() const { return plan_; }
  const PackedBlock& block() const { return block_; }
  const GraphInputs& inputs() const { return inputs_; }
  BlockNumbers numbers() const { return numbers_.view(); }
  /// The place in a value's part of the block that agrees with the element along the axes that both
  /// have; along all others it is the first.
  std::size_t at(const PlanValue& value) const;
  /// The same of one of the plan's statistics.
  std::size_t at(const PlanStatistic& statistic) const;
  /// That place in the whole value: "h[3,0]".
  std::string name_at(const PlanValue& value) const;
  std::string name_at(const PlanStatistic& statistic) const;

 private:
  std::vector<std::int64_t> index_at(const PlanValue& value) const;

  const GraphClaim& claim_;
  const GraphElement& element_;
  GraphInputs inputs_;
  GraphPlan plan_;
  PackedBlock block_;
  PackedNumbers numbers_;
};

}  // namespace gradproof
