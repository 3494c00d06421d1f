// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "oracles/graph/audit/graph_loss.h"
#include "oracles/graph/audit/unit_numbers.h"

namespace gradproof {
namespace {

class FunctionGraphLoss final : public PerturbedLoss {
 public:
  FunctionGraphLoss(const GraphTarget& target, AuditArithmetic arithmetic)
      : target_(target),
        arithmetic_(arithmetic),
        unit_(target),
        input_(target.graph().input_of_function(target.tensor())) {}

  void take_unit(std::int64_t unit) override {
    const std::int64_t before = taken_ ? unit_.part() : -1;
    taken_ = true;
    unit_.take(unit);
    if (unit_.part() != before && !target_.graph().is_finite(unit_.part())) loss_.reset();
    if (unit_.part() != before && target_.graph().is_finite(unit_.part())) {
      const FunctionTarget& function = arithmetic_ == AuditArithmetic::triple_double
                                           ? target_.quick_function(unit_.part())
                                           : target_.function(unit_.part());
      loss_ = function.losses(arithmetic_);
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
    target_.spend(arithmetic_ == AuditArithmetic::digits400 ? 1 : kOfTriples);
    return loss_->change(input_, position(place), move);
  }
  const Values<Digits400>& claimed(std::size_t) override { return claimed_; }
  int log2_scale(std::size_t) override { return loss_ ? loss_->log2_scale(input_) : 0; }
  double magnitude() override { return loss_ ? loss_->magnitude() : kNothing; }
  double typical_change(std::size_t) override {
    return loss_ ? loss_->typical_change(input_) : kNothing;
  }
  Irregularity irregular(std::size_t, std::int64_t place, double move) override {
    if (!loss_) return Irregularity::none;
    target_.spend(kInSearchOfKinks);
    return loss_->irregular(input_, position(place), move);
  }

 private:
  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kOfTriples = 0.1;  ///< of what 400 digits take
  static constexpr double kInSearchOfKinks = 2;

  std::int64_t position(std::int64_t place) const {
    return static_cast<std::int64_t>(unit_.position(static_cast<std::size_t>(place)));
  }

  const GraphTarget& target_;
  AuditArithmetic arithmetic_;
  UnitNumbers unit_;
  std::size_t input_;
  bool taken_ = false;
  std::unique_ptr<PerturbedLoss> loss_;  ///< null of a part that is not finite
  Values<Digits400> claimed_;
};

}  // namespace

std::unique_ptr<PerturbedLoss> function_loss_of_graph(const GraphTarget& target,
                                                      AuditArithmetic arithmetic) {
  return std::make_unique<FunctionGraphLoss>(target, arithmetic);
}

}  // namespace gradproof
