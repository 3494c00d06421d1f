// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <optional>
#include <vector>

#include "oracles/differences/evaluate/loss_cache.h"
#include "oracles/differences/precision.h"

namespace gradproof {

/// One unit and one tensor of it, as one arithmetic sees them before any move.
class UnitAtRest {
 public:
  /// The cache must outlive it.
  UnitAtRest(LossCache& cache, std::size_t tensor, AuditArithmetic arithmetic, std::int64_t unit);

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

  const Values<Real>& claimed() const;
  const Real& claimed(std::int64_t place) const {
    return claimed()[static_cast<std::size_t>(place)];
  }
  /// Whether the claim is that of double-doubles, and so no rounding error.
  bool is_reproduced(std::int64_t place) const;
  /// Whether L is finite; where `alone` each entry is asked by itself.
  bool finite() const { return alone_ || std::isfinite(losses().magnitude()); }
  double typical_gradient() const { return std::ldexp(losses().typical_change(), -log2_scale_); }

  /// One rounding of L over h, unit * magnitude / h with h = 2^(log2_step + log2_scale). L has many
  /// roundings, which partly cancel: this only keeps differences that agree by chance from counting
  /// as exact. 0 where `alone`.
  double noise(int log2_step) const {
    return alone_ ? 0 : over_step(losses().magnitude(), log2_step);
  }
  /// noise() of the entry at a place, where `alone` from the magnitude of its own element. Where
  /// that is not known it is that of the unit, but at most the scale.
  double noise_of(int log2_step, std::int64_t place, double scale) const;
  /// Whether the magnitude of the element is known, where `alone`.
  bool has_magnitude(std::int64_t place) const {
    return std::isfinite(losses().magnitude_of(place));
  }

 private:
  double over_step(double magnitude, int log2_step) const {
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
