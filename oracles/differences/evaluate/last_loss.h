// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>

#include "oracles/differences/evaluate/forwarded_loss.h"
#include "oracles/differences/pipeline_target.h"

namespace gradproof {

/// The loss in 400 digits, in the place of AuditArithmetic::digits50.
std::unique_ptr<PerturbedLoss> pipeline_loss_400(const PipelineTarget& target);

/// A bound on the round-off of 400 digits over that of 50.
inline constexpr double kDigits400In50 = 0x1p-1000;

/// The loss in the last arithmetic: 50 digits, or 400 in a unit where 50 leave too few.
class LastLoss final : public ForwardedLoss {
 public:
  LastLoss(const PipelineTarget& target, std::unique_ptr<PerturbedLoss> digits50)
      : target_(target), digits50_(std::move(digits50)) {}

  void take_unit(std::int64_t unit) override {
    digits50_->take_unit(unit);
    current_ = digits50_.get();
    if (!falls_short()) return;
    if (!digits400_) digits400_ = pipeline_loss_400(target_);
    digits400_->take_unit(unit);
    current_ = digits400_.get();
  }

 private:
  PerturbedLoss& to() const override { return *current_; }

  /// Whether the rounding of L is too large for a difference of order 6 with 34 digits. With r the
  /// rounding over the change of L by a move of the scale, the error at the best step is r^(6/7).
  /// The change is typical_change() or a tensor's largest claim times its scale. typical_change()
  /// is NaN or 0 where moves are lost.
  bool falls_short() {
    constexpr double kBearable = 1e-40;
    const double noise = kRealUnit * digits50_->magnitude();
    if (!std::isfinite(noise) || noise == 0 || target_.unit_size() > kMany) return false;
    if (!(noise <= kBearable * digits50_->typical_change())) return true;
    for (std::size_t k = 0; k < target_.tensors().size(); ++k) {
      const int log2_scale = digits50_->log2_scale(k);
      Real largest(0);
      for (const Real& claim : digits50_->claimed(k)) largest = std::max(largest, Real(abs(claim)));
      if (largest > 0 && noise > kBearable * ldexp(largest, log2_scale)) return true;
    }
    return false;
  }

  /// Elements of a unit up to which 400 digits are used; they cost about eight times 50 digits.
  static constexpr std::int64_t kMany = 1 << 12;

  const PipelineTarget& target_;
  std::unique_ptr<PerturbedLoss> digits50_;
  std::unique_ptr<PerturbedLoss> digits400_;
  PerturbedLoss* current_ = nullptr;
};

}  // namespace gradproof
