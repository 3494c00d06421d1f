// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/plain.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/differences/evaluate/elementwise_loss.h"
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// log2 of the width of a number: max(0, ilogb|number|).
inline int log2_width(double number) {
  const bool large = __builtin_isfinite(number) && __builtin_fabs(number) > 1;
  return large ? __builtin_ilogb(number) : 0;
}

/// L = sum dy y of one unit, with numbers moved, in the arithmetic of T: Real, or a pack of
/// double-doubles or triple-doubles. Every function restores the numbers that it moves.
template <class T>
class UnitLoss {
 public:
  static constexpr int kWidth = kLanesOf<T>;

  explicit UnitLoss(const CompiledPipeline& compiled)
      : compiled_(compiled),
        runner_({compiled, plain_, unit_}),
        statistics_(compiled, plain_, unit_),
        elements_(compiled, unit_, statistics_) {
    unit_.numbers.resize(compiled.numbers.size());
  }
  UnitLoss(const UnitLoss&) = delete;
  UnitLoss& operator=(const UnitLoss&) = delete;

  /// The numbers of the unit, filled by the caller before evaluate().
  Unit<T>& unit() { return unit_; }

  /// The width 2^log2_width(x) of each x and its inverse, filled by the caller too.
  Values<T>& widths() { return widths_; }
  Values<T>& per_width() { return per_width_; }

  /// Evaluates the unit, `count` elements.
  void evaluate(std::int64_t count) {
    count_ = count;
    plain_.take_count(count);
    statistics_.forget();
    elements_.forget();
    value_ = runner_.forward();
    at_rest_ = true;
    loss_ = dot(value_);
    for (std::size_t side = 0; side < compiled_.sides.size(); ++side)
      if (compiled_.sides[side].side == NormOutput::rstd) rstd_ = runner_.side_value(side);
    condition_ = conditioned();
  }

  const T& loss() const { return loss_; }
  /// y without a move.
  const Values<T>& value() const { return value_; }
  std::int64_t count() const { return count_; }
  const CompiledPipeline& compiled() const { return compiled_; }

  /// L with one number moved, minus L; equal in all lanes.
  T change(const Movable& tensor, std::int64_t place, double move) {
    if (alone(tensor)) return change_alone(place, move);
    Values<T>& numbers = numbers_of(tensor);
    const std::size_t at =
        tensor.input ? static_cast<std::size_t>(place / kWidth) : place_of_number(numbers, place);
    const T before = numbers[at];
    numbers[at] = moved(before, tensor, numbers, place, T(move));
    const T change = dot(forward()) - loss_;
    numbers[at] = before;
    return change;
  }

  /// Whether the changes of a tensor's numbers can be computed element by element.
  bool by_element(const Movable& tensor, bool through_statistics) const {
    return through_statistics ? statistics_.parts().allows(tensor) : elements_.allows(tensor);
  }

  /// change() of the numbers in the T's [first, last), each moved alone: from their own element, or
  /// through the unit's mean and variance too (norm_loss.h; NaN where only change() has a result).
  const Values<T>& changes(const Movable& tensor, bool through_statistics, std::size_t first,
                           std::size_t last, double move) {
    if (through_statistics) return statistics_.changes(tensor, first, last, move);
    const bool by_width = alone(tensor);
    return elements_.changes(tensor, first, last, move, by_width ? &widths_ : nullptr,
                             by_width ? &per_width_ : nullptr);
  }

  /// dy (y' - y), element by element, with all numbers of the tensor moved at once and the whole
  /// unit evaluated: for tensors without by_element().
  const Values<T>& changes_together(const Movable& tensor, double move) {
    Values<T>& numbers = numbers_of(tensor);
    before_ = numbers;
    for (T& number : numbers) number = moved_exactly(number, T(move));
    const Values<T>& y = forward();
    as_long_as(changes_, y);
    for (std::size_t i = 0; i < y.size(); ++i) changes_[i] = unit_.dy[i] * (y[i] - value_[i]);
    numbers.swap(before_);
    return changes_;
  }

  /// sum |dy (y' - y)| with one number moved.
  T absolute_change(const Movable& tensor, std::int64_t place, double move) {
    Values<T>& numbers = numbers_of(tensor);
    const std::size_t at =
        tensor.input ? static_cast<std::size_t>(place / kWidth) : place_of_number(numbers, place);
    const T before = numbers[at];
    numbers[at] = moved(before, tensor, numbers, place, T(move));
    const Values<T>& y = forward();
    as_long_as(changes_, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const T change = unit_.dy[i] * (y[i] - value_[i]);
      changes_[i] = select(change >= T(0), change, T(-change));
    }
    numbers[at] = before;
    return plain_.sum_in_unit(changes_);
  }

