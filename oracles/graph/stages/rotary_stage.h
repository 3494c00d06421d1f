// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The place and the sign in x of the number of half(x) at place i: half(x) = (-x2, x1) of x1, x2.
struct Turned {
  std::size_t place;
  double sign;
};
inline Turned turned(std::size_t i, std::int64_t width) {
  const auto half = static_cast<std::size_t>(width / 2);
  const std::size_t within = i % static_cast<std::size_t>(width);
  return within < half ? Turned{i + half, -1} : Turned{i - half, 1};
}

/// x cos + half(x) sin: three operators in LibTorch (Su et al. 2021, arXiv:2104.09864).
template <class A>
Field<typename A::Scalar> rotary_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  Field<T> out;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Turned half = turned(i, context.s.groups.length);
    const T& other = context.in[0]->v[half.place];
    out.v.push_back(context.a.stored(T(context.at(0, at) * context.at(1, at))) +
                    context.a.stored(T((other * T(half.sign)) * context.at(2, at))));
  }
  return out;
}

/// Half of half is the opposite: the adjoint of half(.) is -half(.).
template <class A>
void rotary_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                    Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Turned half = turned(i, context.s.groups.length);
    const auto other = static_cast<std::int64_t>(half.place);
    const T back = context.a.stored(T(dy.v[half.place] * context.at(2, other)));
    terms[0].v.push_back(context.a.stored(T(dy.v[i] * context.at(1, at))) + back * T(-half.sign));
    terms[1].v.push_back(dy.v[i] * context.at(0, at));
    terms[2].v.push_back(dy.v[i] * (context.in[0]->v[half.place] * T(half.sign)));
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
