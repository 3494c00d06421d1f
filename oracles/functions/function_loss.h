// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <limits>

#include "oracles/functions/function_smoothness.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class V>
constexpr AuditArithmetic arithmetic_of() {
  if constexpr (Words<V>)
    return kWords<V> == 2 ? AuditArithmetic::double_double : AuditArithmetic::triple_double;
  else
    return AuditArithmetic::digits50;
}

/// PerturbedLoss of a function in the arithmetic of V.
template <class F, class V>
class FunctionLoss final : public PerturbedLoss {
 public:
  using T = Traced<V>;

  FunctionLoss(const FunctionCall<F>& call, const FunctionTarget& subject)
      : call_(call), subject_(subject), in_(call.template inputs<V>()) {
    for (const double dy : subject.dy()) dy_.push_back(V(dy));
  }

  void take_unit(std::int64_t) override {
    at_rest_ = {};
    value_ = call_.value(in_, at_rest_);
    felt_ = -1;
    undisturbed_.assign(in_.size(), {});
    for (std::size_t k = 0; k < in_.size(); ++k) undisturbed_[k].resize(in_[k].size());
  }

  std::int64_t count(std::size_t tensor) const override {
    return static_cast<std::int64_t>(in_[tensor].size());
  }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return place; }

  /// A number of another size than most is moved by its own width, and the change is over that.
  Real change(std::size_t tensor, std::int64_t place, double move) override {
    const std::vector<T> after = moved(tensor, place, move);
    V sum(0.0);
    for (std::size_t i = 0; i < after.size(); ++i)
      sum = V(sum + V(dy_[i] * V(after[i].value() - value_[i].value())));
    return ldexp(Real(real_of(sum)), -wider(tensor, place));
  }

  const Values<Real>& changes(std::size_t tensor, double move, Method) override {
    changes_.resize(in_[tensor].size());
    for (std::size_t i = 0; i < changes_.size(); ++i)
      changes_[i] = change(tensor, static_cast<std::int64_t>(i), move);
    return changes_;
  }

  Method quickest(std::size_t) const override { return Method::direct; }

  const Values<Real>& claimed(std::size_t tensor) override {
    if constexpr (HasGradient<F>) {
      if (subject_.has_own_gradient()) {
        if (subject_.cancels()) return subject_.own_gradient(tensor);
        if (claimed_.empty()) take_own_gradients();
        return claimed_[tensor];
      }
    }
    return subject_.by_dual_numbers(tensor);
  }

  int log2_scale(std::size_t tensor) override { return subject_.log2_scale(tensor); }

  /// Of the outputs that have a value; `irregular` knows of the others. More where values cancel
  /// inside the function.
  double magnitude() override {
    if (!in_range()) return std::numeric_limits<double>::quiet_NaN();
    Real sum(0);
    for (std::size_t i = 0; i < value_.size(); ++i)
      if (has_value(value_[i].value()))
        sum += abs(Real(subject_.dy()[i] * real_of(value_[i].value())));
    return std::max(sum.template convert_to<double>(), subject_.roundings(kArithmetic));
  }

  /// The most that any number is felt by over its width, so that a constant of 1e45 beside them
  /// does not count; where no move has a value, the magnitude.
  double typical_change() override {
    if (felt_ >= 0) return felt_;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const std::size_t stride = std::max<std::size_t>(1, in_[k].size() / kFelt);
      for (std::size_t i = 0; i < in_[k].size(); i += stride)
        felt_ = std::max(felt_, felt_by(k, static_cast<std::int64_t>(i)));
    }
    if (felt_ < 0) felt_ = magnitude();
    return felt_;
  }

  std::string irregular(std::size_t tensor, std::int64_t place, double move) override {
    const std::string why = unsmooth(tensor, place, std::abs(move));
    if (!why.empty() || subject_.has_own_gradient()) return why;
    const bool known = isfinite(subject_.by_dual_numbers(tensor)[static_cast<std::size_t>(place)]);
    return known ? "" : undefined_text();
  }

 private:
  static constexpr AuditArithmetic kArithmetic = arithmetic_of<V>();
  static constexpr std::size_t kFelt =
      16;  ///< numbers of an input that typical_change() asks, roughly

  std::string unsmooth(std::size_t tensor, std::int64_t place, double h) {
    const auto at = static_cast<std::size_t>(place);
    const Undisturbed& undisturbed = undisturbed_[tensor][at];
    if (at_rest_.outside == nullptr && !undisturbed.covers(h)) {
      change(tensor, place, h);
      change(tensor, place, -h);
    }
    if (at_rest_.outside == nullptr && undisturbed.covers(h)) return "";
    const double move = std::ldexp(h, wider(tensor, place));
    if (subject_.cancels())
      return Smoothness<F, Digits400>(call_, subject_.dy()).why_not(tensor, at, move);
    return Smoothness<F, Real>(call_, subject_.dy()).why_not(tensor, at, move);
  }

  /// By how many powers of two a number's width is beyond that of most.
  int wider(std::size_t tensor, std::int64_t place) const {
    return subject_.log2_width(tensor, static_cast<std::size_t>(place)) -
           subject_.log2_scale(tensor);
  }

  /// The value with one number moved by its own width times what is moved of most.
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

  double felt_by(std::size_t tensor, std::int64_t place) {
    const std::vector<T> after = moved(tensor, place, std::ldexp(1, subject_.log2_scale(tensor)));
    Real sum(0);
    for (std::size_t i = 0; i < after.size(); ++i)
      sum += abs(Real(real_of(V(dy_[i] * V(after[i].value() - value_[i].value())))));
    return isfinite(sum) ? ldexp(sum, -wider(tensor, place)).template convert_to<double>() : -1;
  }

  /// Sums of doubles do not hold the square of a number below 2^-430 to the last word (2^-1022 less
  /// three words); 50 digits have no such range.
  bool in_range() const {
    if constexpr (!Words<V>) return true;
    for (const std::vector<T>& numbers : in_)
      for (const T& number : numbers) {
        const Real x = real_of(number.value());
        if (x != 0 && abs(x) < 0x1p-430) return false;
      }
    return true;
  }

  /// How far a number was moved either way without any comparison turning.
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
    const std::vector<T> dy(subject_.dy().begin(), subject_.dy().end());
    for (const std::vector<T>& gradient : call_.gradient(in_, dy)) {
      claimed_.emplace_back();
      for (const T& number : gradient) claimed_.back().push_back(real_of(number.value()));
    }
  }

  const FunctionCall<F>& call_;
  const FunctionTarget& subject_;
  Arrays<T> in_;
  std::vector<V> dy_;
  std::vector<T> value_;
  BranchTrace at_rest_;
  double felt_ = -1;  ///< below 0: not asked yet
  std::vector<std::vector<Undisturbed>> undisturbed_;
  Values<Real> changes_;
  std::vector<Values<Real>> claimed_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
