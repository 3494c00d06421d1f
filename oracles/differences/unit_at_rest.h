// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "oracles/differences/entry.h"
#include "oracles/differences/target.h"

namespace gradproof {

/// The losses of a target by one of its tensors, one for each arithmetic, each created at the first
/// use. It is not thread-safe.
class LossCache {
 public:
  /// The target must outlive this object.
  LossCache(const AuditTarget& target, std::size_t tensor) : target_(target), tensor_(tensor) {
    unit_.fill(kNone);
  }

  /// The loss in this arithmetic, with this unit taken.
  PerturbedLoss& at(AuditArithmetic arithmetic, std::int64_t unit) {
    const auto k = static_cast<std::size_t>(arithmetic);
    if (!losses_[k]) losses_[k] = target_.losses(arithmetic);
    if (unit_[k] != unit) losses_[k]->take_unit(unit);
    unit_[k] = unit;
    return *losses_[k];
  }

  const AuditTarget& target() const { return target_; }
  std::size_t tensor() const { return tensor_; }

 private:
  static constexpr std::int64_t kNone = -1;

  const AuditTarget& target_;
  std::size_t tensor_;
  std::array<std::unique_ptr<PerturbedLoss>, 3> losses_;
  std::array<std::int64_t, 3> unit_{};
};

/// One rounding of L over h, unit * magnitude / h. L has many roundings, which partly cancel: this
/// only keeps differences that agree by chance from counting as exact.
struct Noise {
  Extended of_loss = 0;  ///< unit * magnitude
  int log2_scale = 0;    ///< of moves
  bool capped = false;   ///< counts as at most the scale of errors

  Extended at(int log2_step, Extended scale) const {
    const Extended noise = std::ldexp(of_loss, -log2_scale - log2_step);
    return capped && scale > 0 && !(noise < scale) ? scale : noise;
  }
};

/// One unit and the tensor, as one arithmetic sees them before any move.
class UnitAtRest {
 public:
  /// The cache must outlive this object.
  UnitAtRest(LossCache& cache, AuditArithmetic arithmetic, std::int64_t unit)
      : cache_(cache),
        arithmetic_(arithmetic),
        unit_(unit),
        precision_(precision_of(arithmetic)),
        alone_(cache.target().tensors()[cache.tensor()].reach == Reach::itself),
        log2_scale_(losses().log2_scale(cache.tensor())) {}

  /// The loss with this unit taken, even if it had another unit before.
  PerturbedLoss& losses() const { return cache_.at(arithmetic_, unit_); }
  std::size_t tensor() const { return cache_.tensor(); }
  AuditArithmetic arithmetic() const { return arithmetic_; }
  const Precision& precision() const { return precision_; }
  /// True if every entry affects its own element only (Reach::itself) and is judged by it alone.
  bool alone() const { return alone_; }
  int log2_scale() const { return log2_scale_; }
  std::int64_t count() const { return losses().count(tensor()); }
  std::int64_t entry(std::int64_t place) const { return losses().entry(tensor(), place); }

  const Digits400& claimed(std::int64_t place) const {
    if (!claimed_) claimed_ = losses().claimed(tensor());
    return (*claimed_)[static_cast<std::size_t>(place)];
  }
  /// True if double-doubles make the same claim to 10 digits: then it is no rounding error.
  bool is_reproduced(std::int64_t place) const {
    PerturbedLoss& coarser = cache_.at(AuditArithmetic::double_double, unit_);
    const Digits400 before = coarser.claimed(tensor())[static_cast<std::size_t>(place)];
    return abs(before - claimed(place)) <= abs(claimed(place)) * 1e-10;
  }
  /// True if L is finite, or if `alone` holds: then each entry is tested by itself.
  bool finite() const { return alone_ || std::isfinite(losses().magnitude()); }
  double typical_gradient() const {
    return std::ldexp(losses().typical_change(tensor()), -log2_scale_);
  }

  /// The noise of the entry at a place. If `alone` holds and the magnitude of its own element is
  /// known, it depends on no other element, which may be 1e38 or NaN.
  Noise noise_of(std::int64_t place) const {
    const double own = alone_ ? losses().magnitude_of(place) : 0;
    const bool of_unit = !alone_ || !std::isfinite(own);
    const Extended magnitude = of_unit ? losses().magnitude() : own;
    return {precision_.unit * magnitude, log2_scale_, alone_ && of_unit};
  }
  /// Adds the rounding at a step to the scales that the unit's entries share (error_scales_of()) if
  /// it is the same for all of them, which is not so if `alone` holds.
  ErrorScales with_shared_noise(const ErrorScales& scales, int log2_step) const {
    return alone_ ? scales : with_noise(scales, 0, log2_step);
  }
  /// Adds the typical gradient of the unit unless `alone` holds, and its rounding: L(x+-h) rounds
  /// as sum |dy y(x+-h)| <= magnitude + h (typical gradient) does, so that D(h) of a unit whose
  /// value is 0 before the move is off by unit * (typical gradient).
  ErrorScales with_typical_gradient(ErrorScales scales) const {
    if (alone_) return scales;
    scales.typical_gradient = typical_gradient();
    const Extended rounding = precision_.unit * scales.typical_gradient;
    if (std::isfinite(rounding)) {
      scales.rounding = std::max(scales.rounding, rounding);
      scales.noise = std::max(scales.noise, scales.rounding);
    }
    return scales;
  }
  /// Adds the rounding and the typical gradient of the entry itself if `alone` holds.
  ErrorScales with_own_noise(const ErrorScales& scales, const Entry& entry, int log2_step) const {
    if (!alone_) return scales;
    ErrorScales own = with_noise(scales, entry.place, log2_step);
    own.typical_gradient = scale_of(entry);
    return own;
  }

 private:
  ErrorScales with_noise(ErrorScales scales, std::int64_t place, int log2_step) const {
    scales.rounding = noise_of(place).at(log2_step, scales.scale);
    scales.noise = std::max(scales.rounding, scales.noise);
    return scales;
  }

  LossCache& cache_;
  AuditArithmetic arithmetic_;
  std::int64_t unit_;
  Precision precision_;
  bool alone_;
  int log2_scale_;
  mutable std::optional<Values<Digits400>> claimed_;
};

}  // namespace gradproof
