// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <vector>

#include "oracles/graph/blocks/exact_block.h"
#include "oracles/graph/segments/segments.h"

namespace gradproof {

/// The numbers that cross between segments with 50 digits. They are computed for all blocks when a
/// number behind a cut is undecided for the first time, and kept.
class ExactSegments {
 public:
  /// Both arguments must outlive this object.
  ExactSegments(const std::vector<Segment>& segments, const Tensors& inputs)
      : segments_(segments), inputs_(inputs) {}

  /// True if that takes at most some minutes of a core and some GB (kMostOperations).
  bool is_affordable() const;

  /// The inputs of segment k, of the backward pass too if `from` says so. `from` must outlive the
  /// result. Any thread may call it; one computes the missing numbers.
  ExactInputs inputs_of(std::size_t k, const GraphInputs& from);

 private:
  /// Evaluates one segment, one number along its axis after the other.
  void evaluate(std::size_t k, bool backward);
  /// Starts the gradients with the cotangents of outputs that later segments take.
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
