// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <limits>

#include "oracles/graph/field.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Double-double knows no infinities: a sum with one has no meaning there. A given -Inf plus a
/// known number is one all the same, as where a mask is added to logits. Sets these numbers of a
/// sum or difference; returns true if it then has no other infinities (Field::is_given).
template <class A>
bool settle_infinities(const StepContext<A>& context, Field<typename A::Scalar>& sum) {
  using T = typename A::Scalar;
  if constexpr (!A::kErrors && requires(const T& t) { t.radius; }) {
    using V = EstimateOf<T>;
    const auto is_given = [&](std::size_t k) {
      return MaskOf<T>(context.in[k] != nullptr && context.in[k]->is_given);
    };
    const MaskOf<T> given[] = {is_given(0), is_given(1)};
    if (!any(given[0] | given[1])) return false;
    const V sign(context.s.row->operands[1].subtracted ? -1 : 1);
    bool has_others = false;
    for (std::size_t i = 0; i < sum.v.size(); ++i) {
      T& number = sum.v[i];
      if (all(number.decided())) [[likely]]
        continue;
      const T& a = context.at(0, static_cast<std::int64_t>(i));
      const T& b = context.at(1, static_cast<std::int64_t>(i));
      const MaskOf<T> first = is_inf(a.hi) & given[0];
      const MaskOf<T> second = is_inf(b.hi) & given[1];
      const V of_second = sign * b.hi;
      const MaskOf<T> known = (first & (b.decided() | (second & MaskOf<T>(a.hi == of_second)))) |
                              (second & a.decided());
      number.hi = select(known, select(first, a.hi, of_second), number.hi);
      has_others = has_others || any(is_inf(number.hi) & !known & !number.decided());
    }
    return !has_others;
  }
  return false;
}

/// True if an infinity among the numbers is one (Field::is_given), or none is there: a step that
/// only chooses among numbers, and puts infinities of the text beside them, keeps that.
template <class T>
bool has_known_infinities(const Field<T>& field) {
  if (field.is_given) return true;
  if constexpr (requires(const T& t) { t.radius; })
    return std::ranges::none_of(field.v, [](const T& t) { return any(is_inf(t.hi)); });
  return false;
}

/// True of a choice by a mask that is known between numbers with known infinities.
template <class A>
bool chooses_known_infinities(const StepContext<A>& context) {
  using T = typename A::Scalar;
  if constexpr (!A::kErrors && requires(const T& t) { t.radius; }) {
    const auto is_known = [&](std::size_t k) {
      return context.in[k] == nullptr || has_known_infinities(*context.in[k]);
    };
    const bool is_mask_known =
        context.in[0] != nullptr &&
        std::ranges::all_of(context.in[0]->v, [](const T& t) { return all(t.decided()); });
    return is_mask_known && is_known(1) && is_known(2);
  }
  return false;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
