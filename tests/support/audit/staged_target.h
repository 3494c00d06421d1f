// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/kinks.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/functions/multiword_math.h"
#include "oracles/pipeline/gather.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// PerturbedLoss of a claim whose stages a Factory makes (oracles/pipeline/pipeline_runner.h),
/// number by number.
template <class T, class Factory>
class StagedLoss final : public PerturbedLoss {
 public:
  StagedLoss(const PipelineTarget& target, const Factory& factory)
      : target_(target),
        runner_({target.compiled(), plain_, unit_}, factory),
        kinks_(target.compiled(), factory) {}

  void take_unit(std::int64_t unit) override {
    index_ = unit;
    unit_ = gather<T>(target_.claim(), target_.inputs(), unit);
    kinks_.take_unit(gather<double>(target_.claim(), target_.inputs(), unit));
    plain_.take_count(static_cast<std::int64_t>(unit_.x.size()));
    value_ = runner_.forward();
  }

  std::int64_t count(std::size_t tensor) const override {
    const Geometry& geometry = target_.geometry();
    if (target_.movable(tensor).input) return geometry.unit_size();
    return target_.shared(tensor) ? 1 : geometry.columns();
  }

  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    const Geometry& geometry = target_.geometry();
    if (target_.movable(tensor).input) return geometry.first(index_) + place * geometry.stride();
    return target_.shared(tensor) ? 0 : geometry.first_column(index_) + place;
  }

  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    const Movable movable = target_.movable(tensor);
    Values<T>& numbers = movable.input ? unit_.x : unit_.numbers[movable.number];
    T& number = numbers[static_cast<std::size_t>(place)];
    const T before = number;
    number += T(move);
    const Values<T>& y = runner_.forward();
    T sum(0);
    for (std::size_t i = 0; i < y.size(); ++i) sum += unit_.dy[i] * (y[i] - value_[i]);
    number = before;
    return in_digits400(sum);
  }

  const Values<Digits400>& claimed(std::size_t tensor) override {
    runner_.forward();
    const Values<T>& dx = runner_.backward();
    const Movable movable = target_.movable(tensor);
    const Values<T>* terms = movable.input ? &dx : runner_.gradient(movable.number);
    claimed_.assign(static_cast<std::size_t>(count(tensor)), Digits400(0));
    if (terms == nullptr) return claimed_;
    for (std::size_t i = 0; i < terms->size(); ++i)  // a number of the whole unit has one sum
      claimed_[claimed_.size() == 1 ? 0 : i] += in_digits400((*terms)[i]);
    return claimed_;
  }

  int log2_scale(std::size_t) override { return 0; }

  /// The magnitude of the elements that have a value; `irregular` reports the others.
  double magnitude() override {
    Real sum(0);
    for (std::size_t i = 0; i < value_.size(); ++i)
      if (has_value(value_[i])) sum += abs(Real(real_of(value_[i] * unit_.dy[i])));
    return sum.template convert_to<double>();
  }

  Irregularity irregular(std::size_t tensor, std::int64_t place, double move) override {
    return kinks_.within(target_.movable(tensor), place, move);
  }

 private:
  const PipelineTarget& target_;
  Plain<T> plain_;
  Unit<T> unit_;
  PipelineRunner<Plain<T>> runner_;
  Kinks<Factory> kinks_;
  std::int64_t index_ = 0;
  Values<T> value_;
  Values<Digits400> claimed_;
};

/// A claim with stages that the catalog does not have, whose adjoints tests audit. The Factory's
/// `make` takes the position of a step; its kind in the claim is not looked at.
template <class Factory>
class StagedTarget final : public AuditTarget {
 public:
  /// All must outlive it.
  StagedTarget(const Claim& claim, const Tensors& inputs, const Factory& factory)
      : claim_(claim, inputs), factory_(factory) {}

  const std::vector<AuditedTensor>& tensors() const override { return claim_.tensors(); }
  std::int64_t blocks() const override { return claim_.blocks(); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override {
    return claim_.units_of(block);
  }
  bool in_one_unit(std::size_t tensor) const override { return claim_.in_one_unit(tensor); }
  std::int64_t unit_size() const override { return claim_.unit_size(); }

  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override {
    if (arithmetic == AuditArithmetic::double_double)
      return std::make_unique<StagedLoss<DoubledOf<double>, Factory>>(claim_, factory_);
    if (arithmetic == AuditArithmetic::triple_double)
      return std::make_unique<StagedLoss<TripledOf<double>, Factory>>(claim_, factory_);
    return std::make_unique<StagedLoss<Digits400, Factory>>(claim_, factory_);
  }

 private:
  PipelineTarget claim_;
  const Factory& factory_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
