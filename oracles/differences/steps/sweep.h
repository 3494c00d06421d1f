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

/// What a unit says of a tensor before anything is moved.
struct Unmoved {
  Values<Real> claimed;  ///< by place
  int log2_scale = 0;
  double magnitude = 0;
  double typical_change = 0;
  bool alone = false;                ///< Reach::itself: an entry is judged by its own element
  std::vector<double> magnitudes{};  ///< then by place

  bool finite() const { return alone || std::isfinite(magnitude); }
  double typical_gradient() const { return std::ldexp(typical_change, -log2_scale); }
  /// Of D(2^log2_step of the scale), one rounding of the value. It has many, in part averaged out:
  /// this only keeps two differences that agree by chance from counting as exact.
  double noise(const Precision& precision, int log2_step) const {
    return precision.unit * std::ldexp(magnitude, -log2_scale - log2_step);
  }
  /// The same of an entry that is felt by its own element only. Where nothing is known of that the
  /// unit's counts, but as no more than the scale.
  double noise_of(const Precision& precision, int log2_step, std::int64_t place,
                  double scale) const;
};

Unmoved unmoved_of(PerturbedLoss& losses, std::size_t tensor, const AuditTarget& target);

/// Of an entry that is felt by its own element only: other elements may be 1e38 or NaN.
ErrorScales error_scales_of_element(const ErrorScales& scales, const Entry& entry, double noise);

/// Which moves a sweep has: by 2^finest to 2^coarsest of the scale. Its own scale is known at the
/// step `known`.
struct Octaves {
  int finest;
  int coarsest;
  int known;
};

/// One number moved by +-2^k of the scale for k = kCoarsest, kCoarsest - 1, ..., each move once:
/// central differences of every order at all those steps.
class Sweep {
 public:
  static constexpr int kCoarsest = -1;

  Sweep(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, const Unmoved& unmoved,
        const Precision& precision, Method method = Method::direct);
  Sweep(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, const Unmoved& unmoved,
        const Precision& precision, Method method, const Octaves& octaves);

  /// The coarsest step at which D(h) and D(2h) can be formed.
  static int first(int form) { return kCoarsest - form - 1; }
  int last() const { return last_; }
  /// Of this sweep: beyond kCoarsest where it has been widened.
  int coarsest() const { return coarsest_; }
  int top(int form) const { return coarsest_ - form - 1; }
  /// Coarser moves too, up to 2^coarsest of the scale.
  void widen(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int coarsest);
  /// Forgets them.
  void narrow(int coarsest);
  /// Finer moves too, down to 2^finest of the scale.
  void deepen(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int finest);

  Entry entry(int form, int log2_step) const;
  const ErrorScales& error_scales_without_noise() const { return error_scales_; }
  ErrorScales error_scales(int log2_step) const;
  /// The same for a verdict: two differences may agree by chance, so that the estimates of the next
  /// two finer steps count too.
  ErrorScales cautious_error_scales(int form, int log2_step) const;
  /// To be said once the unit's scale is known better than from this place.
  void take_scale(const Real& scale);

  /// |D(h) - D(2h)| over the scale; infinite where it is not finite, or has not been swept.
  double self_error(int form, int log2_step) const;
  /// Whether own() says anything of D(h)'s error: tells() of entry.h.
  bool is_informative(int form, int log2_step) const;
  /// D(h).
  Real fine(int form, int log2_step) const;
  /// |D(h) - claimed| over the scale, as own().
  double error(int form, int log2_step) const;
  /// The ground's noise over its scale; as it is where that is 0.
  double relative_noise(int log2_step) const;
  /// Whether no move changed the value at all.
  bool unchanged() const;

 private:
  void move_by(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int log2_step);
  std::size_t at(int log2_step) const { return static_cast<std::size_t>(log2_step - last_); }

  /// The differences of an order, by step: in doubles, over a power of two by which none of any
  /// weight leaves their range.
  struct Row {
    std::vector<double> distance;  ///< |D(h) - D(2h)|
    std::vector<double> size;      ///< |D(h)|
    std::vector<double> error;     ///< |D(h) - claimed|
  };
  const Row& row(int form) const;
  double noise_at(int log2_step) const;
  double brought_down(double value) const { return std::ldexp(value, -log2_unit_); }
  Row tabled(int form) const;
  double brought_down(const Real& value) const {
    return Real(ldexp(value, -log2_unit_)).convert_to<double>();
  }

  Method method_;
  int last_;
  int coarsest_ = kCoarsest;
  int log2_scale_;
  std::int64_t index_;
  Real claimed_;
  double noise_;  ///< at step 1
  bool capped_;   ///< by the scale
  ErrorScales error_scales_;
  Values<Real> odd_;  ///< by step, the finest first
  Values<Real> even_;
  mutable std::array<std::optional<Row>, kOrders> rows_;  ///< once they have been asked for
  int log2_unit_ = 0;
  double scale_ = 0;  ///< in that unit
  double plain_scale_ = 0;
};

}  // namespace gradproof
