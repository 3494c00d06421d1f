// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "core/tensor/philox.h"
#include "oracles/functions/function_loss.h"

namespace gradproof {

/// The gradient of a function that is audited.
enum class Claimed { its_own, by_dual_numbers };

/// Asks for a FunctionOf that is made quickly, in the arithmetic of R: its gradient is the
/// functor's own in R and its widths are widths_of(). In 400 digits the roundings of L are bounded;
/// one in triple-doubles serves the search of kinks, which asks for no bound.
template <class R>
struct MadeIn {};

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A functor as a FunctionTarget. The functor must outlive it.
template <class F>
class FunctionOf : public FunctionTarget {
 public:
  FunctionOf(const F& function, const std::vector<FunctionInput>& inputs,
             const FunctionOptions& options, Claimed claim = Claimed::its_own)
      : FunctionTarget(inputs), function_(function) {
    const FunctionIn<F, Digits400> in(function, facts_);
    const Values<Digits400> y = in.numbers_of(in.value().y);
    take_outputs(y.size(), options);
    expect_same("value(): output", y, in.numbers_of(in.value().y));
    for (std::size_t k = 0; k < inputs.size(); ++k) facts_.widths[k].narrow(too_wide(k));
    bound_rounding<Digits1000>();
    facts_.own_gradient = HasGradient<F> && claim == Claimed::its_own;
    if constexpr (HasGradient<F>)
      if (facts_.own_gradient) take_own_gradient(in);
    for (std::size_t k = 0; k < inputs.size() && !facts_.own_gradient; ++k)
      take_dual_numbers(dual_numbers(k));
  }

  template <class R>
  FunctionOf(const F& function, const std::vector<FunctionInput>& inputs,
             const FunctionOptions& options, MadeIn<R>) requires HasGradient<F>
      : FunctionTarget(inputs), function_(function) {
    take_outputs(options.dy.size(), options);
    facts_.own_gradient = true;
    const FunctionIn<F, R> in(function, facts_);
    facts_.gradient = in.gradient();
    if constexpr (!WideNumber<R>) {
      drop_roundings();
      bound_rounding<R>();
    }
  }

  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override {
    if (arithmetic == AuditArithmetic::double_double)
      return std::make_unique<FunctionLoss<F, DoubledOf<double>>>(function_, facts_);
    if (arithmetic == AuditArithmetic::triple_double)
      return std::make_unique<FunctionLoss<F, TripledOf<double>>>(function_, facts_);
    return std::make_unique<FunctionLoss<F, Digits400>>(function_, facts_);
  }

  PathSum directional(std::size_t tensor, const std::vector<double>& v) const override {
    FunctionIn<F, PathDual> in(function_, facts_);
    for (std::size_t i = 0; i < v.size(); ++i) in.move(tensor, i, {0, v[i]});
    return path_sum(in.value());
  }

 private:
  using PathDual = PathDualOf<Digits400>;

  /// The gradient of one input, entry by entry.
  Values<PathSum> dual_numbers(std::size_t tensor) const {
    FunctionIn<F, PathDual> in(function_, facts_);
    Values<PathSum> gradient;
    for (std::size_t i = 0; i < facts_.inputs[tensor].numbers.size(); ++i)
      gradient.push_back(path_sum(in.value_at(tensor, i, {0, 1})));
    return gradient;
  }

  /// The sums of dy times the derivatives that the outputs carry, and of their absolute terms.
  /// Outputs with dy = 0 are left out, even if they are NaN.
  PathSum path_sum(const Outputs<PathDual>& outputs) const {
    Digits400 sum(0);
    Digits400 paths(0);
    for (std::size_t i = 0; i < facts_.dy.size(); ++i) {
      if (facts_.dy[i] == 0 || !outputs[i].moves) continue;
      sum += facts_.dy[i] * outputs[i].sum;
      paths += std::abs(facts_.dy[i]) * outputs[i].paths;
    }
    return {Real(sum), Real(paths)};
  }

