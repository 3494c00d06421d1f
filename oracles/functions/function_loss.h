// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "oracles/functions/function_in.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The irregularity within a move of one number, found in 400 digits. A function is smooth if all
/// comparisons at x-h and x+h have the same outcome as at x, or the value is the same as with the
/// outcomes at x, but for 10^6 roundings.
template <class F>
Irregularity met_within(const F& function, const FunctionFacts& facts, std::size_t tensor,
                        std::size_t place, double move) {
  using R = Digits400;
  FunctionIn<F, R> in(function, facts);
  const Outputs<R> rest = in.value();
  if (rest.outside() != nullptr) return Irregularity::domain;
  for (const double h : {move, -move}) {
    const Outputs<R> moved = in.value_at(tensor, place, R(h));
    if (moved.outside() != nullptr) return Irregularity::domain;
    if (moved.trace.outcomes == rest.trace.outcomes) continue;
    const Outputs<R> continued = in.value_at(tensor, place, R(h), &rest.trace.outcomes);
    R difference(0);
    R magnitude(0);
    for (std::size_t i = 0; i < facts.dy.size(); ++i) {
      difference += abs(R(facts.dy[i] * (moved[i] - continued[i])));
      magnitude += abs(R(facts.dy[i] * moved[i]));
    }
    if (!(difference <= magnitude * pow(R(10), R(6 - std::numeric_limits<R>::digits10))))
      return Irregularity::kink;
  }
  return Irregularity::none;
}

/// L(x+h) - L(x) of a user's function, L = sum dy y, in the arithmetic of V.
template <class F, class V>
class FunctionLoss final : public PerturbedLoss {
 public:
  FunctionLoss(const F& function, const FunctionFacts& facts)
      : function_(function), facts_(facts), in_(function, facts) {}

  void take_unit(std::int64_t) override {
    at_rest_ = in_.value();
    typical_changes_.clear();
    undisturbed_.clear();
  }

  std::int64_t count(std::size_t tensor) const override {
    return std::ssize(facts_.inputs[tensor].numbers);
  }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return place; }

  /// The change of L. A number whose width differs from that of most numbers is moved
  /// by its own width times `move`, and the change is scaled back to the width of most.
  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    const auto at = static_cast<std::size_t>(place);
    const Outputs<V> after = moved(tensor, at, move);
    V sum(0.0);
    for (std::size_t i = 0; i < after.y.size(); ++i)
      sum = V(sum + V(V(facts_.dy[i]) * V(after[i] - at_rest_[i])));
    return ldexp(in_digits400(sum), -facts_.log2_wider(tensor, at));
  }

  const Values<Digits400>& claimed(std::size_t tensor) override { return facts_.gradient[tensor]; }

  int log2_scale(std::size_t tensor) override { return facts_.widths[tensor].most; }

  /// Sum of |dy y| over the outputs that have a value; irregular() reports the others. It is at
  /// least the rounding error if values cancel inside the function. The square of a number below
  /// 2^-430 has parts below the smallest double in sums of doubles; 400 digits have no such limit.
  double magnitude() override {
    const auto too_small = [](double x) { return x != 0 && std::abs(x) < 0x1p-430; };
    for (const FunctionInput& input : facts_.inputs)
      if (WideNumber<V> && std::ranges::any_of(input.numbers, too_small))
        return std::numeric_limits<double>::quiet_NaN();
    return std::max(facts_.size_of(in_.in_real(at_rest_.y)).template convert_to<double>(),
                    facts_.noticed_rounding());
  }

  /// The largest sum of |dy (y(x+h) - y(x))| that a move of one number by its width makes, or by
  /// that of the tensor's numbers if that is less, so that neither a constant of 1e45 beside the
  /// numbers counts nor an input of 1e45; magnitude() if no move has a value.
  double typical_change(std::size_t tensor) override {
    double most = -1;
    for (std::size_t k = 0; k < facts_.inputs.size(); ++k)
      most = std::max(most, typical_change_by(k, std::min(log2_scale(k), log2_scale(tensor))));
    return most < 0 ? magnitude() : most;
  }

  /// If dual numbers have no finite derivative, the number counts as an edge of the domain too.
  Irregularity irregular(std::size_t tensor, std::int64_t place, double move) override {
    const auto at = static_cast<std::size_t>(place);
    const Irregularity met = met_near(tensor, at, std::abs(move));
    const bool known = facts_.own_gradient || isfinite(facts_.gradient[tensor][at]);
    return met == Irregularity::none && !known ? Irregularity::domain : met;
  }

 private:
  static constexpr std::size_t kSampled = 16;  ///< typical_change() moves about so many numbers

  Irregularity met_near(std::size_t tensor, std::size_t at, double h) {
    const bool finite = at_rest_.trace.outside == nullptr;
    const auto covered = [&] {
      return undisturbed_[{tensor, at, true}] >= h && undisturbed_[{tensor, at, false}] >= h;
    };
    if (finite && !covered())
      for (const double move : {h, -h}) moved(tensor, at, move);
    if (finite && covered()) return Irregularity::none;
    return met_within(function_, facts_, tensor, at, std::ldexp(h, facts_.log2_wider(tensor, at)));
  }

  /// The value with one number moved by `move` times its width over the width of most.
  Outputs<V> moved(std::size_t tensor, std::size_t at, double move) {
    const V by(std::ldexp(move, facts_.log2_wider(tensor, at)));
    Outputs<V> after = in_.value_at(tensor, at, by);
    double& farthest = undisturbed_[{tensor, at, move > 0}];
    if (after.trace.outside == nullptr && after.trace.outcomes == at_rest_.trace.outcomes)
      farthest = std::max(farthest, std::abs(move));
    return after;
  }

  double typical_change_by(std::size_t tensor, int log2_move) {
    const auto [kept, is_new] = typical_changes_.try_emplace({tensor, log2_move}, -1);
    const std::size_t numbers = facts_.inputs[tensor].numbers.size();
    for (std::size_t i = 0; is_new && i < numbers;
         i += std::max<std::size_t>(1, numbers / kSampled))
      kept->second = std::max(kept->second, absolute_change(tensor, i, log2_move));
    return kept->second;
  }
  /// The absolute change by a move; -1 if it is not finite.
  double absolute_change(std::size_t tensor, std::size_t at, int log2_move) {
    Values<Real> change = in_.in_real(moved(tensor, at, std::ldexp(1, log2_move)).y);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] -= real_of(at_rest_[i]);
    if (!std::ranges::all_of(change, [](const Real& of) { return isfinite(of); })) return -1;
    return ldexp(facts_.size_of(change), -facts_.log2_wider(tensor, at))
        .template convert_to<double>();
  }

  const F& function_;
  const FunctionFacts& facts_;
  FunctionIn<F, V> in_;
  Outputs<V> at_rest_;
  std::map<std::pair<std::size_t, int>, double>
      typical_changes_;  ///< by input and log2 of the move
  /// The largest move up (true) or down of each number that changed no comparison's outcome.
  std::map<std::tuple<std::size_t, std::size_t, bool>, double> undisturbed_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
