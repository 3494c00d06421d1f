// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "oracles/differences/evaluate/kinks.h"
#include "oracles/differences/evaluate/unit_loss.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/pipeline/gather.h"

namespace gradproof {
namespace {

Digits400 in_digits400(const Wide& value) { return real_of(value); }
const Digits400& in_digits400(const Digits400& value) { return value; }

template <class R>
class PipelineLoss final : public PerturbedLoss {
 public:
  PipelineLoss(const PipelineTarget& target, AuditArithmetic arithmetic,
               std::unique_ptr<NumericLoss<R>> losses)
      : target_(target),
        arithmetic_(arithmetic),
        losses_(std::move(losses)),
        kinks_(target.compiled()) {}

  void take_unit(std::int64_t unit) override {
    index_ = unit;
    numbers_ = gather<double>(target_.claim(), target_.inputs(), unit);
    kinks_.take_unit(numbers_);
    losses_->take_unit(numbers_);
    typical_change_.reset();
    magnitude_.reset();
  }

  std::int64_t count(std::size_t tensor) const override {
    const bool by_element = gradproof::by_element(target_.compiled(), target_.movable(tensor));
    return by_element ? target_.geometry().unit_size() : 1;
  }

  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    const Geometry& geometry = target_.geometry();
    if (target_.movable(tensor).input) return geometry.first(index_) + place * geometry.stride();
    return target_.shared(tensor) ? 0 : geometry.first_column(index_) + place;
  }

  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    return in_digits400(losses_->change(target_.movable(tensor), Method::direct, place, move));
  }

  std::vector<Values<Digits400>> changes(std::size_t tensor,
                                         const std::vector<std::int64_t>& places,
                                         const std::vector<double>& moves, Method method) override {
    const Movable movable = target_.movable(tensor);
    std::vector<Values<Digits400>> rows(moves.size());
    for (std::size_t m = 0; m < moves.size(); ++m) {
      results_.resize(places.empty() ? static_cast<std::size_t>(count(tensor)) : places.size());
      if (places.empty()) losses_->changes(movable, method, moves[m], results_.data());
      for (std::size_t k = 0; k < results_.size(); ++k) {
        const std::int64_t place = places.empty() ? static_cast<std::int64_t>(k) : places[k];
        if (!places.empty()) results_[k] = losses_->change(movable, method, place, moves[m]);
        const Digits400 change = in_digits400(results_[k]);
        rows[m].push_back(is_missing(change, method) ? this->change(tensor, place, moves[m])
                                                     : change);
      }
    }
    return rows;
  }

  std::optional<Values<Difference>> differences(std::size_t tensor, const StepChoice& step,
                                                Method method) override {
    Values<Difference> result(static_cast<std::size_t>(count(tensor)));
    if (!losses_->differences(target_.movable(tensor), method, step, result.data()))
      return std::nullopt;
    return result;
  }

  Method quickest(std::size_t tensor) const override {
    const Movable movable = target_.movable(tensor);
    if (by_element(target_.compiled(), movable) && !target_.before_norm(tensor))
      return Method::together;
    const bool through_statistics =
        losses_->allows(movable, Method::statistics) &&
        target_.geometry().unit_size() >= precision_of(arithmetic_).long_unit;
    return through_statistics ? Method::statistics : Method::direct;
  }

  const Values<Digits400>& claimed(std::size_t tensor) override {
    const Movable movable = target_.movable(tensor);
    results_.resize(static_cast<std::size_t>(losses_->terms(movable)));
    losses_->adjoint(movable, results_.data());
    claimed_.clear();
    for (const R& term : results_) claimed_.push_back(in_digits400(term));
    const auto wanted = static_cast<std::size_t>(count(tensor));
    if (claimed_.size() == wanted) return claimed_;
    Digits400 sum(0);  // a number that all channels share has a term for each of them
    for (const Digits400& term : claimed_) sum += term;
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
    magnitude_ = losses_->magnitude() + cancelled();
    return *magnitude_;
  }
  bool moves(std::size_t tensor, std::int64_t place, double move) override {
    const Movable movable = target_.movable(tensor);
    const Values<double>& numbers = numbers_of(numbers_, movable);
    const double number = numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(place)];
    return arithmetic_ != AuditArithmetic::digits400 ||
           moves_exactly(Digits400(number), Digits400(move));
  }
  double magnitude_of(std::int64_t place) override { return losses_->magnitude_of(place); }

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
        losses_->absolute_change({true, 0}, largest_dy, std::ldexp(1, log2_norm_width()));
    for (std::size_t k = 0; k < target_.tensors().size(); ++k) {
      const Movable movable = target_.movable(k);
      if (movable.input) continue;
      const std::int64_t place = count(k) == std::ssize(dy) ? largest_dy : 0;
      typical_change_ = std::max(*typical_change_, losses_->absolute_change(movable, place, 1));
    }
    return *typical_change_;
  }

  Irregularity irregular(std::size_t tensor, std::int64_t place, double move) override {
    return kinks_.within(target_.movable(tensor), place, move);
  }

 private:
  /// The magnitude to which roundings of the norm's input amount: each errs by up to condition() of
  /// an xhat, and moves L by condition() |dy dy/dxhat|. Packed arithmetics take typical_change()
  /// for that sum. In 400 digits |D(h) - D(2h)| may be without the roundings, as a mean's are
  /// proportional to h until they wrap around; and typical_change() is 0 where the number that it
  /// moves is the only one unlike the others. So there dy/dxhat, |y| on average, and 1 count too.
  double cancelled() {
    constexpr double kWellConditioned = 0x1p10;
    constexpr double kLost = 0x1p-20;
    const double condition = losses_->condition();
    const bool last = arithmetic_ == AuditArithmetic::digits400;
    if (!(condition > (last ? 0 : kWellConditioned))) return 0;
    if (condition * precision_of(arithmetic_).unit > kLost)
      return std::numeric_limits<double>::infinity();
    double change = this->typical_change();
    // If the move is lost in rounding, the change is 0.
    if (last || !(change > 0))
      for (const double dy : numbers_.dy) change += std::fabs(dy);
    if (last) change += losses_->magnitude();
    return std::isfinite(change) ? condition * change : 0;
  }

  int log2_norm_width() const {
    const double rstd = losses_->rstd();
    return std::isfinite(rstd) && rstd > 0 ? -std::ilogb(rstd) : 0;
  }

  /// True if a change that Method::statistics left NaN is to be computed directly; false in a unit
  /// that is not finite, where direct moves are NaN too.
  bool is_missing(const Digits400& change, Method method) {
    return method == Method::statistics && isnan(change) && std::isfinite(magnitude());
  }

  const PipelineTarget& target_;
  AuditArithmetic arithmetic_;
  std::unique_ptr<NumericLoss<R>> losses_;
  Kinks<> kinks_;
  Unit<double> numbers_;
  std::optional<double> typical_change_;
  std::optional<double> magnitude_;
  std::int64_t index_ = 0;
  std::vector<R> results_;
  Values<Digits400> claimed_;
};

}  // namespace

std::unique_ptr<PerturbedLoss> PipelineTarget::losses(AuditArithmetic arithmetic) const {
  if (arithmetic == AuditArithmetic::digits400)
    return std::make_unique<PipelineLoss<Digits400>>(
        *this, arithmetic, std::make_unique<UnitLoss<Digits400, Digits400>>(compiled_));
  return std::make_unique<PipelineLoss<Wide>>(*this, arithmetic,
                                              packed_loss(compiled_, arithmetic));
}

}  // namespace gradproof
