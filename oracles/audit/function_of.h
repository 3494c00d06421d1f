// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "oracles/audit/function_losses.h"

namespace gradproof {

/// Which gradient of a function is audited.
enum class Claimed { its_own, by_dual_numbers };

inline namespace GRADPROOF_ARITHMETIC_UNIT {

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
    BranchTrace again;
    expect_same("value(): output", value, call_.value(in, again));
    if constexpr (HasGradient<F>) {
      if (claim_ == Claimed::its_own) {
        take_own_gradient(in);
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

  PathSum directional(std::size_t tensor, const std::vector<double>& v) const override {
    return call_.directional(tensor, v, dy());
  }

  bool has_own_gradient() const override { return HasGradient<F> && claim_ == Claimed::its_own; }

 private:
  using Numbers = std::vector<Traced<Real>>;

  /// The one that is audited, once more: it must be there for every input.
  void take_own_gradient(const Arrays<Traced<Real>>& in) {
    const Numbers weights(dy().begin(), dy().end());
    const auto gradients = call_.gradient(in, weights);
    std::vector<std::size_t> sizes;
    for (const Numbers& gradient : gradients) sizes.push_back(gradient.size());
    check_gradient(sizes, "gradient()");
    const auto again = call_.gradient(in, weights);
    for (std::size_t k = 0; k < gradients.size(); ++k)
      expect_same("gradient(): d_" + inputs()[k].name + " at", gradients[k], again.at(k));
  }

  /// To the last bit, or without a value both times.
  static void expect_same(const std::string& what, const Numbers& before, const Numbers& now) {
    for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
      const Real& a = before[i].value();
      const Real& b = now[i].value();
      if (a == b || (isnan(a) && isnan(b))) continue;
      throw_undetermined(what + " " + std::to_string(i), a.convert_to<double>(),
                         b.convert_to<double>());
    }
  }

  FunctionCall<F> call_;
  Claimed claim_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
