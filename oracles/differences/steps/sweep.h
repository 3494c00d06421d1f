// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/steps/step_rules.h"
#include "oracles/differences/unit_pass.h"

namespace gradproof {

/// One number moved by +-2^k of the scale for k = kCoarsest, kCoarsest - 1, ..., each move once,
/// and the central differences of all orders at these steps.
class Sweep {
 public:
  /// The unit must outlive it.
  Sweep(const UnitAtRest& unit, std::int64_t place, Method method);

  /// The coarsest step at which a sweep may form D(h) and D(2h).
  static int first(int order_index) { return step_rules::kCoarsest - order_index - 1; }
  int last() const { return unit_.precision().finest; }

  Entry entry(const StepChoice& choice) const {
    return entry_of(unit_, place_, changes_, at(choice.log2_step), choice);
  }

  /// ErrorScales::scale: of the place alone, until take_scale() sets that of the unit.
  Extended scale() const { return error_scales_.scale; }
  Extended typical_gradient() const { return error_scales_.typical_gradient; }
  void take_scale(Extended scale) { error_scales_.scale = scale; }
  ErrorScales error_scales(int log2_step) const;
  /// error_scales() whose noise is at least the estimates at the next two finer steps, because two
  /// differences may agree by chance.
  ErrorScales cautious_error_scales(const StepChoice& choice) const;

  /// |D(h) - D(2h)| over the scale; infinite where it is not finite, or outside the sweep.
  double self_error(const StepChoice& choice) const;
  /// max(|D(h) - D(2h)|, noise) over the scale; infinite where it is not informative (entry.h). The
  /// noise counts because two noisy differences may agree by chance.
  double estimate(const StepChoice& choice) const;
  /// |D(h) - claimed| over the scale; infinite outside the sweep.
  double error(const StepChoice& choice) const;

 private:
  /// The differences of an order at one step.
  struct Cell {
    Extended distance;  ///< |D(h) - D(2h)|
    Extended size;      ///< |D(h)|
    Extended error;     ///< |D(h) - claimed|
  };

  std::size_t at(int log2_step) const { return static_cast<std::size_t>(log2_step - last()); }
  bool has(const StepChoice& choice) const {
    return choice.log2_step >= last() && choice.log2_step <= first(choice.order_index);
  }
  const Cell& cell(const StepChoice& choice) const;

  const UnitAtRest& unit_;
  std::int64_t place_;
  Noise noise_;
  ErrorScales error_scales_;
  TwoSidedChanges changes_;
  mutable std::array<std::vector<Cell>, kOrders> cells_;  ///< by step; filled at the first use
};

/// The worst error and the worst |D(h) - D(2h)| of all sweeps, over the scale, step by step from
/// the coarsest; NaN where a difference cannot be formed or none is finite.
std::vector<SweepPoint> drawn(const std::vector<Sweep>& sweeps);

}  // namespace gradproof
