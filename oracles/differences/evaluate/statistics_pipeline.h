// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/compiled_pipeline.h"

namespace gradproof {

/// True if the first norm computes its statistics from the unit.
bool has_unit_norm(const CompiledPipeline& compiled);
/// True if each element of a unit has its own number of the tensor. Otherwise all elements of the
/// unit share one number.
bool by_element(const CompiledPipeline& compiled, const Movable& tensor);

/// A pipeline divided at its norm: the steps before it, and the steps after xhat (weight and beta
/// as steps of their own, then those behind the norm). All functions are out of line, because the
/// packed compilations may share no inline code.
struct StatisticsPipeline {
  explicit StatisticsPipeline(const CompiledPipeline& compiled);
  ~StatisticsPipeline();
  StatisticsPipeline(const StatisticsPipeline&) = delete;
  StatisticsPipeline& operator=(const StatisticsPipeline&) = delete;

  /// True if a moved number of the tensor changes its own element before the norm, and all others
  /// through mean and variance alone. This holds for one norm with the statistics of the unit, if
  /// no later step uses a value from before the norm, and no later step uses the tensor.
  bool allows(const Movable& tensor) const;

  /// True if the pipeline could be divided at its norm.
  bool divided() const { return in_two_; }

  CompiledPipeline before;
  CompiledPipeline after;
  double eps = 0;

 private:
  bool in_two_ = false;
};

}  // namespace gradproof
