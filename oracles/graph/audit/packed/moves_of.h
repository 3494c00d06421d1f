// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>

#include "oracles/graph/audit/packed/directional_derivative.h"
#include "oracles/graph/audit/packed/moved_block.h"
#include "oracles/graph/audit/packed/moved_product.h"
#include "oracles/graph/audit/packed/packed_differences.h"
#include "oracles/graph/audit/packed/packed_moves.h"
#include "oracles/graph/audit/packed/placed_steps.h"
#include "oracles/graph/audit/packed/statistic_moves.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// PackedMoves in packs of a wide number N, in the instructions of this compilation.
template <WideNumber N>
class MovesOf final : public PackedMoves, private MovedBlock<N> {
  using Base = MovedBlock<N>;
  using Base::cotangents_, Base::numbers_, Base::outputs_, Base::plan_, Base::tensors_;
  using Base::rest_but, Base::restore, Base::run, Base::run_step;
  using Base::runner_, Base::still_, Base::truth_;
  using typename Base::Functions, typename Base::T, typename Base::Truth;

 public:
  std::size_t lanes() const override { return kWidth; }

  void take(const GraphPlan& plan, const MovedTensors& tensors,
            const BlockNumbers& numbers) override {
    Base::take_block(plan, tensors, numbers);
    statistics_.clear();
    statistics_.resize(plan.graph->tensors.size());
    products_.clear();
    products_.resize(plan.graph->tensors.size());
    for (std::size_t k = 0; k < products_.size(); ++k)
      if (tensors.tensors[k].product >= 0)
        products_[k] = runner_->value(step_of(tensors.tensors[k]).value);
    std::vector<Field<T>> cotangents = cotangents_;
    runner_->backward(std::move(cotangents));
  }

  double magnitude() const override {
    double sum = 0;
    for (std::size_t k = 0; k < cotangents_.size(); ++k)
      for (std::size_t i = 0; i < cotangents_[k].v.size(); ++i)
        sum += size_of_product(cotangents_[k].v[i], outputs_[k].v[i], 0);
    return sum;
  }

  /// Writes the tensor's gradient. A sum over the axis of blocks is over all (equal) lanes.
  void gradient(std::size_t tensor, Wide* into) const override {
    const std::size_t count = place(plan_->values[tensor].count);
    FieldNumbers<T> all = numbers_by<T>(plan_->values[tensor].count, [](auto) { return T(0); });
    const Field<T>& terms = runner_->gradient(tensor);
    for (std::size_t i = 0; i < terms.v.size(); ++i) all[i] = all[i] + terms.v[i];
    for (const auto& use : runner_->summed_uses())
      if (use.tensor == static_cast<int>(tensor))
        for (std::size_t i = 0; i < count; ++i) all[i] = all[i] + share_of_sum(use.sums[i].total);
    for (std::size_t i = 0; i < count; ++i) into[i] = wide_of(lane(all[i], 0));
  }

  void changes(std::size_t tensor, const MovedNumber* moves, std::size_t count,
               Wide* into) override {
    move(tensor, moves, count);
    const T sum = change_of_loss(tensor, false);
    for (std::size_t k = 0; k < count; ++k) into[k] = wide_of(lane(sum, static_cast<int>(k)));
  }
  void absolute_changes(std::size_t tensor, const MovedNumber* moves, std::size_t count,
                        double* into) override {
    move(tensor, moves, count);
    const T sum = change_of_loss(tensor, true);
    for (std::size_t k = 0; k < count; ++k) into[k] = lane(sum.hi, static_cast<int>(k));
  }

  void response(std::size_t tensor, const double* direction, const double* factors,
                std::size_t count, Wide* into) override {
    rest_but(tensor);
    const Pack factor = gradproof::load<Pack>(factors, static_cast<std::int64_t>(count));
    const double* const at_rest = numbers_->tensors[tensor];
    Field<T>& numbers = runner_->tensor(tensor);
    for (std::size_t i = 0; i < numbers.v.size(); ++i)
      numbers.v[i] = T(Pack(at_rest[i])) + T(factor * direction[i]);
    run(tensor);
    restore(tensor);
    const T sum = change_of_loss(tensor, false);
    for (std::size_t k = 0; k < count; ++k) into[k] = wide_of(lane(sum, static_cast<int>(k)));
  }

