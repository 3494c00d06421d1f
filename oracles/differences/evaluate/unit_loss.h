// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/plain.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/differences/evaluate/norm_loss.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// L = sum dy y of one unit, with numbers moved, in the arithmetic of T: Real, or a pack of
/// double-doubles or triple-doubles. Every function restores the numbers that it moves.
template <class T>
class UnitLoss {
 public:
  static constexpr int kWidth = kLanesOf<T>;

  explicit UnitLoss(const CompiledPipeline& compiled)
      : compiled_(compiled),
        normed_(compiled.has_norm() && (compiled.channels || compiled.batch_statistics)),
        runner_({compiled, plain_, unit_}),
        statistics_(compiled, plain_, unit_),
        divided_(statistics_.parts().divided()),
        elements_(divided_ ? statistics_.parts().after : compiled) {
    unit_.numbers.resize(compiled.numbers.size());
  }
  UnitLoss(const UnitLoss&) = delete;
  UnitLoss& operator=(const UnitLoss&) = delete;

  /// Takes the numbers of a unit, and evaluates it.
  void take(const Unit<double>& from) {
    fill(unit_.x, from.x);
    fill(unit_.dy, from.dy);
    for (std::size_t slot = 0; slot < from.numbers.size(); ++slot)
      fill(unit_.numbers[slot], from.numbers[slot]);
    unit_.batches = from.batches;
    count_ = static_cast<std::int64_t>(from.x.size());
    widths_.take(from.x);
    plain_.take_count(count_);
    statistics_.forget();
    elements_.forget(count_);
    value_ = runner_.forward();
    at_rest_ = true;
    loss_ = dot(value_);
    for (std::size_t side = 0; side < compiled_.sides.size(); ++side)
      if (compiled_.sides[side].side == NormOutput::rstd) rstd_ = runner_.side_value(side);
    condition_ = conditioned();
  }

  const Unit<T>& unit() const { return unit_; }
  /// y without a move.
  const Values<T>& value() const { return value_; }
  const Widths<T>& widths() const { return widths_; }
  std::int64_t count() const { return count_; }
  const CompiledPipeline& compiled() const { return compiled_; }

  /// How many numbers of the tensor the unit contains: one for each element, or one for all.
  std::int64_t places(const Movable& tensor) const {
    const bool by_element =
        tensor.input || (compiled_.channels && !compiled_.numbers[tensor.number].shared);
    return by_element ? count_ : 1;
  }

  /// L with one number moved, minus L; equal in all lanes.
  T change(const Movable& tensor, std::int64_t place, double move) {
    if (alone(tensor)) return change_alone(place, move);
    return dot(forward_moved(tensor, place, T(move))) - loss_;
  }

  /// Whether the changes of a tensor's numbers can be computed by the method, in any range. By
  /// Method::together: x without a norm, or a parameter where the pipeline is divided at its norm.
  bool allows(const Movable& tensor, Method method) const {
    if (method == Method::statistics) return statistics_.parts().allows(tensor);
    return method == Method::direct || !normed_ || (!tensor.input && divided_);
  }

  /// change() of the numbers in the T's of the range, each moved alone: by change(), with only
  /// their own elements evaluated, or through the unit's mean and variance too (norm_loss.h; NaN
  /// where only change() has a result). Method::together is correct for numbers that affect no
  /// other element, which is checked elsewhere, against the evaluation of whole units; where it is
  /// not allowed, the range must be the whole unit.
  const Values<T>& changes(const Movable& tensor, Method method, const PackRange& range,
                           double move) {
    if (method == Method::statistics) return statistics_.changes(tensor, range, move);
    if (method == Method::direct) return direct_changes(tensor, range, move);
    return element_changes(tensor, range, move);
  }

  /// sum |dy (y' - y)| with one number moved.
  T absolute_change(const Movable& tensor, std::int64_t place, double move) {
    weighted_changes(forward_moved(tensor, place, T(move)));
    for (T& change : changes_) change = size_of_number(change);
    return plain_.sum_in_unit(changes_);
  }

  /// The terms of the adjoint: d_x by element, or those of a parameter (Gradient::terms).
  const Values<T>& adjoint(const Movable& tensor) {
    if (!at_rest_) runner_.forward();
    at_rest_ = true;
    const Values<T>& dx = runner_.backward();
    if (tensor.input) return dx;
    return *runner_.gradient(tensor.number);
  }

  /// 1/sqrt(variance + eps) of the first norm; 1 without one.
  const T& rstd() const { return rstd_; }

  /// max |z| rstd over the inputs z of the first norm, lane by lane: the roundings of xhat that one
  /// rounding of z amounts to. 0 where the norm does not use the statistics of the unit.
  const T& condition() const { return condition_; }

  /// Whether number + move is exact (exact_move.h).
  bool moves(const Movable& tensor, std::int64_t place, double move) {
    return moves_exactly(number_at(tensor, place), T(move));
  }

