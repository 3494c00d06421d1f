// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "oracles/graph/audit/graph_loss.h"
#include "oracles/graph/audit/part_at_rest.h"
#include "oracles/graph/audit/unit_numbers.h"

namespace gradproof {
namespace {

class FunctionGraphLoss final : public PerturbedLoss {
 public:
  explicit FunctionGraphLoss(const GraphTarget& target)
      : target_(target),
        unit_(target),
        part_(target, AuditArithmetic::triple_double),
        input_(target.graph().input_of_function(target.tensor())) {}

  void take_unit(std::int64_t unit) override {
    const std::int64_t before = taken_ ? unit_.part() : -1;
    taken_ = true;
    unit_.take(unit);
    if (unit_.part() != before && !target_.graph().is_finite(unit_.part())) loss_.reset();
    if (unit_.part() != before && target_.graph().is_finite(unit_.part())) {
      part_.take(unit_.part());
      loss_ = target_.function_of(*part_).losses(AuditArithmetic::digits400);
      loss_->take_unit(0);
    }
    claimed_.assign(loss_ ? 0 : unit_.count(), kNothing);
    if (!loss_) return;
    const Values<Digits400>& all = loss_->claimed(input_);
    for (std::size_t k = 0; k < unit_.count(); ++k) claimed_.push_back(all[unit_.position(k)]);
  }
  std::int64_t count(std::size_t) const override {
    return static_cast<std::int64_t>(unit_.count());
  }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return unit_.entry(place); }
  Digits400 change(std::size_t, std::int64_t place, double move) override {
    if (!loss_) return kNothing;
    target_.spend(1);
    return loss_->change(input_, position(place), move);
  }
  const Values<Digits400>& claimed(std::size_t) override { return claimed_; }
  int log2_scale(std::size_t) override { return loss_ ? loss_->log2_scale(input_) : 0; }
  double magnitude() override { return loss_ ? loss_->magnitude() : kNothing; }
  /// Triple-doubles say it, unless their range does not suffice.
  double typical_change(std::size_t) override {
    if (!loss_) return kNothing;
    const double quick = part_->typical_change(target_.tensor());
    return std::isfinite(quick) ? quick : loss_->typical_change(input_);
  }

 private:
  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

  std::int64_t position(std::int64_t place) const {
    return static_cast<std::int64_t>(unit_.position(static_cast<std::size_t>(place)));
  }

  const GraphTarget& target_;
  UnitNumbers unit_;
  PartInUse part_;  ///< at rest, in triple-doubles
  std::size_t input_;
  bool taken_ = false;
  std::unique_ptr<PerturbedLoss> loss_;  ///< null of a part that is not finite
  Values<Digits400> claimed_;
};

}  // namespace

std::unique_ptr<PerturbedLoss> function_loss_of_graph(const GraphTarget& target) {
  return std::make_unique<FunctionGraphLoss>(target);
}

}  // namespace gradproof
