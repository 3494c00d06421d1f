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

/// The exponent of a number's own width: below 1 a number is moved as 1 is.
inline int log2_width(double number) {
  const bool large = __builtin_isfinite(number) && __builtin_fabs(number) > 1;
  return large ? __builtin_ilogb(number) : 0;
}

/// L = sum dy y of one unit, with numbers moved, in the arithmetic of T: Real, or a pack of
/// double-doubles or triple-doubles. What is moved is put back before a function returns.
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

  /// To be filled, then rest().
  Unit<T>& unit() { return unit_; }

  /// Of each x, to be filled too: 2^max(0, ilogb|x|), and what it is to be multiplied by to be 1.
  Values<T>& widths() { return widths_; }
  Values<T>& per_width() { return per_width_; }

  /// Evaluates the unit as it stands: `count` elements.
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
  /// y as it stands.
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

  /// Whether the changes of a tensor's numbers can be told element by element.
  bool by_element(const Movable& tensor, bool through_statistics) const {
    return through_statistics ? statistics_.parts().allows(tensor) : elements_.allows(tensor);
  }

  /// change() of the numbers that T's [first, last) meet, all moved in turn: by their own element
  /// alone, or through the unit's mean and variance too (statistics_losses.h; NaN where only
  /// change() itself can tell).
  const Values<T>& changes(const Movable& tensor, bool through_statistics, std::size_t first,
                           std::size_t last, double move) {
    if (through_statistics) return statistics_.changes(tensor, first, last, move);
    const bool by_width = alone(tensor);
    return elements_.changes(tensor, first, last, move, by_width ? &widths_ : nullptr,
                             by_width ? &per_width_ : nullptr);
  }

  /// dy (y' - y), element by element, with all numbers of the tensor moved at once and everything
  /// evaluated: where by_element() has no answer.
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

  /// Sum of |dy (y' - y)| with one number moved.
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

  /// The adjoint's terms: of x element by element, of a number as Gradient::terms.
  const Values<T>& adjoint(const Movable& tensor) {
    if (!at_rest_) runner_.forward();
    at_rest_ = true;
    const Values<T>& dx = runner_.backward();
    if (tensor.input) return dx;
    const Values<T>* terms = runner_.gradient(tensor.number);
    return terms != nullptr ? *terms : nothing_;
  }

  /// Of the first norm, as the unit stands; 1 without one.
  const T& rstd() const { return rstd_; }

  /// What a rounding of the numbers that the first norm takes is in roundings of xhat, lane by
  /// lane: max |z| rstd. 0 where the unit's own statistics are not used.
  const T& condition() const { return condition_; }

  /// Whether the number can be moved by so much (exact_move.h).
  bool moves(const Movable& tensor, std::int64_t place, double move) {
    const Values<T>& numbers = numbers_of(tensor);
    const std::size_t at =
        tensor.input ? static_cast<std::size_t>(place / kWidth) : place_of_number(numbers, place);
    return moves_exactly(numbers[at], T(move));
  }

  /// Without the last pack's pads.
  T dot(const Values<T>& y) const { return plain_.dot(y, unit_.dy, kGradients); }

 private:
  /// With something moved.
  const Values<T>& forward() {
    at_rest_ = false;
    return runner_.forward();
  }

  bool normed() const {
    return compiled_.has_norm() && (compiled_.channels || compiled_.batch_statistics);
  }

  /// Whether a number is felt by its own element only: then it is moved by its own width, and
  /// changes are over that width (PerturbedLoss::change).
  bool alone(const Movable& tensor) const { return tensor.input && !normed() && !widths_.empty(); }

  T conditioned() const {
    T most(0);
    if (!normed()) return most;
    const std::size_t input = compiled_.lines[compiled_.norm].input;
    for (const T& z : input == 0 ? unit_.x : runner_.value_of(input - 1))
      most = select(most < size_of_number(z), size_of_number(z), most);
    return most * rstd_;
  }

  /// The changes of all elements, added up: those that do not feel it add an exact 0, or nothing
  /// where they are not finite. No neighbour's size or NaN is met.
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

  /// Of a power of two.
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
  bool at_rest_ = false;  ///< text_ has read the unit as it stands
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