  /// The terms of the adjoint: d_x by element, or those of a parameter (Gradient::terms).
  const Values<T>& adjoint(const Movable& tensor) {
    if (!at_rest_) runner_.forward();
    at_rest_ = true;
    const Values<T>& dx = runner_.backward();
    if (tensor.input) return dx;
    const Values<T>* terms = runner_.gradient(tensor.number);
    return terms != nullptr ? *terms : nothing_;
  }

  /// 1/sqrt(variance + eps) of the first norm; 1 without one.
  const T& rstd() const { return rstd_; }

  /// max |z| rstd over the inputs z of the first norm, lane by lane: the roundings of xhat that one
  /// rounding of z amounts to. 0 where the norm does not use the statistics of the unit.
  const T& condition() const { return condition_; }

  /// Whether number + move is exact (exact_move.h).
  bool moves(const Movable& tensor, std::int64_t place, double move) {
    const Values<T>& numbers = numbers_of(tensor);
    const std::size_t at =
        tensor.input ? static_cast<std::size_t>(place / kWidth) : place_of_number(numbers, place);
    return moves_exactly(numbers[at], T(move));
  }

  /// sum y dy, without the padding of the last pack.
  T dot(const Values<T>& y) const { return plain_.dot(y, unit_.dy, kGradients); }

 private:
  /// y with a number moved.
  const Values<T>& forward() {
    at_rest_ = false;
    return runner_.forward();
  }

  bool normed() const {
    return compiled_.has_norm() && (compiled_.channels || compiled_.batch_statistics);
  }

  /// Whether a number affects its own element only. Then it is moved by move * width, and its
  /// change is divided by the width (PerturbedLoss::change).
  bool alone(const Movable& tensor) const { return tensor.input && !normed() && !widths_.empty(); }

  T conditioned() const {
    T most(0);
    if (!normed()) return most;
    const std::size_t input = compiled_.lines[compiled_.norm].input;
    for (const T& z : input == 0 ? unit_.x : runner_.value_of(input - 1))
      most = select(most < size_of_number(z), size_of_number(z), most);
    return most * rstd_;
  }

  /// The sum of the changes of all elements: another element adds an exact 0, and is left out where
  /// it is not finite. Neither its size nor its NaN affects the sum.
  T change_alone(std::int64_t place, double move) {
    const auto at = static_cast<std::size_t>(place / kWidth);
    const T before = unit_.x[at];
    unit_.x[at] = moved(before, {true, 0}, unit_.x, place, T(widths_[at] * T(move)));
    const Values<T>& y = forward();
    as_long_as(changes_, y);
    bool defined = false;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const MaskOf<T> finite = value_[i] - value_[i] >= T(0);
      if (i == at) defined = lane(finite, static_cast<int>(place % kWidth));
      changes_[i] = select(finite, T(unit_.dy[i] * (y[i] - value_[i])), T(0));
    }
    unit_.x[at] = before;
    const T sum = plain_.sum_in_unit(changes_);
    const T over = in_all_lanes(per_width_[at], static_cast<int>(place % kWidth));
    return defined ? T(sum * over) : T(std::numeric_limits<double>::quiet_NaN());
  }

  /// One lane of a pack of powers of two, in all lanes.
  static T in_all_lanes(const T& power, int at) {
    if constexpr (kWidth == 1)
      return power;
    else
      return T(lane(power, at).hi);
  }

  Values<T>& numbers_of(const Movable& tensor) {
    return tensor.input ? unit_.x : unit_.numbers[tensor.number];
  }

  /// A parameter of channels is stored as x is; one number for all of the unit has equal lanes.
  std::size_t place_of_number(const Values<T>& numbers, std::int64_t place) const {
    return numbers.size() == 1 ? 0 : static_cast<std::size_t>(place / kWidth);
  }

  T moved(const T& before, const Movable& tensor, const Values<T>& numbers, std::int64_t place,
          const T& by) const {
    const T after = moved_exactly(before, by);
    if constexpr (kWidth == 1) {
      return after;
    } else {
      const bool one_for_all = !tensor.input && !compiled_.channels;
      const bool shared = !tensor.input && compiled_.numbers[tensor.number].shared;
      if ((one_for_all || shared) && numbers.size() == 1) return after;
      const std::int64_t lane = place % kWidth;
      auto here = first_lanes<T>(lane + 1);
      if (lane > 0) here = here & !first_lanes<T>(lane);
      return select(here, after, before);
    }
  }

  const CompiledPipeline& compiled_;
  Plain<T> plain_;
  Unit<T> unit_;
  PipelineRunner<Plain<T>> runner_;
  NormLoss<T> statistics_;
  ElementwiseLoss<T> elements_;
  std::int64_t count_ = 0;
  bool at_rest_ = false;  ///< the last evaluation was without a move
  Values<T> value_;
  Values<T> widths_;
  Values<T> per_width_;
  T loss_{};
  T rstd_ = T(1);
  T condition_{};
  Values<T> before_;
  Values<T> changes_;
  Values<T> nothing_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
