// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/graph/contract/step_contract.h"
#include "oracles/arithmetic/lanes.h"
#include "oracles/graph/plan.h"
#include "oracles/graph/truth_arithmetic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// No step's errors are shared by a field's elements.
inline constexpr int kNobody = -1;

/// The type that a T is estimated in: double, of packs a Pack.
template <class T>
using EstimateOf = std::conditional_t<kLanesOf<T> == 1, double, Pack>;

/// The numbers of one tensor or value in a block, and the step whose statistics and sums the shared
/// errors of its elements are.
template <class T>
struct Field {
  std::vector<T> v;
  int owner = kNobody;

  bool empty() const { return v.empty(); }
};

/// A value's numbers, which stand one after the other.
template <class T>
Field<T> field_of(const PlanValue& value, const double* numbers) {
  Field<T> field;
  field.v.reserve(static_cast<std::size_t>(value.count));
  for (std::int64_t i = 0; i < value.count; ++i) field.v.push_back(T(numbers[i]));
  return field;
}

/// A norm's statistics by group and xhat by element.
template <class T>
struct Normalised {
  std::vector<GroupStatistics<T>> statistics = {};
  std::vector<T> xhat = {};
};

/// What a runner keeps of its steps, so that nothing is computed twice.
template <class A>
struct StepMemory {
  /// Of the groups that a step takes statistics of, for all steps that take some of the same.
  std::vector<typename A::Moments> moments = {};
  /// What a norm's value leaves to its adjoint; empty: nothing.
  Normalised<typename A::Scalar> normalised = {};
  /// A norm's statistics by group, those that were asked for last.
  std::vector<GroupStatistics<typename A::Scalar>> statistics = {};
  /// What a norm takes in place of its own statistics, by group; empty: nothing.
  std::vector<GroupStatistics<typename A::Scalar>> given = {};
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
  const StepContract& contract;
  std::vector<StepMemory<A>>& memory;  ///< by step
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
  /// The longest chain of inexact additions in a sum of so many numbers.
  std::int64_t chain_of(SumRole role, std::int64_t length) const {
    return contract.order(role).chain_of(length);
  }
};

/// The step whose errors the operands' elements share.
template <class A>
int owner_of(const StepContext<A>& context) {
  for (const auto* field : context.in)
    if (field != nullptr && field->owner != kNobody) return field->owner;
  return kNobody;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
