// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>

#include "oracles/differences/evaluate/forwarded_loss.h"
#include "oracles/differences/pipeline_target.h"

namespace gradproof {

/// In 400 digits, as the last arithmetic.
std::unique_ptr<PerturbedLoss> pipeline_loss_400(const PipelineTarget& target);

/// The rounding of 400 digits in that of 50.
inline constexpr double kDigits400In50 = 0x1p-1000;

/// A claim in the last arithmetic: 50 digits, in units of which these leave too little 400.
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

  /// Whether the rounding of L is more than a difference of order 6 can bear that is to have 34
  /// digits: r of what moving a number by the scale changes leaves r^(6/7) at the best step. By a
  /// tensor's largest claim, or what is felt at all: NaN or 0 where the moves are lost.
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

  /// 400 digits cost about eight times what 50 do.
  static constexpr std::int64_t kMany = 1 << 12;

  const PipelineTarget& target_;
  std::unique_ptr<PerturbedLoss> digits50_;
  std::unique_ptr<PerturbedLoss> digits400_;
  PerturbedLoss* current_ = nullptr;
};

}  // namespace gradproof
