// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/diagnosis/edited_stage.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof::diagnosis {

/// One forward and backward pass over one unit, with an edit.
class UnitPass {
 public:
  /// The cotangents in front of node `first` are not asked.
  UnitPass(const Replay& replay, const ReplayedUnit& unit, const Edit& edit, std::size_t first);

  const Numbers& value(std::size_t node) const { return *setting_.values[node]; }
  /// nullptr where no later step takes the node's value.
  const Numbers* cotangent(std::size_t node) const {
    return node == 0 ? &runner_.input_gradient() : runner_.cotangent_of(node - 1);
  }
  const std::optional<Statistics<TrackedReal>>& statistics() const { return setting_.statistics; }

 private:
  PassSetting setting_;
  ReplayArithmetic arithmetic_;
  PipelineRunner<ReplayArithmetic> runner_;
};

/// Computes all values and cotangents of a unit, unchanged.
void take_right_passes(ReplayedUnit& unit, const Replay& replay);

}  // namespace gradproof::diagnosis