  void column_changes(std::size_t tensor, std::size_t column, const int* wider, const double* by,
                      std::size_t count, Wide* into, std::size_t stride) override {
    rest_but(tensor);
    const MovedTensor& how = tensors_->tensors[tensor];
    const auto& places = how.columns[column];
    const Pack step = gradproof::load<Pack>(by, static_cast<std::int64_t>(count));
    if (how.product >= 0) {
      move_product(tensor, places, wider, step);
    } else {
      const double* const at_rest = numbers_->tensors[tensor];
      Field<T>& numbers = runner_->tensor(tensor);
      for (const std::size_t p : places)
        numbers.v[p] = T(Pack(at_rest[p])) + T(step * __builtin_ldexp(1, wider[p]));
      run(tensor);
      restore(tensor);
    }
    column_.assign(places.size(), T(0));
    for (std::size_t o = 0; o < how.outputs.size(); ++o) {
      const std::size_t k = how.outputs[o];
      const Field<T>& y = runner_->value(plan_->outputs[k]);
      const auto& number_of = how.number_of[o];
      for (std::size_t i = 0; i < y.v.size(); ++i) {
        T& sum = column_[place(number_of[i])];
        sum = sum + cotangents_[k].v[i] * (y.v[i] - outputs_[k].v[i]);
      }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const T change = column_[i] * T(Pack(__builtin_ldexp(1, -wider[places[i]])));
      for (std::size_t k = 0; k < count; ++k)
        into[k * stride + i] = wide_of(lane(change, static_cast<int>(k)));
    }
  }

