// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/normalised.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The gradient of s in x = s v in front of a norm, where s is one number for each group: ds = sum
/// v dx in closed form. With h = weight dy
///   ds = rstd^3 eps sum (h - mean h) (v - mean v),
/// of rms_norm rstd^3 eps sum h v. It follows from sum h xhat = rstd s sum (h - mean h)(v - mean
/// v), sum v xhat = N rstd s var(v) and rstd^2 (s^2 var(v) + eps) = 1. The factors' deviations add
/// up to 0, so that an error of the other one's mean cancels.
template <class A>
class ScaleGradient {
 public:
  using T = typename A::Scalar;

  /// `unscaled` is v, `dy` the norm's cotangent; the norm's adjoint has been asked before.
  ScaleGradient(const StepContext<A>& norm, const Field<T>& unscaled, const Field<T>& dy)
      : context_(norm), a_(norm.a), v_(unscaled, kNobody), dy_(dy, norm.position) {}

  FieldNumbers<T> by_group() const {
    const FormSet weighting = context_.forms(FormPart::weighting);
    if (!context_.has(1) || weighting.bits == 1) return by_group(false);
    if (!A::kErrors) return by_group(context_.s.weighted_after);
    FieldNumbers<T> all = by_group(true);
    if (!weighting.has(0)) return all;
    const FieldNumbers<T> first = by_group(false);
    if constexpr (A::kErrors)
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = widened(first[k], all[k]);
    return all;
  }

 private:
  /// With `weighted_after` sums are of dy, and the group's weight follows (FormPart::weighting).
  FieldNumbers<T> by_group(bool weighted_after) const {
    const std::int64_t n = context_.s.groups.length;
    const auto& statistics = memory_of(context_, context_.position).statistics;
    const auto h = [&](std::int64_t i) {
      const T& dy = dy_[place(i)];
      return context_.has(1) && !weighted_after ? T(dy * context_.at(1, i)) : dy;
    };
    FieldNumbers<T> all;
    each_group(context_, [&](std::size_t which, const std::int32_t* group) {
      const T mean_h = mean_of([&](std::int64_t k) { return h(group[k]); }, SharedError::first_sum);
      const T mean_v =
          mean_of([&](std::int64_t k) { return v_[place(group[k])]; }, SharedError::second_sum);
      typename A::Sum products = a_.new_sum();
      for (std::int64_t k = 0; k < n; ++k)
        products.add(T((h(group[k]) - mean_h) * (v_[place(group[k])] - mean_v)));
      const T sum = products.sum(context_.chain_of(SumRole::gradients, n));
      const T& rstd = statistics[which].rstd;
      const T eps(context_.plan.scalar(context_.s.step->number("eps")));
      const T factor = weighted_after ? T(context_.at(1, group[0]) * rstd) : rstd;
      all.push_back((factor * sum) * ((rstd * eps) * rstd));
    });
    return all;
  }

  template <class Number>
  T mean_of(const Number& number, SharedError symbol) const {
    if (context_.s.step->stage == "rms_norm") return T(0);
    const std::int64_t n = context_.s.groups.length;
    typename A::Sum sum = a_.new_sum();
    for (std::int64_t k = 0; k < n; ++k) sum.add(number(k));
    const T total = a_.shared(sum.sum(context_.chain_of(SumRole::gradients, n)), symbol);
    return quotient_of(a_.functions, T(total / static_cast<double>(n)));
  }

  const StepContext<A>& context_;
  const A& a_;
  FoldedField<A> v_;
  FoldedField<A> dy_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
