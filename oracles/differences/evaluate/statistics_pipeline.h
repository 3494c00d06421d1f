// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/compiled_pipeline.h"

namespace gradproof {

/// A compiled in two: the steps before its norm, and what becomes of xhat (weight and beta as steps
/// of their own, then the steps behind). Out of line, all of it: the packed compilations share no
/// code.
struct StatisticsPipeline {
  explicit StatisticsPipeline(const CompiledPipeline& compiled);
  ~StatisticsPipeline();
  StatisticsPipeline(const StatisticsPipeline&) = delete;
  StatisticsPipeline& operator=(const StatisticsPipeline&) = delete;

  /// Whether a number of the tensor, moved, is felt by its own element before the norm, and by all
  /// others through mean and variance alone: one norm that takes the unit's own statistics, no step
  /// behind it that takes a value from before it, the tensor in no step behind it.
  bool allows(const Movable& tensor) const;

  /// Whether there are two parts.
  bool divided() const { return in_two_; }

  CompiledPipeline before;
  CompiledPipeline after;
  double eps = 0;

 private:
  bool in_two_ = false;
};

}  // namespace gradproof
