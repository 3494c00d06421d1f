// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "oracles/diagnosis/replay.h"
#include "oracles/pipeline/stage.h"

namespace gradproof::diagnosis {

/// What the stages of one pass over a unit share.
struct PassSetting {
  const Replay& replay;
  const ReplayedUnit& unit;
  const StepEdit& edit;
  bool keeps_values = false;           ///< all values are those of the unchanged pass
  std::size_t kept_from = kNone;       ///< the adjoints from this step on are, too
  std::size_t first_step = 0;          ///< the adjoints in front of it are not asked
  std::vector<const Numbers*> values;  ///< by node, as far as they are computed
  std::optional<Statistics<TrackedReal>> statistics;  ///< that the norm took
};

/// One step of a replay: the oracle's stage for its value, another one for its adjoint, as a wrong
/// kernel's backward pass need not belong to its forward pass.
class EditedStage final : public Stage<ReplayArithmetic> {
 public:
  EditedStage(PassSetting& pass, std::size_t step);

  const Numbers& value(const Numbers& in) override;
  void remember(const Numbers& in) override { value(in); }
  const Numbers& adjoint(const Numbers& g) override;

 private:
  using Made = std::unique_ptr<Stage<ReplayArithmetic>>;

  const Numbers& computed(const Numbers& in);
  void take_nan_as_zero(const Numbers& in);
  void build_backward();
  Numbers through_norm(Numbers h);
  void multiply_by_weight(Numbers& h) const;

  PassSetting& pass_;
  std::size_t step_;
  StepEdit edit_;      ///< of this step
  CompiledStep line_;  ///< of the adjoint
  bool norm_;
  ReplayArithmetic forward_arithmetic_;
  ReplayArithmetic backward_arithmetic_;
  Unit<TrackedReal> backward_unit_;
  Made forward_;
  Made backward_;
  Numbers in_;  ///< the adjoint's input, where that is not a value of the pass
  Numbers y_;
  Numbers dx_;
};

}  // namespace gradproof::diagnosis
