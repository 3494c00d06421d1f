// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/plain.h"
#include "oracles/audit/arithmetic.h"
#include "oracles/audit/statistics_losses.h"
#include "oracles/text.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// L = sum dy y of one unit, with numbers moved, in the arithmetic of T: Real, or a pack of
/// double-doubles or triple-doubles. What is moved is put back before a function returns.
template <class T>
class UnitLosses {
 public:
  static constexpr int kWidth = kLanesOf<T>;

  explicit UnitLosses(const Script& script)
      : script_(script), text_({script, plain_, unit_}), statistics_(script, plain_, unit_) {
    unit_.numbers.resize(script.numbers.size());
  }
  UnitLosses(const UnitLosses&) = delete;
  UnitLosses& operator=(const UnitLosses&) = delete;

  /// To be filled, then rest().
  Unit<T>& unit() { return unit_; }

  /// Evaluates the unit as it stands: `count` elements.
  void rest(std::int64_t count) {
    count_ = count;
    plain_.take_count(count);
    statistics_.forget();
    value_ = text_.forward();
    loss_ = dot(value_);
    for (std::size_t side = 0; side < script_.sides.size(); ++side)
      if (script_.sides[side].side == Side::rstd) rstd_ = text_.side_value(side);
  }

  const T& loss() const { return loss_; }
  /// y as it stands.
  const Values<T>& value() const { return value_; }
  std::int64_t count() const { return count_; }
  const Script& script() const { return script_; }

  /// L with one number moved, minus L; equal in all lanes.
  T change(const Movable& tensor, std::int64_t place, double move) {
    Values<T>& numbers = numbers_of(tensor);
    const std::size_t at =
        tensor.input ? static_cast<std::size_t>(place / kWidth) : place_of_number(numbers, place);
    const T before = numbers[at];
    numbers[at] = moved(before, tensor, numbers, place, move);
    const T change = dot(text_.forward()) - loss_;
    numbers[at] = before;
    return change;
  }

  /// dy (y' - y), element by element, with all numbers of the tensor moved at once.
  const Values<T>& changes_together(const Movable& tensor, double move) {
    Values<T>& numbers = numbers_of(tensor);
    before_ = numbers;
    for (T& number : numbers) number += T(move);
    const Values<T>& y = text_.forward();
    as_long_as(changes_, y);
    for (std::size_t i = 0; i < y.size(); ++i) changes_[i] = unit_.dy[i] * (y[i] - value_[i]);
    numbers.swap(before_);
    return changes_;
  }

  /// Whether changes_through_statistics can be asked for.
  bool has_statistics(const Movable& tensor) const { return statistics_.allows(tensor); }

  /// change() for every number of the tensor, element by element, through the unit's mean and
  /// variance (statistics_losses.h); NaN where only change() itself can tell.
  const Values<T>& changes_through_statistics(const Movable& tensor, double move) {
    return statistics_.changes(numbers_of(tensor), move);
  }

  /// The adjoint's terms: of x element by element, of a number as Gradient::terms.
  const Values<T>& adjoint(const Movable& tensor) {
    text_.forward();
    const Values<T>& dx = text_.backward();
    if (tensor.input) return dx;
    const Values<T>* terms = text_.gradient(tensor.number);
    return terms != nullptr ? *terms : nothing_;
  }

  /// Of the first norm, as the unit stands; 1 without one.
  const T& rstd() const { return rstd_; }

  /// Without the last pack's pads.
  T dot(const Values<T>& y) const { return plain_.dot(y, unit_.dy, kGradients); }

 private:
  Values<T>& numbers_of(const Movable& tensor) {
    return tensor.input ? unit_.x : unit_.numbers[tensor.number];
  }

  /// A parameter of channels is stored as x is; one number for all of the unit has equal lanes.
  std::size_t place_of_number(const Values<T>& numbers, std::int64_t place) const {
    return numbers.size() == 1 ? 0 : static_cast<std::size_t>(place / kWidth);
  }

  T moved(const T& before, const Movable& tensor, const Values<T>& numbers, std::int64_t place,
          double move) const {
    const T after = before + T(move);
    if constexpr (kWidth == 1) {
      return after;
    } else {
      const bool one_for_all = !tensor.input && !script_.channels;
      const bool shared = !tensor.input && script_.numbers[tensor.number].shared;
      if ((one_for_all || shared) && numbers.size() == 1) return after;
      const std::int64_t lane = place % kWidth;
      auto here = first_lanes<T>(lane + 1);
      if (lane > 0) here = here & !first_lanes<T>(lane);
      return select(here, after, before);
    }
  }

  const Script& script_;
  Plain<T> plain_;
  Unit<T> unit_;
  Text<Plain<T>> text_;
  StatisticsLosses<T> statistics_;
  std::int64_t count_ = 0;
  Values<T> value_;
  T loss_{};
  T rstd_ = T(1);
  Values<T> before_;
  Values<T> changes_;
  Values<T> nothing_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
