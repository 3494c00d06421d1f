// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/plain.h"
#include "oracles/differences/evaluate/element_loss.h"
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/differences/evaluate/norm_loss.h"
#include "oracles/differences/evaluate/numeric_loss.h"
#include "oracles/differences/evaluate/plain_results.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// L = sum dy y of one unit, with numbers moved, in the arithmetic of T: a number of MPFR, or a
/// pack of double-doubles or triple-doubles. Every function restores the numbers that it moves. R
/// is Wide for packs, otherwise a type that is constructed from T. As this class is compiled for
/// several instruction sets, no two compilations may share code: doubles are on the stack or in
/// T's, for the code of std::vector<double> would be shared.
template <class T, class R>
class UnitLoss final : public NumericLoss<R> {
 public:
  explicit UnitLoss(const CompiledPipeline& compiled)
      : compiled_(compiled),
        normed_(has_unit_norm(compiled)),
        runner_({compiled, plain_, unit_}),
        statistics_(compiled, plain_, unit_),
        elements_(compiled, unit_, widths_, statistics_) {
    unit_.numbers.resize(compiled.numbers.size());
  }

  void take_unit(const Unit<double>& from) override {
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
    loss_ = plain_.dot(value_, unit_.dy, kGradients);
    for (std::size_t side = 0; side < compiled_.sides.size(); ++side)
      if (compiled_.sides[side].side == NormOutput::rstd) rstd_ = runner_.side_value(side);
    condition_ = conditioned();
  }

  /// Method::together is allowed for all tensors without a norm, and for a parameter if the
  /// pipeline is divided at its norm.
  bool allows(const Movable& tensor, Method method) const override {
    const StatisticsPipeline& parts = statistics_.parts();
    if (method == Method::statistics) return parts.allows(tensor);
    return method == Method::direct || !normed_ || (!tensor.input && parts.divided());
  }

  R change(const Movable& tensor, Method method, std::int64_t place, double move) override {
    if (method == Method::direct || !allows(tensor, method))
      return result_of<R>(direct_change(tensor, place, move), 0);
    const std::size_t at = pack_of(place);
    return result_of<R>(changes_in({at, at + 1}, tensor, method, move)[0], lane_of(place));
  }

  void changes(const Movable& tensor, Method method, double move, R* into) override {
    spread(changes_in(all_of(places(tensor)), tensor, method, move), places(tensor), into);
  }

  bool differences(const Movable& tensor, Method method, const StepChoice& step,
                   Difference* into) override {
    // Few entries are looked at in the numbers of MPFR, and doubles lack their range.
    if constexpr (kWidth == 1) {
      return false;
    } else {
      const std::int64_t count = places(tensor);
      if (!allows(tensor, method) || terms(tensor) != count) return false;
      claimed_ = terms_of(tensor);
      const std::size_t all = all_of(count).last;
      moved_.resize(kSlice);
      for (std::size_t first = 0; first < all; first += kSlice) {
        const PackRange range{first, first + kSlice < all ? first + kSlice : all};
        for (int k = 0; k < step.order_index + 2; ++k) {
          const double move = __builtin_ldexp(1, step.log2_step + k);
          const Values<T>& above = changes_in(range, tensor, method, move);
          for (std::size_t i = 0; i < range.size(); ++i) moved_[i].above[k] = above[i];
          const Values<T>& below = changes_in(range, tensor, method, -move);
          for (std::size_t i = 0; i < range.size(); ++i) moved_[i].below[k] = below[i];
        }
        for (std::size_t i = 0; i < range.size(); ++i) {
          const PackedDifference<T> pack(claimed_[first + i], moved_[i], step);
          const auto place = static_cast<std::int64_t>((first + i) * kWidth);
          for (int k = 0; k < kWidth && place + k < count; ++k) into[place + k] = pack.at(k);
        }
      }
      return true;
    }
  }

  std::int64_t terms(const Movable& tensor) const override {
    return tensor.input || compiled_.channels ? count_ : 1;
  }

  void adjoint(const Movable& tensor, R* into) override {
    spread(terms_of(tensor), terms(tensor), into);
  }

  double rstd() const override { return leading(rstd_, 0); }
  double condition() const override { return condition_; }

  double magnitude() const override {
    double sum = 0;
    for (std::int64_t place = 0; place < count_; ++place) sum += product_at(place);
    return sum;
  }

  double magnitude_of(std::int64_t place) const override {
    return product_at(place) * leading(widths_.inverse[pack_of(place)], lane_of(place));
  }

  double absolute_change(const Movable& tensor, std::int64_t place, double move) override {
    weighted_changes(forward_moved(tensor, place, T(move)));
    for (T& change : changes_) change = size_of_number(change);
    return leading(plain_.sum_in_unit(changes_), 0);
  }

 private:
  static constexpr int kWidth = kLanesOf<T>;
  /// T's of one slice: as many as fit into the first-level cache with their differences.
  static constexpr std::size_t kSlice = 32;

