// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/graph/contract/step_contract.h"
#include "core/recycled_memory.h"
#include "oracles/arithmetic/lanes.h"
#include "oracles/graph/plan/plan.h"
#include "oracles/graph/truth_arithmetic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The type that a T is estimated in: double, or Pack for a T of packs.
template <class T>
using EstimateOf = std::conditional_t<kLanesOf<T> == 1, double, Pack>;

/// Leaves new numbers as the memory was: all of them are written before one is read, and an
/// ErrorScalar of eight lanes has half a kilobyte. Short arrays of packs are
/// recycled.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  T* allocate(std::size_t count) {
    if (!is_recycled(count)) return std::allocator<T>::allocate(count);
    return static_cast<T*>(take_recycled(count * sizeof(T)));
  }
  void deallocate(T* at, std::size_t count) {
    if (!is_recycled(count)) return std::allocator<T>::deallocate(at, count);
    recycle(at, count * sizeof(T));
  }
  /// True for short arrays of packs: an allocator is slow to find memory of their alignment.
  static bool is_recycled(std::size_t count) {
    static_assert(alignof(T) <= kRecycledAlignment);
    return alignof(T) > alignof(std::max_align_t) && count * sizeof(T) <= kRecycledBytes;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) > 0 || !std::is_trivially_destructible_v<U>)
      ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};
template <class T>
using FieldNumbers = std::vector<T, UnsetAllocator<T>>;

/// The numbers make(0), make(1), ..., each constructed in its final place.
template <class T, class Make>
[[gnu::always_inline]] inline FieldNumbers<T> numbers_by(std::int64_t count, const Make& make) {
  FieldNumbers<T> all(static_cast<std::size_t>(count));
  T* at = all.data();
  for (std::int64_t i = 0; i < count; ++i, ++at)
    if constexpr (std::is_trivially_destructible_v<T>)
      ::new (static_cast<void*>(at)) T(make(i));
    else
      *at = make(i);
  return all;
}

/// The numbers of one tensor or value in a block, and the step whose statistics and sums cause the
/// shared errors of its elements.
template <class T>
struct Field {
  FieldNumbers<T> v;
  int owner = kNobody;
  /// An infinity among the numbers is one: they are an input, or sums of given numbers and of known
  /// ones.
  bool is_given = false;
  /// Numbers of a cotangent that a step has moved as they were stored.
  bool is_stored = false;
  /// The summands in which code may hand on a term of a gradient, and by element the sum of their
  /// sizes; none for a single one.
  int summands = 1;
  FieldNumbers<EstimateOf<T>> sizes = {};

  bool empty() const { return v.empty(); }
};

/// A value's numbers, which stand one after the other.
template <class T>
Field<T> field_of(const PlanValue& value, const double* numbers) {
  return {numbers_by<T>(value.count, [&](std::int64_t i) { return T(numbers[i]); })};
}

/// A norm's statistics by group and xhat by element.
template <class T>
struct Normalised {
  std::vector<GroupStatistics<T>> statistics = {};
  FieldNumbers<T> xhat = {};
};

/// The logistic of a number; in an error arithmetic the estimate in double.
template <class A>
using SavedLogistic =
    Logistic<std::conditional_t<A::kErrors, EstimateOf<typename A::Scalar>, typename A::Scalar>>;

/// The numbers that a runner keeps of a step, so that nothing is computed twice.
template <class A>
struct StepMemory {
  /// The moments of the groups that a step takes statistics of, shared by all steps that group the
  /// same operand alike.
  std::vector<typename A::Moments> moments = {};
  /// The statistics and xhat that a norm's value leaves to its adjoint; empty if none.
  Normalised<typename A::Scalar> normalised = {};
  /// A norm's statistics by group, those that were asked for last.
  std::vector<GroupStatistics<typename A::Scalar>> statistics = {};
  /// The statistics that a norm takes in place of its own, by group; empty if none are given.
  std::vector<GroupStatistics<typename A::Scalar>> given = {};
  /// The logistic of an elementwise step's operand by element, for functions that take one
  /// (FromLogistic); empty if the value was not computed.
  FieldNumbers<SavedLogistic<A>> logistics = {};

  /// Clears all but the given statistics.
  void clear() {
    moments.clear();
    normalised = {};
    statistics.clear();
    logistics.clear();
  }
};

/// The inputs of one step: the arithmetic, its operands as they were stored, and the places of
/// their numbers.
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
  mutable FormSet known_forms[kFormParts] = {};  ///< without forms: not asked for yet

  /// The k-th operand's number for an element of the step's space.
  const T& at(std::size_t k, std::int64_t i) const {
    if (s.operands[k] < 0) return numbers[k];
    const IndexMap& map = s.maps[k];
    const auto place = static_cast<std::size_t>(i);
    return in[k]->v[map.empty() ? place : static_cast<std::size_t>(map[place])];
  }
  bool has(std::size_t k) const { return k < s.operands.size(); }
  /// The forms that the part may have here; found by names once, asked for each element.
  FormSet forms(FormPart part) const {
    FormSet& known = known_forms[static_cast<int>(part)];
    if (known.bits == 0) known = contract.of(part, s.step->stage);
    return known;
  }
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
