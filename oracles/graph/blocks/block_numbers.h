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

/// The numbers that a block is evaluated from: each tensor's, and a cotangent for each output. The
/// object has copies in packs; view() refers to them.
class PackedNumbers {
 public:
  /// Throws UsageError for labels that are out of range.
  PackedNumbers(const GraphPlan& plan, const GraphInputs& inputs, const PackedBlock& packed);

  BlockNumbers view() const;

  /// Takes some numbers along the axis out of the sums over a block: these become the number
  /// `other`, with cotangents of 0. The graph must be whole, with exact inputs.
  void leave_out(const GraphPlan& plan, const PackedBlock& packed, const std::vector<bool>& numbers,
                 std::size_t other);

 private:
  /// A tensor's numbers, or those of an output's cotangent, with their errors.
  BlockAnswers inexact_in_block(const PlanValue& value, const std::string& name,
                                const GraphInputs& inputs, const PackedBlock& packed) const;

  std::vector<std::vector<double>> tensors_;  ///< empty: labels, or kept
  std::vector<std::vector<double>> cotangents_;
  std::vector<std::optional<BlockAnswers>> kept_tensors_;
  std::vector<std::optional<BlockAnswers>> kept_cotangents_;
  std::vector<std::optional<BlockAnswers>> gradients_;
  std::vector<std::vector<double>> given_;  ///< by GraphPlan::statistics
  std::vector<MovedNumbers> chosen_;
  std::int64_t length_;
  bool alone_;
  bool forward_ = true;
};

}  // namespace gradproof
