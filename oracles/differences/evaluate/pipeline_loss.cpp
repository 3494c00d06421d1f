// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/pipeline_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "oracles/differences/evaluate/kinks.h"
#include "oracles/differences/evaluate/numeric_loss.h"
#include "oracles/differences/evaluate/wide_real.h"
#include "oracles/differences/precision.h"
#include "oracles/differences/unit_rounding.h"
#include "oracles/pipeline/gather.h"

namespace gradproof {
namespace {

/// A bound on the round-off of 400 digits over that of 50.
constexpr double kDigits400In50 = 0x1p-1000;

template <class R>
class PipelineLoss final : public PerturbedLoss {
 public:
  PipelineLoss(const PipelineTarget& target, AuditArithmetic arithmetic)
      : target_(target),
        arithmetic_(arithmetic),
        types_(number_types_of(arithmetic)),
        by_type_(types_.size()),
        kinks_(target.claim(), target.compiled()) {
    by_type_.front() = numeric_loss<R>(target.compiled(), types_.front());
  }

  void take_unit(std::int64_t unit) override {
    index_ = unit;
    numbers_ = gather<double>(target_.claim(), target_.inputs(), unit);
    kinks_.take_unit(numbers_);
    evaluate_in(0);
    while (type_ + 1 < types_.size() && falls_short()) evaluate_in(type_ + 1);
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
    return change_by(Method::direct, tensor, place, move);
  }

  Real change_by(Method method, std::size_t tensor, std::int64_t place, double move) override {
    const Real change = real_of(losses().change(target_.movable(tensor), method, place, move));
    return is_missing(change, method) ? this->change(tensor, place, move) : change;
  }

  const Values<Real>& changes(std::size_t tensor, double move, Method method) override {
    results_.resize(static_cast<std::size_t>(count(tensor)));
    losses().changes(target_.movable(tensor), method, move, results_.data());
    changes_.resize(results_.size());
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      changes_[i] = real_of(results_[i]);
      if (is_missing(changes_[i], method))
        changes_[i] = change(tensor, static_cast<std::int64_t>(i), move);
    }
    return changes_;
  }

  std::optional<Differences> differences(std::size_t tensor, int order_index, int log2_h,
                                         Method method) override {
    Differences result(static_cast<std::size_t>(count(tensor)));
    if (!losses().differences(target_.movable(tensor), method, {order_index, log2_h}, result.all()))
      return std::nullopt;
    return result;
  }

  Method quickest(std::size_t tensor) const override {
    const Movable movable = target_.movable(tensor);
    const bool by_element =
        movable.input || (target_.geometry().is_grouped() && !target_.shared(tensor));
    if (by_element && !target_.before_norm(tensor)) return Method::together;
    const bool through_statistics =
        by_type_.front()->allows(movable, Method::statistics) &&
        target_.geometry().unit_size() >= quicker_through_statistics(types_.front());
    return through_statistics ? Method::statistics : Method::direct;
  }

  const Values<Real>& claimed(std::size_t tensor) override {
    const Movable movable = target_.movable(tensor);
    results_.resize(static_cast<std::size_t>(losses().terms(movable)));
    losses().adjoint(movable, results_.data());
    claimed_.clear();
    for (const R& term : results_) claimed_.push_back(real_of(term));
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
    magnitude_ = losses().magnitude() + cancelled();
    if (in_400_digits()) *magnitude_ *= kDigits400In50;  // Precision::unit is that of 50 digits
    return *magnitude_;
  }
  bool moves(std::size_t tensor, std::int64_t place, double move) override {
    return losses().moves(target_.movable(tensor), place, move);
  }
  double magnitude_of(std::int64_t place) override { return losses().magnitude_of(place); }

