// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/diagnosis/replay.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof::diagnosis {

/// What the stages of a pass share.
struct PassState {
  PassState(const Replay& of, const StepEdit& changed, std::size_t first);

  const Replay& replay;
  StepEdit edit;
  ReplayArithmetic arithmetic;
  std::size_t first_step;     ///< the adjoints in front of it are not asked
  const UnitValues* right{};  ///< where all values are those of the unchanged pass; or nullptr
  std::size_t kept_from{};    ///< then the adjoints from this step on are, too
  Unit<TrackedReal> from;     ///< the unit's numbers
  std::vector<const Numbers*> values;                 ///< by node
  std::optional<Statistics<TrackedReal>> statistics;  ///< that the norm took
};

/// Forward and backward passes with an edit, over one unit after the other: the oracle's stages,
/// each once for its value and once for its adjoint, as a wrong kernel's backward pass need not
/// belong to its forward pass.
class ReplayPass {
 public:
  /// The cotangents in front of node `first` are not asked.
  ReplayPass(const Replay& replay, const Edit& edit, std::size_t first);

  void run(const ReplayedUnit& unit);

  // Of the last unit.
  const Numbers& value(std::size_t node) const { return *state_.values[node]; }
  /// nullptr where no later step takes the node's value.
  const Numbers* cotangent(std::size_t node) const {
    return node == 0 ? &runner_.input_gradient() : runner_.cotangent_of(node - 1);
  }
  const std::optional<Statistics<TrackedReal>>& statistics() const { return state_.statistics; }

 private:
  bool shares_;
  PassState state_;
  PipelineRunner<ReplayArithmetic> runner_;
};

/// Computes all values and cotangents of the units, unchanged.
void take_right_passes(Replay& replay);

}  // namespace gradproof::diagnosis
