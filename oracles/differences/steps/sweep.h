// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "oracles/differences/entry.h"
#include "oracles/differences/steps/tableau.h"
#include "oracles/differences/target.h"

namespace gradproof {

/// What a unit knows of a tensor before any move.
struct Unmoved {
  Values<Real> claimed;  ///< by place
  int log2_scale = 0;
  double magnitude = 0;
  double typical_change = 0;
  bool alone = false;                ///< Reach::itself: an entry is judged by its own element
  std::vector<double> magnitudes{};  ///< PerturbedLoss::magnitude_of, by place, where `alone`

  bool finite() const { return alone || std::isfinite(magnitude); }
  double typical_gradient() const { return std::ldexp(typical_change, -log2_scale); }
  /// One rounding of L over h, unit * magnitude / h with h = 2^(log2_step + log2_scale). L has many
  /// roundings, which partly cancel: this only keeps differences that agree by chance from counting
  /// as exact.
  double noise(const Precision& precision, int log2_step) const {
    return precision.unit * std::ldexp(magnitude, -log2_scale - log2_step);
  }
  /// noise() at a place, where `alone` from the magnitude of its own element. Where that is not
  /// known it is the noise of the unit, but at most the scale.
  double noise_of(const Precision& precision, int log2_step, std::int64_t place,
                  double scale) const;
};

Unmoved unmoved_of(PerturbedLoss& losses, std::size_t tensor, const AuditTarget& target);

/// The error scales of an entry that affects its own element only. They do not depend on the other
/// elements, which may be 1e38 or NaN.
ErrorScales error_scales_of_element(const ErrorScales& scales, const Entry& entry, double noise);

/// The moves of a sweep: 2^finest to 2^coarsest of the scale. `known` is the step at which the
/// sweep first estimates ErrorScales::scale.
struct Octaves {
  int finest;
  int coarsest;
  int known;
};

/// One number moved by +-2^k of the scale for k = kCoarsest, kCoarsest - 1, ..., each move once,
/// and the central differences of all orders at these steps.
class Sweep {
 public:
  static constexpr int kCoarsest = -1;

  Sweep(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, const Unmoved& unmoved,
        const Precision& precision, Method method = Method::direct);
  Sweep(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, const Unmoved& unmoved,
        const Precision& precision, Method method, const Octaves& octaves);

  /// The coarsest step at which D(h) and D(2h) can be formed without widen().
  static int first(int order_index) { return kCoarsest - order_index - 1; }
  int last() const { return last_; }
  /// log2 of the coarsest move over the scale; beyond kCoarsest after widen().
  int coarsest() const { return coarsest_; }
  int top(int order_index) const { return coarsest_ - order_index - 1; }
  /// Adds coarser moves, up to 2^coarsest of the scale.
  void widen(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int coarsest);
  /// Drops the moves coarser than 2^coarsest of the scale.
  void narrow(int coarsest);
  /// Adds finer moves, down to 2^finest of the scale.
  void deepen(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int finest);

  Entry entry(int order_index, int log2_step) const;
  const ErrorScales& error_scales_without_noise() const { return error_scales_; }
  ErrorScales error_scales(int log2_step) const;
  /// error_scales() whose noise is at least the estimates at the next two finer steps, because two
  /// differences may agree by chance.
  ErrorScales cautious_error_scales(int order_index, int log2_step) const;
  /// Sets ErrorScales::scale, once the unit's is known.
  void take_scale(const Real& scale);

  /// |D(h) - D(2h)| over the scale; infinite where it is not finite, or outside the sweep.
  double self_error(int order_index, int log2_step) const;
  /// Whether |D(h) - D(2h)| estimates the error of D(h): is_informative() of entry.h.
  bool is_informative(int order_index, int log2_step) const;
  /// D(h).
  Real fine(int order_index, int log2_step) const;
  /// |D(h) - claimed| over the scale; infinite outside the sweep.
  double error(int order_index, int log2_step) const;
  /// ErrorScales::noise over the scale; absolute where the scale is 0.
  double relative_noise(int log2_step) const;
  /// Whether no move changed the value at all.
  bool unchanged() const;

 private:
  void move_by(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int log2_step);
  std::size_t at(int log2_step) const { return static_cast<std::size_t>(log2_step - last_); }

  /// The differences of an order, by step, in doubles and over 2^log2_unit_, so that none that
  /// matters leaves their range.
  struct Row {
    std::vector<double> distance;  ///< |D(h) - D(2h)|
    std::vector<double> size;      ///< |D(h)|
    std::vector<double> error;     ///< |D(h) - claimed|
  };
  const Row& row(int order_index) const;
  double noise_at(int log2_step) const;
  double brought_down(double value) const { return std::ldexp(value, -log2_unit_); }
  Row tabled(int order_index) const;
  double brought_down(const Real& value) const {
    return Real(ldexp(value, -log2_unit_)).convert_to<double>();
  }

  Method method_;
  int last_;
  int coarsest_ = kCoarsest;
  int log2_scale_;
  std::int64_t index_;
  Real claimed_;
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
