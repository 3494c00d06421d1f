// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/graph/stages/exponentials.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Code that differentiates m too, as autograd does of exp(x - amax(x)), adds the gradient of m at
/// the largest number of a group: `passed`, which m has without exponentials, less the sum of all
/// terms. That is 0 but for their errors and the roundings of the sum, of the whole group. `number`
/// and `term` are called with places in the group. A number that may be the largest counts as it;
/// numbers that are tied share what is counted whole here.
template <class A, class Number, class Term>
void follow_maximum(const StepContext<A>& context, const Number& number, const Term& term,
                    const typename A::Scalar& passed) {
  if constexpr (A::kErrors) {
    using T = typename A::Scalar;
    using V = EstimateOf<T>;
    constexpr int kFollowed = 1;
    if (!context.forms(FormPart::maximum_gradient).has(kFollowed)) return;
    const std::int64_t length = context.s.groups.length;
    typename A::Sum sum = context.a.new_sum();
    sum.add(T(-passed));
    V at_least = -std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < length; ++k) {
      sum.add(term(k));
      at_least = max(at_least, V(number(k).v - number(k).total()));
    }
    const T back = context.a.stored(sum.sum(context.chain_of(SumRole::gradients, length + 1)));
    for (std::int64_t k = 0; k < length; ++k) {
      const MaskOf<T> is_lower = number(k).v + number(k).total() < at_least;
      if (all(is_lower)) continue;
      T& alone = term(k);
      T together = context.a.stored(alone) + back;
      together.v = alone.v;
      alone = select(is_lower, alone, widened(alone, together));
    }
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
