// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <vector>

#include "oracles/graph/blocks/exact_block.h"
#include "oracles/graph/segments/segments.h"

namespace gradproof {

/// What crosses between segments with 50 digits: computed for all blocks when a number behind a cut
/// is undecided for the first time, and kept.
class ExactSegments {
 public:
  /// Neither may end before it.
  ExactSegments(const std::vector<Segment>& segments, const Tensors& inputs)
      : segments_(segments), inputs_(inputs) {}

  /// Whether that takes no more than some minutes of a core and some GB: kMostOperations.
  bool is_affordable() const;

  /// What segment k takes, backward too where `from` says so. `from` outlives the result. Any
  /// thread may call it; one computes what is missing.
  ExactInputs inputs_of(std::size_t k, const GraphInputs& from);

 private:
  /// One segment, one number along its axis after the other.
  void evaluate(std::size_t k, bool backward);
  /// From the cotangents of the outputs that later segments take.
  void start_gradients();
  void take_values(const Segment& s, const ExactBlock& block, const GraphPlan& plan,
                   const PackedBlock& part);
  void take_gradients(const Segment& s, const ExactBlock& block, const GraphPlan& plan,
                      const PackedBlock& part);

  const std::vector<Segment>& segments_;
  const Tensors& inputs_;
  ExactNumbers values_;
  ExactNumbers gradients_;
  std::size_t forward_ = 0;   ///< so many segments have gone forward
  std::size_t backward_ = 0;  ///< so many have gone back
  std::mutex mutex_;
};

}  // namespace gradproof
