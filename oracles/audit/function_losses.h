// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/audit/function_smoothness.h"

namespace gradproof {

/// Which gradient of a function is audited.
enum class Claimed { its_own, by_dual_numbers };

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Losses of a function in the arithmetic of V.
template <class F, class V>
class FunctionLosses final : public Losses {
 public:
  using T = Traced<V>;

  FunctionLosses(const FunctionCall<F>& call, const FunctionSubject& subject)
      : call_(call), subject_(subject), in_(call.template inputs<V>()) {
    for (const double dy : subject.dy()) dy_.push_back(V(dy));
  }

  void take_unit(std::int64_t) override {
    at_rest_ = {};
    value_ = call_.value(in_, at_rest_);
    undisturbed_.assign(in_.size(), {});
    for (std::size_t k = 0; k < in_.size(); ++k) undisturbed_[k].resize(in_[k].size());
  }

  std::int64_t count(std::size_t tensor) const override {
    return static_cast<std::int64_t>(in_[tensor].size());
  }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return place; }

  Real change(std::size_t tensor, std::int64_t place, double move) override {
    T& number = in_[tensor][static_cast<std::size_t>(place)];
    const T before = number;
    number = T(V(before.value() + V(move)));
    BranchTrace trace;
    const std::vector<T> moved = call_.value(in_, trace);
    number = before;
    if (trace.outside == nullptr && trace.outcomes == at_rest_.outcomes)
      undisturbed_[tensor][static_cast<std::size_t>(place)].take(move);
    V sum(0.0);
    for (std::size_t i = 0; i < moved.size(); ++i)
      sum = V(sum + V(dy_[i] * V(moved[i].value() - value_[i].value())));
    return Real(real_of(sum));
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
        if (claimed_.empty()) take_own_gradients();
        return claimed_[tensor];
      }
    }
    return subject_.by_dual_numbers(tensor);
  }

  int log2_scale(std::size_t tensor) override { return subject_.log2_scale(tensor); }

  /// Of the outputs that have a value; `irregular` knows of the others.
  double magnitude() override {
    Real sum(0);
    for (std::size_t i = 0; i < value_.size(); ++i)
      if (has_value(value_[i].value()))
        sum += abs(Real(subject_.dy()[i] * real_of(value_[i].value())));
    return sum.template convert_to<double>();
  }

  std::string irregular(std::size_t tensor, std::int64_t place, double move) override {
    const double h = std::abs(move);
    const Undisturbed& undisturbed = undisturbed_[tensor][static_cast<std::size_t>(place)];
    if (at_rest_.outside == nullptr && !undisturbed.covers(h)) {
      change(tensor, place, h);
      change(tensor, place, -h);
    }
    if (at_rest_.outside == nullptr && undisturbed.covers(h)) return "";
    Smoothness<F> smoothness(call_, subject_.dy());
    return smoothness.why_not(tensor, static_cast<std::size_t>(place), h);
  }

 private:
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
  const FunctionSubject& subject_;
  Arrays<T> in_;
  std::vector<V> dy_;
  std::vector<T> value_;
  BranchTrace at_rest_;
  std::vector<std::vector<Undisturbed>> undisturbed_;
  Values<Real> changes_;
  std::vector<Values<Real>> claimed_;
};

/// What audit_function makes of a functor. The functor must outlive it.
template <class F>
class FunctionOf final : public FunctionSubject {
 public:
  FunctionOf(const F& function, const std::vector<FunctionInput>& inputs,
             const FunctionOptions& options, Claimed claim = Claimed::its_own)
      : FunctionSubject(inputs), call_(function, this->inputs()), claim_(claim) {
    BranchTrace trace;
    const auto in = call_.template inputs<Real>();
    const auto value = call_.value(in, trace);
    take_outputs(value.size(), options);
    call_.expect_outputs(value.size());
    if constexpr (HasGradient<F>) {
      if (claim_ == Claimed::its_own) {
        std::vector<std::size_t> sizes;
        for (const auto& gradient : call_.gradient(in, value)) sizes.push_back(gradient.size());
        check_gradient(sizes, "gradient()");
        return;
      }
    }
    for (std::size_t k = 0; k < in.size(); ++k) take_dual_numbers(call_.by_dual_numbers(k, dy()));
  }
  FunctionOf(const FunctionOf&) = delete;
  FunctionOf& operator=(const FunctionOf&) = delete;

  std::unique_ptr<Losses> losses(AuditArithmetic arithmetic) const override {
    if (arithmetic == AuditArithmetic::double_double)
      return std::make_unique<FunctionLosses<F, DoubledOf<double>>>(call_, *this);
    if (arithmetic == AuditArithmetic::triple_double)
      return std::make_unique<FunctionLosses<F, TripledOf<double>>>(call_, *this);
    return std::make_unique<FunctionLosses<F, Real>>(call_, *this);
  }

  Real directional(std::size_t tensor, const std::vector<double>& v) const override {
    return call_.directional(tensor, v, dy());
  }

  bool has_own_gradient() const override { return HasGradient<F> && claim_ == Claimed::its_own; }

 private:
  FunctionCall<F> call_;
  Claimed claim_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
