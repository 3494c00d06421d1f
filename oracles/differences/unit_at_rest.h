// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <optional>

#include "oracles/differences/entry.h"
#include "oracles/differences/target.h"

namespace gradproof {

/// The losses of a target, one for each arithmetic, each created at the first use. Not for two
/// threads at once.
class LossCache {
 public:
  explicit LossCache(const AuditTarget& target) : target_(target) { unit_.fill(kNone); }

  /// The loss in this arithmetic, with this unit taken.
  PerturbedLoss& at(AuditArithmetic arithmetic, std::int64_t unit) {
    const auto k = static_cast<std::size_t>(arithmetic);
    if (!losses_[k]) losses_[k] = target_.losses(arithmetic);
    if (unit_[k] != unit) losses_[k]->take_unit(unit);
    unit_[k] = unit;
    return *losses_[k];
  }

  const AuditTarget& target() const { return target_; }

 private:
  static constexpr std::int64_t kNone = -1;

  const AuditTarget& target_;
  std::array<std::unique_ptr<PerturbedLoss>, 3> losses_;
  std::array<std::int64_t, 3> unit_{};
};

/// One unit and one tensor of it, as one arithmetic sees them before any move.
class UnitAtRest {
 public:
  /// The cache must outlive it.
  UnitAtRest(LossCache& cache, std::size_t tensor, AuditArithmetic arithmetic, std::int64_t unit)
      : cache_(cache),
        tensor_(tensor),
        arithmetic_(arithmetic),
        unit_(unit),
        precision_(precision_of(arithmetic)),
        alone_(cache.target().tensors()[tensor].reach == Reach::itself),
        log2_scale_(losses().log2_scale(tensor)) {}

  /// The loss with this unit taken, whatever unit it was asked for before.
  PerturbedLoss& losses() const { return cache_.at(arithmetic_, unit_); }
  std::size_t tensor() const { return tensor_; }
  AuditArithmetic arithmetic() const { return arithmetic_; }
  const Precision& precision() const { return precision_; }
  /// Whether every entry affects its own element only (Reach::itself) and is judged by it alone.
  bool alone() const { return alone_; }
  int log2_scale() const { return log2_scale_; }
  std::int64_t count() const { return losses().count(tensor_); }
  std::int64_t entry(std::int64_t place) const { return losses().entry(tensor_, place); }

  const Real& claimed(std::int64_t place) const {
    if (!claimed_) claimed_ = losses().claimed(tensor_);
    return (*claimed_)[static_cast<std::size_t>(place)];
  }
  /// Whether double-doubles make the same claim to 10 digits: then it is no rounding error.
  bool is_reproduced(std::int64_t place) const {
    PerturbedLoss& coarser = cache_.at(AuditArithmetic::double_double, unit_);
    const Real before = coarser.claimed(tensor_)[static_cast<std::size_t>(place)];
    return abs(before - claimed(place)) <= abs(claimed(place)) * 1e-10;
  }
  /// Whether L is finite; where `alone` each entry is asked by itself.
  bool finite() const { return alone_ || std::isfinite(losses().magnitude()); }
  double typical_gradient() const { return std::ldexp(losses().typical_change(), -log2_scale_); }

  /// One rounding of L over h, unit * magnitude / h with h = 2^(log2_step + log2_scale). L has many
  /// roundings, which partly cancel: this only keeps differences that agree by chance from counting
  /// as exact. 0 where `alone`.
  Extended noise(int log2_step) const {
    return alone_ ? 0 : over_step(losses().magnitude(), log2_step);
  }
  /// noise() of the entry at a place, where `alone` from the magnitude of its own element. Where
  /// that is not known it is that of the unit, but at most the scale.
  Extended noise_of(int log2_step, std::int64_t place, Extended scale) const {
    if (!alone_) return noise(log2_step);
    if (has_magnitude(place)) return over_step(losses().magnitude_of(place), log2_step);
    const Extended all = over_step(losses().magnitude(), log2_step);
    return scale > 0 && !(all < scale) ? scale : all;
  }
  /// Whether the magnitude of the element is known, where `alone`.
  bool has_magnitude(std::int64_t place) const {
    return std::isfinite(losses().magnitude_of(place));
  }

 private:
  Extended over_step(Extended magnitude, int log2_step) const {
    return precision_.unit * std::ldexp(magnitude, -log2_scale_ - log2_step);
  }

  LossCache& cache_;
  std::size_t tensor_;
  AuditArithmetic arithmetic_;
  std::int64_t unit_;
  Precision precision_;
  bool alone_;
  int log2_scale_;
  mutable std::optional<Values<Real>> claimed_;
};

}  // namespace gradproof
