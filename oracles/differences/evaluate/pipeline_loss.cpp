// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/pipeline_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"
#include "oracles/differences/evaluate/kinks.h"
#include "oracles/differences/evaluate/last_loss.h"
#include "oracles/differences/evaluate/pipeline_arithmetics.h"
#include "oracles/differences/evaluate/statistics_pipeline.h"
#include "oracles/differences/exact.h"
#include "oracles/differences/precision.h"
#include "oracles/differences/unit_rounding.h"
#include "oracles/pipeline/gather.h"

namespace gradproof {
namespace {

template <class Arithmetic>
class PipelineLoss final : public PerturbedLoss {
 public:
  PipelineLoss(const PipelineTarget& target, AuditArithmetic arithmetic)
      : target_(target),
        arithmetic_(arithmetic),
        losses_(target.compiled(), arithmetic),
        parts_(target.compiled()),
        kinks_(target.claim(), target.compiled()),
        through_statistics_from_(quicker_through_statistics(arithmetic)) {}

  void take_unit(std::int64_t unit) override {
    const Claim& claim = target_.claim();
    index_ = unit;
    numbers_ = gather<double>(claim, target_.inputs(), unit);
    const std::int64_t block = target_.geometry().block_of(unit);
    if (block != block_) losses_.take_numbers(numbers_);
    block_ = block;
    losses_.take_unit(numbers_);
    typical_change_.reset();
    magnitude_.reset();
    rounding_.reset();
    kinks_.take_unit(numbers_);
  }

  std::int64_t count(std::size_t tensor) const override {
    if (target_.movable(tensor).input) return target_.geometry().unit_size();
    return target_.shared(tensor) ? 1 : target_.geometry().columns();
  }

  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    const Geometry& geometry = target_.geometry();
    if (target_.movable(tensor).input) return geometry.first(index_) + place * geometry.stride();
    return target_.shared(tensor) ? 0 : geometry.first_column(index_) + place;
  }

  Real change(std::size_t tensor, std::int64_t place, double move) override {
    return losses_.change(target_.movable(tensor), place, move);
  }

  Real change_by(Method method, std::size_t tensor, std::int64_t place, double move) override {
    const Movable movable = target_.movable(tensor);
    const bool through_statistics = method == Method::statistics;
    if (method == Method::direct || !losses_.by_element(movable, through_statistics))
      return losses_.change(movable, place, move);
    Real change = losses_.change_of_element(movable, through_statistics, place, move);
    const bool is_missing = through_statistics && isnan(change) && std::isfinite(magnitude());
    return is_missing ? losses_.change(movable, place, move) : change;
  }

  const Values<Real>& changes(std::size_t tensor, double move, Method method) override {
    const Movable movable = target_.movable(tensor);
    const bool through_statistics = method == Method::statistics;
    changes_.resize(static_cast<std::size_t>(count(tensor)));
    if (method != Method::direct && losses_.by_element(movable, through_statistics)) {
      losses_.changes_of_elements(movable, through_statistics, move, changes_);
      if (through_statistics) complete(movable, move);
    } else if (method == Method::together) {
      losses_.changes_together(movable, move, changes_);
    } else {
      for (std::size_t i = 0; i < changes_.size(); ++i)
        changes_[i] = losses_.change(movable, static_cast<std::int64_t>(i), move);
    }
    return changes_;
  }

  std::optional<Differences> differences(std::size_t tensor, int order_index, int log2_h,
                                         Method method) override {
    const std::int64_t numbers = count(tensor);
    Differences result(static_cast<std::size_t>(numbers));
    const Movable movable = target_.movable(tensor);
    if (!losses_.differences(movable, method, order_index, log2_h, result.all(), numbers))
      return std::nullopt;
    return result;
  }

  Method quickest(std::size_t tensor) const override {
    const Movable movable = target_.movable(tensor);
    const bool by_element =
        movable.input || (target_.geometry().is_grouped() && !target_.shared(tensor));
    if (by_element && !target_.before_norm(tensor)) return Method::together;
    const bool through_statistics =
        parts_.allows(movable) && target_.geometry().unit_size() >= through_statistics_from_;
    return through_statistics ? Method::statistics : Method::direct;
  }

  const Values<Real>& claimed(std::size_t tensor) override {
    claimed_ = losses_.adjoint(target_.movable(tensor));
    const auto wanted = static_cast<std::size_t>(count(tensor));
    if (claimed_.size() == wanted) return claimed_;
    Real sum(0);  // a number that all channels share has a term for each of them
    for (const Real& term : claimed_) sum += term;
    claimed_.assign(wanted, sum);
    return claimed_;
  }

  int log2_scale(std::size_t tensor) override {
    if (!target_.before_norm(tensor)) return 0;
    const bool bent = target_.movable(tensor).input && target_.bent_before_norm();
    return bent ? std::min(log2_norm_width(), 0) : log2_norm_width();  // swish changes over 1
  }

  /// sum |dy y| + cancelled(): the rounding of z - mean is in every xhat. A loss of up to three
  /// digits shows in |D(h) - D(2h)| and is not added. Infinite where the arithmetic leaves so few
  /// digits of xhat that typical_change() has no meaning.
  double magnitude() override {
    if (magnitude_) return *magnitude_;
    magnitude_ = losses_.magnitude() + cancelled();
    // Precision::unit is that of 50 digits.
    if constexpr (std::is_same_v<Arithmetic, ManyDigits<Digits400>>) *magnitude_ *= kDigits400In50;
    return *magnitude_;
  }
  bool moves(std::size_t tensor, std::int64_t place, double move) override {
    return losses_.moves(target_.movable(tensor), place, move);
  }
  double magnitude_of(std::int64_t place) override { return losses_.magnitude_of(place); }