  static std::size_t pack_of(std::int64_t place) {
    return static_cast<std::size_t>(place / kWidth);
  }
  static int lane_of(std::int64_t place) { return static_cast<int>(place % kWidth); }
  static PackRange all_of(std::int64_t count) { return {0, pack_of(count + kWidth - 1)}; }
  static void spread(const Values<T>& from, std::int64_t count, R* into) {
    for (std::int64_t i = 0; i < count; ++i) into[i] = result_of<R>(from[pack_of(i)], lane_of(i));
  }

  /// |dy y|
  double product_at(std::int64_t place) const {
    const std::size_t at = pack_of(place);
    return size_of_product(unit_.dy[at], value_[at], lane_of(place));
  }

  /// The count of the tensor's numbers in the unit: one for each element, or one for all.
  std::int64_t places(const Movable& tensor) const {
    return by_element(compiled_, tensor) ? count_ : 1;
  }

  /// The terms of the adjoint: d_x by element, or those of a parameter (Gradient::terms).
  const Values<T>& terms_of(const Movable& tensor) {
    if (!at_rest_) runner_.forward();
    at_rest_ = true;
    const Values<T>& dx = runner_.backward();
    return tensor.input ? dx : *runner_.gradient(tensor.number);
  }

  /// y with a number moved. A parameter of channels is stored as x is; one number for all of the
  /// unit has equal lanes.
  const Values<T>& forward_moved(const Movable& tensor, std::int64_t place, const T& move) {
    Values<T>& numbers = numbers_of(unit_, tensor);
    T& number = numbers[numbers.size() == 1 ? 0 : pack_of(place)];
    const T before = number;
    const T after = moved_exactly(before, move);
    number = places(tensor) == 1 ? after : in_lane<T>(place, after, before);
    at_rest_ = false;
    const Values<T>& y = runner_.forward();
    number = before;
    return y;
  }

  /// dy (y' - y)
  void weighted_changes(const Values<T>& y) {
    as_long_as(changes_, y);
    for (std::size_t i = 0; i < y.size(); ++i) changes_[i] = unit_.dy[i] * (y[i] - value_[i]);
  }

  double conditioned() const {
    if (!normed_) return 0;
    T most(0);
    const std::size_t input = compiled_.lines[compiled_.norm].input;
    for (const T& z : input == 0 ? unit_.x : runner_.value_of(input - 1))
      most = larger(most, size_of_number(z));
    return leading(joined(T(most * rstd_), larger<T>), 0);
  }

  /// The changes of the numbers in the T's of the range, each moved alone. If Method::together is
  /// not allowed, the range must be the whole unit.
  const Values<T>& changes_in(const PackRange& range, const Movable& tensor, Method method,
                              double move) {
    if (method == Method::statistics) return statistics_.changes(tensor, range, move);
    if (method == Method::direct) return direct_changes(tensor, range, move);
    return elements_.changes(tensor, range, move);
  }

  /// L with one number moved, minus L; equal in all lanes.
  T direct_change(const Movable& tensor, std::int64_t place, double move) {
    if (tensor.input && !normed_) return change_alone(place, move);
    return plain_.dot(forward_moved(tensor, place, T(move)), unit_.dy, kGradients) - loss_;
  }

  const Values<T>& direct_changes(const Movable& tensor, const PackRange& range, double move) {
    direct_.resize(range.size());
    const auto first = static_cast<std::int64_t>(range.first) * kWidth;
    const auto last = static_cast<std::int64_t>(range.last) * kWidth;
    for (std::int64_t place = first; place < last && place < places(tensor); ++place) {
      T& pack = direct_[pack_of(place - first)];
      pack = in_lane<T>(place, direct_change(tensor, place, move), pack);
    }
    return direct_;
  }

  /// The change of the loss by a number of x that affects its own element only. Another element
  /// would add an exact 0, or is not finite, and is left out. Neither its size nor its NaN affects
  /// the sum.
  T change_alone(std::int64_t place, double move) {
    const std::size_t at = pack_of(place);
    weighted_changes(forward_moved({true, 0}, place, T(widths_.of[at] * T(move))));
    const auto finite = [&](std::size_t i) -> MaskOf<T> { return value_[i] - value_[i] >= T(0); };
    for (std::size_t i = 0; i < changes_.size(); ++i)
      changes_[i] = select(finite(i), changes_[i], T(0));
    if (!lane(finite(at), lane_of(place))) return T(std::numeric_limits<double>::quiet_NaN());
    return plain_.sum_in_unit(changes_) * T(leading(widths_.inverse[at], lane_of(place)));
  }

  const CompiledPipeline& compiled_;
  bool normed_;  ///< by statistics of the unit
  Plain<T> plain_;
  Unit<T> unit_;
  Widths<T> widths_;
  PipelineRunner<Plain<T>> runner_;
  NormLoss<T> statistics_;
  ElementLoss<T> elements_;
  std::int64_t count_ = 0;
  bool at_rest_ = false;  ///< the last evaluation was without a move
  Values<T> value_;       ///< y
  T loss_{};
  T rstd_ = T(1);
  double condition_ = 0;
  Values<T> changes_;
  Values<T> direct_;
  Values<T> claimed_;
  Values<MovedChanges<T>> moved_;  ///< of a slice
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
