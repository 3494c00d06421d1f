// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "oracles/graph/blocks/packed_places.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/graph/segments/segment_numbers.h"
#include "oracles/graph/tier.h"

namespace gradproof {

/// What a block is evaluated from: each tensor's numbers, and a cotangent for each output. Both
/// outlive it.
class PackedNumbers {
 public:
  /// Throws UsageError for labels that are out of range.
  PackedNumbers(const GraphPlan& plan, const GraphInputs& inputs, const PackedBlock& packed);

  BlockNumbers view() const;

  /// What the sums over a block are without some numbers along its axis: these become the number
  /// `other`, with cotangents of 0. Of a whole graph, with exact inputs.
  void leave_out(const GraphPlan& plan, const PackedBlock& packed, const std::vector<bool>& numbers,
                 std::size_t other);

 private:
  /// A tensor's numbers, or those of an output's cotangent, with what they may be off by.
  BlockAnswers inexact_in_block(const PlanValue& value, const std::string& name,
                                const GraphInputs& inputs, const PackedBlock& packed) const;

  std::vector<std::vector<double>> tensors_;  ///< empty: labels, or kept
  std::vector<std::vector<double>> cotangents_;
  std::vector<std::optional<BlockAnswers>> kept_tensors_;
  std::vector<std::optional<BlockAnswers>> kept_cotangents_;
  std::vector<std::optional<BlockAnswers>> gradients_;
  std::vector<std::vector<double>> given_;  ///< by GraphPlan::statistics
  std::vector<std::vector<std::int64_t>> chosen_;
  std::int64_t length_;
  bool alone_;
  bool forward_ = true;
};

}  // namespace gradproof