  /// The number of powers of two by which the widths of an input are too large, as those of equal
  /// numbers of 1e60 in front of a norm whose eps is 1e-5. It moves all numbers of the input
  /// together, in 400 digits, and finds the largest moves that change the value as dual numbers
  /// predict, to 10 %; 0 if these are near the width, as usual, or if there are none. The result
  /// only guides the choice of steps.
  int too_wide(std::size_t tensor) const {
    constexpr int kUsual = 20;
    constexpr int kStep = 10;
    constexpr int kFinest = 1000;
    const std::vector<int>& widths = facts_.widths[tensor].own;
    const Stream stream(tensor, "response");
    std::vector<double> v;
    for (std::size_t i = 0; i < widths.size(); ++i)
      v.push_back(std::ldexp(stream.normal(i), widths[i]));
    const PathSum slope = directional(tensor, v);
    if (!isfinite(slope.sum) || slope.is_rounding()) return 0;
    const auto follows = [&](int log2_step) {
      Digits400 change(0);
      for (const int sign : {1, -1}) {
        FunctionIn<F, Digits400> in(function_, facts_);
        for (std::size_t i = 0; i < v.size(); ++i)
          in.move(tensor, i, ldexp(Digits400(sign * v[i]), log2_step));
        const Outputs<Digits400> outputs = in.value();
        for (std::size_t i = 0; i < facts_.dy.size(); ++i)
          if (facts_.dy[i] != 0) change += sign * facts_.dy[i] * outputs[i];
      }
      return abs(Real(ldexp(Real(change), -log2_step - 1) - slope.sum)) <= abs(slope.sum) * 0.1;
    };
    for (int step = kUsual; step < kFinest; step += kStep)
      if (follows(-step) && follows(-step - kStep)) return step == kUsual ? 0 : step - kStep;
    return 0;
  }

  /// Bounds the rounding of L, and takes the larger size of L at the inputs and near them.
  template <class R>
  void bound_rounding() {
    using V = PathDualOf<R, true>;
    Values<Real> y;
    Values<Real> roundings;
    for (const Traced<V>& output : FunctionIn<F, V>(function_, facts_).value().y) {
      y.push_back(Real(output.value().v));
      roundings.push_back(Real(output.value().paths));
    }
    FunctionIn<F, Digits400> near(function_, facts_);
    const Stream stream(1, "roundings");
    std::uint64_t draw = 0;
    for (std::size_t k = 0; k < facts_.widths.size(); ++k)
      for (std::size_t i = 0; i < facts_.widths[k].own.size(); ++i)
        near.move(k, i, std::ldexp(stream.uniform(draw++) - 0.5, facts_.widths[k].own[i]));
    facts_.rounding = facts_.size_of(roundings);
    facts_.magnitude = std::max(facts_.size_of(y), facts_.size_of(near.in_real(near.value().y)));
  }

  /// Takes the gradient of the functor. Throws UsageError if a second call differs.
  void take_own_gradient(const FunctionIn<F, Digits400>& in) {
    facts_.gradient = in.gradient();
    check_gradient(facts_.gradient, "gradient()");
    const std::vector<Values<Digits400>> again = in.gradient();
    for (std::size_t k = 0; k < again.size(); ++k)
      expect_same("gradient(): d_" + facts_.inputs[k].name + " at", facts_.gradient.at(k),
                  again[k]);
    drop_roundings();
  }
  /// Sets an entry of the functor's gradient to 0 that 1000 digits show to be the rounding of 400.
  void drop_roundings() {
    const auto longer = FunctionIn<F, Digits1000>(function_, facts_).gradient();
    for (std::size_t k = 0; k < longer.size(); ++k) {
      Values<Digits400>& claims = facts_.gradient.at(k);
      for (std::size_t i = 0; i < claims.size(); ++i)
        if (abs(longer[k][i]) <= ldexp(abs(claims[i]), -kLog2Vanishing)) claims[i] = 0;
    }
  }
  static constexpr int kLog2Vanishing =
      100;  ///< 1000 digits make a rounding 2^-1993 times as large

  const F& function_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT

/// Audits a functor's gradient against differences of its value, docs/audit_function.md:
///
///   struct Softplus {
///     template <class T>  // outputs from inputs, all row-major
///     std::vector<T> value(const std::vector<std::vector<T>>& in) const;
///     template <class T>  // optional: the formula that is audited, one gradient for each input
///     std::vector<std::vector<T>> gradient(const std::vector<std::vector<T>>& in,
///                                          const std::vector<T>& dy) const;
///   };
///
/// Returns one row an input; without `gradient` it audits, and names, the derivative by dual
/// numbers. Several threads may call the functor. Throws UsageError if arguments do not fit.
template <class F>
std::vector<AuditRow> audit_function(const F& function, const std::vector<FunctionInput>& inputs,
                                     const FunctionOptions& options = {}) {
  return audit_function_target(FunctionOf<F>(function, inputs, options), options);
}

/// Audits numbers that other code computed, a kernel for example, as the gradient of the functor's
/// value. They are compared entry by entry with the derivative by dual numbers, which is audited
/// itself. An entry is wrong where |given - derivative| > 10^-digits * (largest gradient of the
/// tensor).
template <class F>
std::vector<AuditRow> audit_numbers(const F& function, const std::vector<FunctionInput>& inputs,
                                    const GivenGradients& given,
                                    const FunctionOptions& options = {}) {
  return audit_function_target(FunctionOf<F>(function, inputs, options, Claimed::by_dual_numbers),
                               options, &given);
}

}  // namespace gradproof
