// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/field.h"

/// Divisions by 0. All code computes the same infinity, or NaN, from a 0 whose sign is known; the
/// sign of a computed 0, and of the infinity, depends on the way of computing it.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True if the k-th operand is a number of the text or a tensor that no step made.
template <class A>
bool is_given(const StepContext<A>& context, std::size_t k) {
  const int operand = context.s.operands[k];
  return operand < 0 || !context.plan.is_made(operand);
}

/// True where every computation gives exactly this number.
template <class T, class V>
MaskOf<T> is_exactly(const T& x, const V& number) {
  return (x.v == V(number)) & (x.total() == V(0)) & MaskOf<T>(!(x.vacuous | x.overflow));
}

/// Clears the flags where the class of a number is known after all.
template <class T>
void settle_class(T& number, const MaskOf<T>& where) {
  number.vacuous = number.vacuous & MaskOf<T>(!where);
  number.overflow = number.overflow & MaskOf<T>(!where);
}

/// by / other, `other` being the k-th operand: 0/0 is NaN for all signs.
template <class A, class T>
T settled_quotient(const StepContext<A>& context, std::size_t k, const T& by, const T& other,
                   T quotient) {
  if constexpr (A::kErrors) {
    using V = EstimateOf<T>;
    const MaskOf<T> at_pole = is_exactly(other, V(0));
    if (!any(at_pole)) [[likely]]
      return quotient;
    const MaskOf<T> has_sign(is_inf(by.v) | MaskOf<T>(!by.may_be_zero()));
    const MaskOf<T> is_known = has_sign & MaskOf<T>(!(by.vacuous | by.overflow));
    const MaskOf<T> none = is_nan(by.v) | is_exactly(by, V(0));
    settle_class(quotient, at_pole & is_known & (none | MaskOf<T>(is_given(context, k))));
  }
  return quotient;
}

/// Settles f'(x) where the domain of f begins, as 1/x of the logarithm at 0. A root of -0 is -0,
/// but its slope as a power of x is positive there.
template <class Function, class A, class T>
void settle_slope(const StepContext<A>& context, const T& x, T& slope) {
  if constexpr (A::kErrors && requires { Function::kDefinedFrom; }) {
    using V = EstimateOf<T>;
    MaskOf<T> at_pole = is_exactly(x, V(Function::kDefinedFrom));
    if (!any(at_pole) || !is_given(context, 0)) [[likely]]
      return;
    if constexpr (requires { Function::kFromValue; }) at_pole = at_pole & (V(1) / x.v > V(0));
    settle_class(slope, at_pole);
  }
}

/// Adds the underflow of dy times a half, which some adjoints take first, to r = dy f'(x): the
/// other factor has twice the size of `slope`, f'(x).
template <class A, class Function>
void add_halved(const A& a, const Function&, const typename A::Scalar& slope,
                typename A::Scalar& r) {
  if constexpr (A::kErrors && requires { Function::kHalvesFirst; }) {
    const EstimateOf<typename A::Scalar> size = slope.reach();
    const double least = a.functions.storage().underflow + A::underflow();
    r.e += select(is_finite(size), decltype(size)(2 * least * size), decltype(size)(0));
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
