// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The field of each(i) for each element i of a step's space.
template <class A, class Each>
Field<typename A::Scalar> each_of(const StepContext<A>& context, const Each& each) {
  return {numbers_by<typename A::Scalar>(context.s.space, each)};
}

/// `yes` where the mask is not 0, else `no`. Where errors decide that, it may be either.
template <class A>
typename A::Scalar chosen_by(const A& a, const typename A::Scalar& mask,
                             const typename A::Scalar& yes, const typename A::Scalar& no) {
  using T = typename A::Scalar;
  return a.functions.where_positive(a.functions.max(mask, T(-mask)), yes, no);
}

/// The adjoint of a choice by a mask: each operand gets the cotangent where it was taken, else 0.
template <class A>
void where_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                   Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const auto give = [&](std::size_t k, const auto& term) {
    if (context.s.operands[k] < 0) return;
    terms[k] = each_of(context, [&](std::int64_t i) {
      return T(term(context.at(0, i), dy.v[static_cast<std::size_t>(i)]));
    });
  };
  give(1, [&](const T& mask, const T& g) { return chosen_by(context.a, mask, g, T(0)); });
  give(2, [&](const T& mask, const T& g) { return chosen_by(context.a, mask, T(0), g); });
}

/// The adjoint of min and max: the chosen one gets all; at a tie either may get any share.
template <class A>
void choice_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                    bool largest, Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const auto& f = context.a.functions;
  for (std::size_t k = 0; k < 2; ++k)
    terms[k] = each_of(context, [&](std::int64_t i) {
      const T& g = dy.v[static_cast<std::size_t>(i)];
      const T apart = signed_as(T(context.at(k, i) - context.at(1 - k, i)), !largest);
      const T here = f.where_positive(apart, g, T(0));
      const T first = k == 0 ? g : T(0);
      const T tie = context.plan.first_of_ties ? first : f.between(g, T(0));
      T share = f.where_positive(apart, here, f.where_positive(T(-apart), here, tie));
      if constexpr (A::kErrors)
        share =
            select(is_finite(g.v) & is_finite(apart.v) & !apart.overflow, share, open_class(here));
      return share;
    });
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
