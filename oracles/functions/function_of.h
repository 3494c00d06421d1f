// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "oracles/functions/function_loss.h"
#include "oracles/functions/function_response.h"
#include "oracles/functions/function_roundings.h"

namespace gradproof {

/// Which gradient of a function is audited.
enum class Claimed { its_own, by_dual_numbers };

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A functor as a FunctionTarget. The functor must outlive it.
template <class F>
class FunctionOf final : public FunctionTarget {
 public:
  FunctionOf(const F& function, const std::vector<FunctionInput>& inputs,
             const FunctionOptions& options, Claimed claim = Claimed::its_own)
      : FunctionTarget(inputs), call_(function, this->inputs()), claim_(claim) {
    BranchTrace trace;
    const auto in = call_.template inputs<Real>();
    const auto value = call_.value(in, trace);
    take_outputs(value.size(), options);
    call_.expect_outputs(value.size());
    BranchTrace again;
    expect_same("value(): output", value, call_.value(in, again));
    for (std::size_t k = 0; k < in.size(); ++k) narrow(k, Response<F>(call_, *this, k).too_wide());
    const Roundings<F> roundings(call_, *this);
    if constexpr (HasGradient<F>) {
      if (claim_ == Claimed::its_own) {
        const auto own = own_gradient<Real>();
        FunctionTarget::take_own_gradient(own_gradient<Digits400>());
        take_roundings(roundings.measured(roundings.cancel(own, FunctionTarget::own_gradients())));
        return;
      }
    }
    take_roundings(roundings.measured(false));
    for (std::size_t k = 0; k < in.size(); ++k)
      take_dual_numbers(cancels() ? call_.template by_dual_numbers<Digits400>(k, dy())
                                  : call_.template by_dual_numbers<Real>(k, dy()));
  }
  FunctionOf(const FunctionOf&) = delete;
  FunctionOf& operator=(const FunctionOf&) = delete;

  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override {
    if (arithmetic == AuditArithmetic::double_double)
      return std::make_unique<FunctionLoss<F, DoubledOf<double>>>(call_, *this);
    if (arithmetic == AuditArithmetic::triple_double)
      return std::make_unique<FunctionLoss<F, TripledOf<double>>>(call_, *this);
    return std::make_unique<FunctionLoss<F, Digits400>>(call_, *this);
  }

  PathSum directional(std::size_t tensor, const std::vector<double>& v) const override {
    return cancels() ? call_.template directional<Digits400>(tensor, v, dy())
                     : call_.template directional<Real>(tensor, v, dy());
  }

  bool has_own_gradient() const override { return HasGradient<F> && claim_ == Claimed::its_own; }

 private:
  /// The gradient of the functor, for every input. Throws UsageError where a second call differs.
  template <class R>
  std::vector<Values<Real>> own_gradient() const {
    const auto in = call_.template inputs<R>();
    const std::vector<Traced<R>> weights(dy().begin(), dy().end());
    const auto gradients = call_.gradient(in, weights);
    std::vector<std::size_t> sizes;
    for (const auto& gradient : gradients) sizes.push_back(gradient.size());
    check_gradient(sizes, "gradient()");
    const auto again = call_.gradient(in, weights);
    std::vector<Values<Real>> result;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      expect_same("gradient(): d_" + inputs()[k].name + " at", gradients[k], again.at(k));
      result.emplace_back();
      for (const Traced<R>& number : gradients[k]) result.back().push_back(real_of(number.value()));
    }
    return result;
  }

  /// Throws UsageError unless all numbers are equal, or NaN both times.
  template <class R>
  static void expect_same(const std::string& what, const std::vector<Traced<R>>& before,
                          const std::vector<Traced<R>>& now) {
    for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
      const R& a = before[i].value();
      const R& b = now[i].value();
      if (a == b || (isnan(a) && isnan(b))) continue;
      throw_undetermined(what + " " + std::to_string(i), a.template convert_to<double>(),
                         b.template convert_to<double>());
    }
  }

  FunctionCall<F> call_;
  Claimed claim_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