 private:
  /// y with a number moved.
  const Values<T>& forward() {
    at_rest_ = false;
    return runner_.forward();
  }

  const Values<T>& forward_moved(const Movable& tensor, std::int64_t place, const T& move) {
    T& number = number_at(tensor, place);
    const T before = number;
    const T after = moved_exactly(before, move);
    number = places(tensor) == 1 ? after : in_lane<T>(place, after, before);
    const Values<T>& y = forward();
    number = before;
    return y;
  }

  /// dy (y' - y)
  const Values<T>& weighted_changes(const Values<T>& y) {
    as_long_as(changes_, y);
    for (std::size_t i = 0; i < y.size(); ++i) changes_[i] = unit_.dy[i] * (y[i] - value_[i]);
    return changes_;
  }

  /// sum y dy, without the padding of the last pack.
  T dot(const Values<T>& y) const { return plain_.dot(y, unit_.dy, kGradients); }

  /// Whether a number affects its own element only.
  bool alone(const Movable& tensor) const { return tensor.input && !normed_; }

  T conditioned() const {
    T most(0);
    if (!normed_) return most;
    const std::size_t input = compiled_.lines[compiled_.norm].input;
    for (const T& z : input == 0 ? unit_.x : runner_.value_of(input - 1))
      most = select(most < size_of_number(z), size_of_number(z), most);
    return most * rstd_;
  }

  /// The sum of the changes of all elements: another element adds an exact 0, and is left out where
  /// it is not finite. Neither its size nor its NaN affects the sum.
  T change_alone(std::int64_t place, double move) {
    const auto at = static_cast<std::size_t>(place / kWidth);
    const int lane_of_place = static_cast<int>(place % kWidth);
    weighted_changes(forward_moved({true, 0}, place, T(widths_.of[at] * T(move))));
    const auto finite = [&](std::size_t i) -> MaskOf<T> { return value_[i] - value_[i] >= T(0); };
    for (std::size_t i = 0; i < changes_.size(); ++i)
      changes_[i] = select(finite(i), changes_[i], T(0));
    if (!lane(finite(at), lane_of_place)) return T(std::numeric_limits<double>::quiet_NaN());
    return plain_.sum_in_unit(changes_) * in_all_lanes<T>(widths_.inverse[at], lane_of_place);
  }

  /// x is moved by move * width, and its change is divided by the width, where it affects its own
  /// element only.
  const Values<T>& element_changes(const Movable& tensor, const PackRange& range, double move) {
    if (elements_.take(unit_, divided_ ? statistics_.xhat() : unit_.x, range))
      rest_ = elements_.forward();
    Values<T>& numbers = elements_.numbers_of(tensor);
    before_ = numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const T by = alone(tensor) ? T(widths_.of[range.first + i] * T(move)) : T(move);
      numbers[i] = moved_exactly(numbers[i], by);
    }
    const Values<T>& y = elements_.forward();
    as_long_as(changes_, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      changes_[i] = elements_.unit().dy[i] * (y[i] - rest_[i]);
      if (alone(tensor)) changes_[i] = changes_[i] * widths_.inverse[range.first + i];
    }
    numbers.swap(before_);
    return changes_;
  }

  const Values<T>& direct_changes(const Movable& tensor, const PackRange& range, double move) {
    direct_.resize(range.last - range.first);
    const auto first = static_cast<std::int64_t>(range.first) * kWidth;
    const auto last = static_cast<std::int64_t>(range.last) * kWidth;
    for (std::int64_t place = first; place < last && place < places(tensor); ++place) {
      T& pack = direct_[static_cast<std::size_t>((place - first) / kWidth)];
      pack = in_lane<T>(place, change(tensor, place, move), pack);
    }
    return direct_;
  }

  Values<T>& numbers_of(const Movable& tensor) {
    return tensor.input ? unit_.x : unit_.numbers[tensor.number];
  }

  /// A parameter of channels is stored as x is; one number for all of the unit has equal lanes.
  T& number_at(const Movable& tensor, std::int64_t place) {
    Values<T>& numbers = numbers_of(tensor);
    return numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(place / kWidth)];
  }

  const CompiledPipeline& compiled_;
  bool normed_;
  Plain<T> plain_;
  Unit<T> unit_;
  PipelineRunner<Plain<T>> runner_;
  NormLoss<T> statistics_;
  bool divided_;
  UnitSlice<T> elements_;  ///< all steps, or those behind xhat where the pipeline is divided
  std::int64_t count_ = 0;
  bool at_rest_ = false;  ///< the last evaluation was without a move
  Values<T> value_;
  Widths<T> widths_;
  T loss_{};
  T rstd_ = T(1);
  T condition_{};
  Values<T> before_;
  Values<T> rest_;  ///< y of elements_ without a move
  Values<T> changes_;
  Values<T> direct_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
