// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "oracles/differences/steps/step_rules.h"
#include "oracles/differences/unit_pass.h"

namespace gradproof {

/// The moves of a sweep: 2^finest to 2^coarsest of the scale. `known` is the step at which the
/// sweep first estimates ErrorScales::scale.
struct Octaves {
  int finest;
  int coarsest;
  int known;

  /// As far as the arithmetic reaches.
  static Octaves all(const Precision& precision) {
    return {precision.finest, step_rules::kCoarsest, step_rules::middle_step(precision)};
  }
};

/// One number moved by +-2^k of the scale for k = kCoarsest, kCoarsest - 1, ..., each move once,
/// and the central differences of all orders at these steps.
class Sweep {
 public:
  /// The unit must outlive it.
  Sweep(const UnitAtRest& unit, std::int64_t place, Method method, const Octaves& octaves);
  Sweep(const UnitAtRest& unit, std::int64_t place)
      : Sweep(unit, place, Method::direct, Octaves::all(unit.precision())) {}

  /// The coarsest step at which D(h) and D(2h) can be formed without widen().
  static int first(int order_index) { return step_rules::kCoarsest - order_index - 1; }
  int last() const { return last_; }
  /// log2 of the coarsest move over the scale; beyond kCoarsest after widen().
  int coarsest() const { return coarsest_; }
  int top(int order_index) const { return coarsest_ - order_index - 1; }
  /// Adds coarser moves, up to 2^coarsest of the scale.
  void widen(int coarsest);
  /// Drops the moves coarser than 2^coarsest of the scale.
  void narrow(int coarsest);
  /// Adds finer moves, down to 2^finest of the scale.
  void deepen(int finest);

  const UnitAtRest& unit() const { return unit_; }
  std::int64_t place() const { return place_; }
  Entry entry(const StepChoice& choice) const;
  /// D(h).
  Real fine(const StepChoice& choice) const;

  /// ErrorScales::scale: of the place alone, until take_scale() sets that of the unit.
  const Real& scale() const { return error_scales_.scale; }
  double typical_gradient() const { return error_scales_.typical_gradient; }
  void take_scale(const Real& scale);
  ErrorScales error_scales(int log2_step) const;
  /// error_scales() whose noise is at least the estimates at the next two finer steps, because two
  /// differences may agree by chance.
  ErrorScales cautious_error_scales(const StepChoice& choice) const;

  /// |D(h) - D(2h)| over the scale; infinite where it is not finite, or outside the sweep.
  double self_error(const StepChoice& choice) const;
  /// Whether |D(h) - D(2h)| estimates the error of D(h): is_informative() of entry.h.
  bool is_informative(const StepChoice& choice) const;
  /// max(|D(h) - D(2h)|, noise) over the scale; infinite where it is not informative. The noise
  /// counts because two noisy differences may agree by chance.
  double estimate(const StepChoice& choice) const;
  /// |D(h) - claimed| over the scale; infinite outside the sweep.
  double error(const StepChoice& choice) const;

 private:
  /// The differences of an order, by step, in doubles and over 2^log2_unit_, so that none that
  /// matters leaves their range.
  struct Row {
    std::vector<double> distance;  ///< |D(h) - D(2h)|
    std::vector<double> size;      ///< |D(h)|
    std::vector<double> error;     ///< |D(h) - claimed|
  };

  void move_by(int log2_step);
  std::size_t at(int log2_step) const { return static_cast<std::size_t>(log2_step - last_); }
  bool has(const StepChoice& choice) const {
    return choice.log2_step >= last_ && choice.log2_step <= top(choice.order_index);
  }
  const Row& row(int order_index) const;
  Row tabled(int order_index) const;
  double noise_at(int log2_step) const;
  double brought_down(const Real& value) const {
    return Real(ldexp(value, -log2_unit_)).convert_to<double>();
  }

  const UnitAtRest& unit_;
  std::int64_t place_;
  Method method_;
  int last_;
  int coarsest_;
  double noise_;  ///< at h = the scale of moves
  bool capped_;   ///< the noise counts as at most the scale
  ErrorScales error_scales_;
  Values<Real> odd_;  ///< by step, the finest first
  Values<Real> even_;
  mutable std::array<std::optional<Row>, kOrders> rows_;  ///< filled at the first use
  int log2_unit_ = 0;
  double scale_ = 0;        ///< over 2^log2_unit_
  double plain_scale_ = 0;  ///< absolute
};

}  // namespace gradproof
