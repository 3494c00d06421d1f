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
  /// Position in GraphPlan::values of the value, or of the tensor that the gradient belongs to; for
  /// a statistic its position in GraphPlan::statistics.
  std::size_t place = 0;
  std::string cut;     ///< the axis that blocks are cut from; empty: there is none
  bool sliced = true;  ///< the element has that axis; else it is decided by all numbers along it
  /// The element's position along its own axes, and along each axis that windows connect with one
  /// of them.
  GraphExtents coordinates;

  /// True if the element is a sum over blocks.
  bool is_sum() const { return gradient && !sliced; }
};

/// The part of a claim that decides one target: the steps that lead to it and, for a gradient, the
/// steps behind them too.
GraphClaim claim_about(const GraphClaim& claim, const Tensors& inputs, std::string_view target);

/// A range of the axis that blocks are cut from, evaluated as one block. A graph without such an
/// axis is evaluated whole.
class GraphSite {
 public:
  /// `statistics` are the saved statistics that gradients start from, or empty (FurtherInputs). All
  /// arguments must outlive the site.
  GraphSite(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
            const GraphElement& element, std::int64_t first, std::int64_t length);

  const GraphPlan& plan() const { return plan_; }
  const PackedBlock& block() const { return block_; }
  const GraphInputs& inputs() const { return inputs_; }
  BlockNumbers numbers() const { return numbers_.view(); }
  /// The place in a value's part of the block that agrees with the element along the axes that both
  /// have; along all others it is the first.
  std::size_t at(const PlanValue& value) const;
  /// The element's place in one of the plan's statistics.
  std::size_t at(const PlanStatistic& statistic) const;
  /// The name of that place in the whole value: "h[3,0]".
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
