// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "oracles/graph/plan.h"

namespace gradproof {

/// No step's errors are shared by a field's elements.
inline constexpr int kNobody = -1;

/// The numbers of one tensor or value in a block, and the step whose statistics and sums the shared
/// errors of its elements are.
template <class T>
struct Field {
  std::vector<T> v;
  int owner = kNobody;

  bool empty() const { return v.empty(); }
};

/// What one step has before it: the arithmetic, its operands as they were stored, and where their
/// numbers lie.
template <class A>
struct StepContext {
  using T = typename A::Scalar;

  const A& a;
  const GraphPlan& plan;
  const PlanStep& s;
  int position = 0;  ///< of the step
  std::vector<const Field<T>*> in = {};
  std::vector<T> numbers = {};

  /// The k-th operand's number for an element of the step's space.
  const T& at(std::size_t k, std::int64_t i) const {
    if (s.operands[k] < 0) return numbers[k];
    const IndexMap& map = s.maps[k];
    const auto place = static_cast<std::size_t>(i);
    return in[k]->v[map.empty() ? place : static_cast<std::size_t>(map[place])];
  }
  bool has(std::size_t k) const { return k < s.operands.size(); }
  std::size_t size() const { return static_cast<std::size_t>(s.space); }
};

/// A number with the error of another form of the same where that is larger. A truth stays.
template <class T>
T widened(T into, const T& other) {
  if constexpr (requires { into.vacuous; }) {
    into.e += std::max(0.0, other.total() - into.total());
    into.vacuous = into.vacuous || other.vacuous;
    into.overflow = into.overflow || other.overflow;
  }
  return into;
}

/// What a step's adjoint gives: of each operand a term for each element of the space, summed where
/// several elements share the operand's; empty where nobody wants it.
template <class T>
using Terms = std::vector<Field<T>>;

/// Of an operand of the step that nobody shares errors in: those of a value before, folded.
template <class A>
Field<typename A::Scalar> folded_field(const Field<typename A::Scalar>& from) {
  Field<typename A::Scalar> r = from;
  if (r.owner != kNobody)
    for (auto& v : r.v) v = A::folded(v);
  r.owner = kNobody;
  return r;
}

}  // namespace gradproof