  Real rounding(std::size_t tensor, std::int64_t place, int order_index, int log2_h) override {
    if (arithmetic_ == AuditArithmetic::double_double) return Real(0);  // the next one decides
    if (!rounding_) {
      constexpr bool kMany = std::is_same_v<Arithmetic, ManyDigits<Digits400>>;
      rounding_ = unit_rounding(target_.compiled(), numbers_, arithmetic_, kMany);
    }
    const Movable movable = target_.movable(tensor);
    const bool alone = target_.tensors()[tensor].reach == Reach::itself;
    const Real difference = alone ? rounding_->of_element(place, order_index, log2_h)
                                  : rounding_->of_difference(movable, order_index, log2_h);
    return difference + rounding_->of_claim(movable, place, target_.shared(tensor));
  }

  /// The largest absolute_change() of moves of x at the largest |dy| and of the parameters there.
  /// The parameters count, because L may be constant in x alone.
  double typical_change() override {
    if (typical_change_) return *typical_change_;
    const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
    const Values<double>& dy = numbers_.dy;
    typical_change_ = 0;
    if (dy.empty()) return 0;
    const auto largest_dy = std::max_element(dy.begin(), dy.end(), smaller) - dy.begin();
    typical_change_ =
        losses_.absolute_change({true, 0}, largest_dy, std::ldexp(1, log2_norm_width()));
    for (std::size_t k = 0; k < target_.tensors().size(); ++k) {
      const Movable movable = target_.movable(k);
      if (movable.input) continue;
      const std::int64_t place = count(k) == std::ssize(dy) ? largest_dy : 0;
      typical_change_ = std::max(*typical_change_, losses_.absolute_change(movable, place, 1));
    }
    return *typical_change_;
  }

  std::string irregular(std::size_t tensor, std::int64_t place, double move) override {
    return kinks_.why_not(target_.movable(tensor), place, move);
  }

 private:
  /// condition() typical_change(): the magnitude to which roundings of the norm's input amount.
  double cancelled() {
    constexpr double kWellConditioned = 0x1p10;
    constexpr double kLost = 0x1p-20;
    const double condition = losses_.condition();
    if (!(condition > kWellConditioned)) return 0;
    if (!is_last(arithmetic_) && condition * precision_of(arithmetic_).unit > kLost)
      return std::numeric_limits<double>::infinity();
    double change = this->typical_change();
    // Where the move is lost in rounding, the change is 0.
    if (!(change > 0))
      for (const double dy : numbers_.dy) change += std::fabs(dy);
    return std::isfinite(change) ? condition * change : 0;
  }

  int log2_norm_width() const {
    const double rstd = losses_.rstd();
    return std::isfinite(rstd) && rstd > 0 ? -std::ilogb(rstd) : 0;
  }

  /// Computes directly what Method::statistics left NaN; not in a unit that is not finite, where
  /// direct moves are NaN too.
  void complete(const Movable& movable, double move) {
    const auto is_missing = [](const Real& change) { return isnan(change); };
    if (std::none_of(changes_.begin(), changes_.end(), is_missing)) return;
    if (!std::isfinite(magnitude())) return;
    for (std::size_t i = 0; i < changes_.size(); ++i)
      if (is_missing(changes_[i]))
        changes_[i] = losses_.change(movable, static_cast<std::int64_t>(i), move);
  }

  const PipelineTarget& target_;
  AuditArithmetic arithmetic_;
  Arithmetic losses_;
  StatisticsPipeline parts_;
  Kinks<> kinks_;
  std::int64_t through_statistics_from_;
  Unit<double> numbers_;
  std::optional<double> typical_change_;
  std::optional<double> magnitude_;
  std::unique_ptr<UnitRounding> rounding_;  ///< of this unit, made at the first use
  std::int64_t index_ = 0;
  std::int64_t block_ = -1;
  Values<Real> changes_;
  Values<Real> claimed_;
};

}  // namespace

std::vector<PackedLossCompilation> packed_loss_compilations() {
  return compilations_of([]<InstructionSet set>() { return &packed_loss_of<set>; });
}

std::unique_ptr<PackedLoss> packed_loss(const CompiledPipeline& compiled,
                                        AuditArithmetic arithmetic) {
  static const PackedLossCompilation best = widest(packed_loss_compilations());
  std::unique_ptr<PackedLoss> losses = best.make(compiled, arithmetic);
  if (losses == nullptr) throw InstrumentError("packed losses do not come in 50 digits");
  return losses;
}

std::unique_ptr<PerturbedLoss> pipeline_loss_400(const PipelineTarget& target) {
  return std::make_unique<PipelineLoss<ManyDigits<Digits400>>>(target, AuditArithmetic::digits50);
}

std::unique_ptr<PerturbedLoss> pipeline_loss(const PipelineTarget& target,
                                             AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::digits50)
    return std::make_unique<LastLoss>(
        target, std::make_unique<PipelineLoss<ManyDigits<Real>>>(target, arithmetic));
  return std::make_unique<PipelineLoss<Packed>>(target, arithmetic);
}

}  // namespace gradproof
