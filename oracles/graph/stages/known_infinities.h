// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/field.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True if every infinity of a sum of two operands is one of a given operand's, and the other
/// operand's number is known or such an infinity too: a mask of -Inf that is added to logits.
template <class A>
bool has_known_infinities(const StepContext<A>& context, const Field<typename A::Scalar>& sum) {
  using T = typename A::Scalar;
  if constexpr (!A::kErrors && requires(const T& t) { t.radius; }) {
    const auto given = [](const Field<T>* f) { return f != nullptr && f->is_given; };
    if (!given(context.in[0]) && !given(context.in[1])) return false;
    const auto is_known = [&](std::size_t k, std::int64_t i) {
      const T& number = context.at(k, i);
      return MaskOf<T>(number.decided() | (is_inf(number.hi) & MaskOf<T>(given(context.in[k]))));
    };
    for (std::size_t i = 0; i < sum.v.size(); ++i) {
      const MaskOf<T> open = is_inf(sum.v[i].hi) & MaskOf<T>(!sum.v[i].decided());
      if (!any(open)) [[likely]]
        continue;
      const auto at = static_cast<std::int64_t>(i);
      const MaskOf<T> infinite = is_inf(context.at(0, at).hi) | is_inf(context.at(1, at).hi);
      if (any(open & !(infinite & is_known(0, at) & is_known(1, at)))) return false;
    }
    return true;
  }
  return false;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
