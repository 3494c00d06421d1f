// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/functions/quotient.h"
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/function_rule.h"
#include "oracles/graph/stages/poles.h"

/// Quotients by the second operand of a step, in the forms of FormPart::division.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// by / other, or the product with its reciprocal.
template <class A>
typename A::Scalar over(const StepContext<A>& context, const typename A::Scalar& by,
                        std::int64_t i) {
  using T = typename A::Scalar;
  const T& other = context.at(1, i);
  const auto quotient = [&](const T& q) { return quotient_of(context.a.functions, q); };
  const auto exact = [&] {  // a number of the text that nobody rounds may be 0
    const bool is_number = context.s.operands[1] < 0 && !context.a.rounds_literals();
    return is_number ? T(by / context.s.numbers[1]) : T(by / other);
  };
  const T either = over_forms<A>(
      context.forms(FormPart::division), [&] { return quotient(exact()); },
      [&] { return by * quotient(T(T(1) / other)); });
  return context.s.operands[1] < 0 ? either : settled_quotient(context, 1, by, other, either);
}

/// by / other^2, as two quotients or by the reciprocal of either.
template <class A>
typename A::Scalar over_square(const StepContext<A>& context, const typename A::Scalar& by,
                               const typename A::Scalar& other) {
  using T = typename A::Scalar;
  const auto quotient = [&](const T& of, const T& divisor) {
    return context.a.stored(quotient_of(context.a.functions, T(of / divisor)));
  };
  return over_forms<A>(
      context.forms(FormPart::division), [&] { return quotient(quotient(by, other), other); },
      [&] {
        const T inverse = quotient(T(1), other);
        return widened(T(context.a.stored(T(by * inverse)) * inverse),
                       T(by * context.a.stored(T(inverse * inverse))));
      });
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