  void statistic_changes(const PlacedPlan& whole, const PlacedPlan& placed, const int* wider,
                         const double* by, std::size_t count, Wide* into,
                         std::size_t stride) override {
    const std::size_t tensor = placed.tensor;
    rest_but(tensor);
    if (!statistics_[tensor]) learn_statistics(whole);
    StatisticMoves<T, Functions>& moves = *statistics_[tensor];
    PlacedSteps<Truth> steps = steps_of(placed);
    const Pack step = gradproof::load<Pack>(by, static_cast<std::int64_t>(count));
    const double* const at_rest = numbers_->tensors[tensor];
    const auto moved_by = [&](const Pack& factor) {
      return numbers_by<T>(std::ssize(placed.places), [&](std::int64_t i) {
        const std::size_t p = placed.places[place(i)];
        return T(T(Pack(at_rest[p])) + T(factor * __builtin_ldexp(1, wider[p])));
      });
    };
    moves.take(placed.places, steps.before(moved_by(step)));
    const FieldNumbers<T> own = steps.changes(moves.own(), cotangents_, outputs_);
    steps.before(moved_by(Pack(0)));
    const FieldNumbers<T> held = steps.changes(moves.held(), cotangents_, outputs_);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const T change = (own[i] - held[i]) + moves.of_others(i);
      const T scaled = change * T(Pack(__builtin_ldexp(1, -wider[placed.places[i]])));
      for (std::size_t k = 0; k < count; ++k)
        into[k * stride + i] = wide_of(lane(scaled, static_cast<int>(k)));
    }
  }

  Wide directional(std::size_t tensor, const double* direction) const override {
    const DirectionalDerivative<N> of(*plan_, *tensors_, *numbers_);
    return wide_of(lane(of(tensor, direction), 0));
  }

  void differences(const Wide* claimed, const Wide* changes, std::size_t stride, std::size_t count,
                   const StepChoice& step, Difference* into) const override {
    for (std::size_t first = 0; first < count; first += kWidth)
      write_differences(claimed + first, changes + first, stride, std::min(kWidth, count - first),
                        step, into + first);
  }

 private:
  static constexpr std::size_t kWidth = kPackLanes;

  const PlanStep& step_of(const MovedTensor& how) const { return plan_->steps[place(how.product)]; }
  T share_of_sum(const T& sum) const {
    if (!plan_->values[place(plan_->outputs.front())].sliced) return sum;
    return sum * T(Pack(1.0 / kPackLanes));
  }
  PlacedSteps<Truth> steps_of(const PlacedPlan& placed) const {
    return {truth_, *plan_, placed, *runner_, still_ ? &*still_ : nullptr};
  }

  void learn_statistics(const PlacedPlan& whole) {
    const std::size_t tensor = whole.tensor;
    const PlanStep& s = plan_->steps[place(whole.how->normaliser)];
    run(tensor);
    const auto parameter = [&](std::size_t k) {
      return k < s.operands.size() && s.row->is_norm() ? runner_->value(s.operands[k]).v
                                                       : FieldNumbers<T>();
    };
    PlacedSteps<Truth> steps = steps_of(whole);
    const double* const at_rest = numbers_->tensors[tensor];
    const FieldNumbers<T>& z = steps.before(numbers_by<T>(
        std::ssize(whole.places), [&](std::int64_t i) { return T(Pack(at_rest[place(i)])); }));
    FieldNumbers<T> sizes = numbers_by<T>(std::ssize(z), [](auto) { return T(0); });
    for (const std::size_t k : whole.how->outputs)
      for (std::size_t i = 0; i < sizes.size(); ++i)
        sizes[i] = sizes[i] + size_of_number(T(cotangents_[k].v[i] * outputs_[k].v[i]));
    const auto evaluate = [&](const FieldNumbers<T>& value) {
      return steps.changes(value, cotangents_, outputs_);
    };
    auto& learned = statistics_[tensor].emplace(*plan_, *whole.how);
    learned.learn(z, parameter(1), parameter(2), sizes, evaluate);
  }

  void move(std::size_t tensor, const MovedNumber* moves, std::size_t count) {
    rest_but(tensor);
    Field<T>& numbers = runner_->tensor(tensor);
    for (std::size_t k = 0; k < count; ++k) {
      double by[kPackLanes] = {};
      by[k] = moves[k].by;
      T& number = numbers.v[moves[k].place];
      number = number + T(gradproof::load<Pack>(by));
    }
    run(tensor);
    restore(tensor);
  }

  /// The change of L in the last evaluation by lane, or the sum of absolute changes.
  T change_of_loss(std::size_t tensor, bool absolute) const {
    T sum(0);
    for (const std::size_t k : tensors_->tensors[tensor].outputs) {
      const Field<T>& y = runner_->value(plan_->outputs[k]);
      for (std::size_t i = 0; i < y.v.size(); ++i) {
        const T change = cotangents_[k].v[i] * (y.v[i] - outputs_[k].v[i]);
        sum = sum + (absolute ? T(select(change.hi < Pack(0), T(-change), change)) : change);
      }
    }
    return sum;
  }

  /// Computes the moved product's value, then the steps behind it.
  void move_product(std::size_t tensor, const std::vector<std::size_t>& places, const int* wider,
                    const Pack& step) {
    const MovedTensor& how = tensors_->tensors[tensor];
    const PlanStep& s = step_of(how);
    const std::size_t factor = s.operands[1] == static_cast<int>(tensor) ? 1 : 0;
    const MovedProduct<T> product(s, factor, runner_->value(s.operands[1 - factor]).v);
    Field<T> y = products_[tensor];
    for (const std::size_t p : places) {
      const T by(step * __builtin_ldexp(1, wider[p]));
      product.move(p, by, y.v);
    }
    runner_->tensor(place(s.value)) = std::move(y);
    for (std::size_t k = 1; k < how.steps.size(); ++k) run_step(how.steps[k]);
  }

  std::vector<Field<T>> products_;  ///< by tensor, the value at rest of MovedTensor::product
  std::vector<std::optional<StatisticMoves<T, Functions>>> statistics_;  ///< by tensor
  FieldNumbers<T> column_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