  Real rounding(std::size_t tensor, std::int64_t place, int order_index, int log2_h) override {
    if (arithmetic_ == AuditArithmetic::double_double) return Real(0);  // the next one decides
    if (!rounding_)
      rounding_ = unit_rounding(target_.compiled(), numbers_, arithmetic_, in_400_digits());
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
        losses().absolute_change({true, 0}, largest_dy, std::ldexp(1, log2_norm_width()));
    for (std::size_t k = 0; k < target_.tensors().size(); ++k) {
      const Movable movable = target_.movable(k);
      if (movable.input) continue;
      const std::int64_t place = count(k) == std::ssize(dy) ? largest_dy : 0;
      typical_change_ = std::max(*typical_change_, losses().absolute_change(movable, place, 1));
    }
    return *typical_change_;
  }

  std::string irregular(std::size_t tensor, std::int64_t place, double move) override {
    return kinks_.why_not(target_.movable(tensor), place, move);
  }

 private:
  NumericLoss<R>& losses() const { return *by_type_[type_]; }
  bool in_400_digits() const { return types_[type_] == NumberType::digits400; }

  void evaluate_in(std::size_t type) {
    type_ = type;
    if (!by_type_[type]) by_type_[type] = numeric_loss<R>(target_.compiled(), types_[type]);
    losses().take_unit(numbers_);
    typical_change_.reset();
    magnitude_.reset();
    rounding_.reset();
  }

  /// Whether the rounding of L is too large for a difference of order 6 with 34 digits. With r the
  /// rounding over the change of L by a move of the scale, the error at the best step is r^(6/7).
  /// The change is typical_change() or a tensor's largest claim times its scale. typical_change()
  /// is NaN or 0 where moves are lost.
  bool falls_short() {
    constexpr double kBearable = 1e-40;
    // Elements up to which 400 digits are used; they cost about eight times 50 digits.
    constexpr std::int64_t kMany = 1 << 12;
    const double noise = kRealUnit * magnitude();
    if (!std::isfinite(noise) || noise == 0 || target_.unit_size() > kMany) return false;
    if (!(noise <= kBearable * typical_change())) return true;
    for (std::size_t k = 0; k < target_.tensors().size(); ++k) {
      Real largest(0);
      for (const Real& claim : claimed(k)) largest = std::max(largest, Real(abs(claim)));
      if (largest > 0 && noise > kBearable * ldexp(largest, log2_scale(k))) return true;
    }
    return false;
  }

  /// condition() typical_change(): the magnitude to which roundings of the norm's input amount.
  double cancelled() {
    constexpr double kWellConditioned = 0x1p10;
    constexpr double kLost = 0x1p-20;
    const double condition = losses().condition();
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
    const double rstd = losses().rstd();
    return std::isfinite(rstd) && rstd > 0 ? -std::ilogb(rstd) : 0;
  }

  /// Whether a change that Method::statistics left NaN is to be computed directly; not in a unit
  /// that is not finite, where direct moves are NaN too.
  bool is_missing(const Real& change, Method method) {
    return method == Method::statistics && isnan(change) && std::isfinite(magnitude());
  }

  const PipelineTarget& target_;
  AuditArithmetic arithmetic_;
  std::vector<NumberType> types_;
  std::vector<std::unique_ptr<NumericLoss<R>>>
      by_type_;           ///< the later ones made at their first use
  std::size_t type_ = 0;  ///< that of this unit
  Kinks<> kinks_;
  Unit<double> numbers_;
  std::optional<double> typical_change_;
  std::optional<double> magnitude_;
  std::unique_ptr<UnitRounding> rounding_;  ///< of this unit, made at the first use
  std::int64_t index_ = 0;
  std::vector<R> results_;
  Values<Real> changes_;
  Values<Real> claimed_;
};

}  // namespace

std::unique_ptr<PerturbedLoss> pipeline_loss(const PipelineTarget& target,
                                             AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::digits50)
    return std::make_unique<PipelineLoss<Real>>(target, arithmetic);
  return std::make_unique<PipelineLoss<Wide>>(target, arithmetic);
}

}  // namespace gradproof
