// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <limits>

#include "oracles/functions/function_smoothness.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class V>
constexpr AuditArithmetic arithmetic_of() {
  if constexpr (WideNumber<V>)
    return kDoubles<V> == 2 ? AuditArithmetic::double_double : AuditArithmetic::triple_double;
  else
    return AuditArithmetic::digits400;
}

/// L(x+h) - L(x) of a user's function, L = sum dy y, in the arithmetic of V.
template <class F, class V>
class FunctionLoss final : public PerturbedLoss {
 public:
  using T = Traced<V>;

  FunctionLoss(const FunctionCall<F>& call, const FunctionTarget& target)
      : call_(call), target_(target), in_(call.template inputs<V>()) {
    for (const double dy : target.dy()) dy_.push_back(V(dy));
  }

  void take_unit(std::int64_t) override {
    at_rest_ = {};
    value_ = call_.value(in_, at_rest_);
    typical_change_ = -1;
    undisturbed_.assign(in_.size(), {});
    for (std::size_t k = 0; k < in_.size(); ++k) undisturbed_[k].resize(in_[k].size());
  }

  std::int64_t count(std::size_t tensor) const override {
    return static_cast<std::int64_t>(in_[tensor].size());
  }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return place; }

  /// The change of L. A number whose width differs from that of most numbers is moved
  /// by its own width times `move`, and the change is scaled back to the width of most.
  Real change(std::size_t tensor, std::int64_t place, double move) override {
    const std::vector<T> after = moved(tensor, place, move);
    V sum(0.0);
    for (std::size_t i = 0; i < after.size(); ++i)
      sum = V(sum + V(dy_[i] * V(after[i].value() - value_[i].value())));
    return ldexp(Real(real_of(sum)), -wider(tensor, place));
  }

  const Values<Real>& claimed(std::size_t tensor) override {
    if constexpr (HasGradient<F>) {
      if (target_.has_own_gradient()) {
        if (target_.cancels()) return target_.own_gradient(tensor);
        if (claimed_.empty()) take_own_gradients();
        return claimed_[tensor];
      }
    }
    return target_.by_dual_numbers(tensor);
  }

  int log2_scale(std::size_t tensor) override { return target_.log2_scale(tensor); }

  /// Sum of |dy y| over the outputs that have a value; irregular() reports the others. At least the
  /// measured rounding error where values cancel inside the function.
  double magnitude() override {
    if (!in_range()) return std::numeric_limits<double>::quiet_NaN();
    Real sum(0);
    for (std::size_t i = 0; i < value_.size(); ++i)
      if (has_value(value_[i].value()))
        sum += abs(Real(target_.dy()[i] * real_of(value_[i].value())));
    return std::max(sum.template convert_to<double>(), target_.roundings(kArithmetic));
  }

  /// The largest sum of |dy (y(x+h) - y(x))| that a move of one number by its width makes, so that
  /// a constant of 1e45 beside the numbers does not count; where no move has a value, magnitude().
  double typical_change() override {
    if (typical_change_ >= 0) return typical_change_;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const std::size_t stride = std::max<std::size_t>(1, in_[k].size() / kSampled);
      for (std::size_t i = 0; i < in_[k].size(); i += stride)
        typical_change_ = std::max(typical_change_, loss_change(k, static_cast<std::int64_t>(i)));
    }
    if (typical_change_ < 0) typical_change_ = magnitude();
    return typical_change_;
  }

  /// Where dual numbers have no finite derivative, a domain ends too.
  Irregularity irregular(std::size_t tensor, std::int64_t place, double move) override {
    const std::string why = unsmooth(tensor, place, std::abs(move));
    if (!why.empty()) return why.starts_with("domain") ? Irregularity::domain : Irregularity::kink;
    const bool known = target_.has_own_gradient() ||
                       isfinite(target_.by_dual_numbers(tensor)[static_cast<std::size_t>(place)]);
    return known ? Irregularity::none : Irregularity::domain;
  }

 private:
  static constexpr AuditArithmetic kArithmetic = arithmetic_of<V>();
  static constexpr std::size_t kSampled =
      16;  ///< typical_change() moves about so many numbers of each input

  std::string unsmooth(std::size_t tensor, std::int64_t place, double h) {
    const auto at = static_cast<std::size_t>(place);
    const Undisturbed& undisturbed = undisturbed_[tensor][at];
    if (at_rest_.outside == nullptr && !undisturbed.covers(h)) {
      change(tensor, place, h);
      change(tensor, place, -h);
    }
    if (at_rest_.outside == nullptr && undisturbed.covers(h)) return "";
    const double move = std::ldexp(h, wider(tensor, place));
    if (target_.cancels())
      return Smoothness<F, Digits400>(call_, target_.dy()).why_not(tensor, at, move);
    return Smoothness<F, Real>(call_, target_.dy()).why_not(tensor, at, move);
  }

  /// log2 of a number's width over the width of most numbers.
  int wider(std::size_t tensor, std::int64_t place) const {
    return target_.log2_width(tensor, static_cast<std::size_t>(place)) - target_.log2_scale(tensor);
  }

  /// The value with one number moved by `move` times its width over the width of most.
  std::vector<T> moved(std::size_t tensor, std::int64_t place, double move) {
    T& number = in_[tensor][static_cast<std::size_t>(place)];
    const T before = number;
    number = T(V(before.value() + V(std::ldexp(move, wider(tensor, place)))));
    BranchTrace trace;
    std::vector<T> after = call_.value(in_, trace);
    number = before;
    if (trace.outside == nullptr && trace.outcomes == at_rest_.outcomes)
      undisturbed_[tensor][static_cast<std::size_t>(place)].take(move);
    return after;
  }

  double loss_change(std::size_t tensor, std::int64_t place) {
    const std::vector<T> after = moved(tensor, place, std::ldexp(1, target_.log2_scale(tensor)));
    Real sum(0);
    for (std::size_t i = 0; i < after.size(); ++i)
      sum += abs(Real(real_of(V(dy_[i] * V(after[i].value() - value_[i].value())))));
    return isfinite(sum) ? ldexp(sum, -wider(tensor, place)).template convert_to<double>() : -1;
  }

  /// Whether no number is too small for V. The square of a number below 2^-430 has parts below the
  /// smallest double in sums of doubles; 50 digits have no such limit.
  bool in_range() const {
    if constexpr (!WideNumber<V>) return true;
    for (const std::vector<T>& numbers : in_)
      for (const T& number : numbers) {
        const Real x = real_of(number.value());
        if (x != 0 && abs(x) < 0x1p-430) return false;
      }
    return true;
  }

  /// How far a number was moved up and down without any comparison changing its outcome.
  struct Undisturbed {
    double above = 0;
    double below = 0;

    void take(double move) {
      above = std::max(above, move);
      below = std::max(below, -move);
    }
    bool covers(double move) const { return above >= move && below >= move; }
  };

  void take_own_gradients() {
    const std::vector<T> dy(target_.dy().begin(), target_.dy().end());
    for (const std::vector<T>& gradient : call_.gradient(in_, dy)) {
      claimed_.emplace_back();
      for (const T& number : gradient) claimed_.back().push_back(real_of(number.value()));
    }
  }

  const FunctionCall<F>& call_;
  const FunctionTarget& target_;
  Arrays<T> in_;
  std::vector<V> dy_;
  std::vector<T> value_;
  BranchTrace at_rest_;
  double typical_change_ = -1;  ///< below 0: not computed yet
  std::vector<std::vector<Undisturbed>> undisturbed_;
  std::vector<Values<Real>> claimed_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
