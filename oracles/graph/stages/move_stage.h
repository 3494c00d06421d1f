// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/graph/axes/moves.h"
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/known_infinities.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The numbers that a move takes of its operands; `chosen` has those that labels choose.
inline std::span<const MovedNumbers> moved_of(const PlanStep& s, const MovedNumbers& chosen) {
  return s.row->takes_labels() ? std::span(&chosen, 1) : std::span(s.moved);
}

/// The number at each place of `from`, and `none` where there is none.
template <class T>
Field<T> numbers_at(const IndexMap& from, const Field<T>& numbers, const T& none = T(0)) {
  Field<T> out;
  out.v = numbers_by<T>(std::ssize(from), [&](std::int64_t i) {
    const std::int32_t at = from[place(i)];
    return at >= 0 ? numbers.v[place(at)] : none;
  });
  return out;
}

/// The sums of the numbers that come to each place: one alone is itself, and a place that none
/// comes to has 0. LibTorch adds them in the storage type, each to what is there.
template <class A>
Field<typename A::Scalar> sums_at(const A& a, const PlanStep& s, const MovedNumbers& moved,
                                  const Field<typename A::Scalar>& numbers, const SumOrder& order) {
  using T = typename A::Scalar;
  std::vector<typename A::Sum> sums(moved.uses.size(), a.new_sum());
  std::vector<T> alone(moved.uses.size(), T(0));
  for (std::size_t i = 0; i < numbers.v.size(); ++i) {
    if (moved.from[i] < 0) continue;
    const std::size_t to = place(moved.from[i]);
    T number = numbers.v[i];
    // Code that adds numbers to zeros may flush one that comes alone.
    if constexpr (A::kErrors)
      if (s.row->takes_labels()) number = number.read();
    if (moved.uses[to] == 1) {
      alone[to] = number;
      continue;
    }
    if constexpr (A::kErrors)
      number = a.in_stored_sum(number, s.step->stage, StoredPart::overlapping_sums, moved.uses[to]);
    sums[to].add(number);
  }
  Field<T> out;
  out.v = numbers_by<T>(std::ssize(moved.uses), [&](std::int64_t i) {
    const int uses = moved.uses[place(i)];
    return uses > 1 ? T(sums[place(i)].sum(order.chain_of(uses))) : alone[place(i)];
  });
  return out;
}

/// The number where a move takes none. One of the text is rounded to the storage type, in which
/// nothing else of a move is rounded.
template <class A>
typename A::Scalar fill_of(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const double number = fill_of_move(*context.s.step);
  const T exact(context.plan.scalar(number));
  if (number == 0 || std::isinf(number)) return exact;
  return context.a.value_read(exact, context.s.step->value);
}

/// A move gives each element of its value a number of one operand, or 0: nothing is rounded. A put
/// adds up those that come to one place, and a count is the number of labels.
template <class A>
Field<typename A::Scalar> moved_value(const StepContext<A>& context, const MovedNumbers& chosen) {
  using T = typename A::Scalar;
  const PlanStep& s = context.s;
  if (s.row->labels() == 0) {
    Field<T> count;
    count.v.push_back(T(static_cast<double>(chosen.from.size())));
    return count;
  }
  if (s.row->move.adds) {
    const SumOrder& order = context.contract.order(SumRole::value);
    return sums_at(context.a, s, chosen, *context.in[0], order);
  }
  const auto moved = moved_of(s, chosen);
  Field<T> out = numbers_at(moved[0].from, *context.in[0], fill_of<A>(context));
  for (std::size_t k = 1; k < moved.size(); ++k)
    for (std::size_t i = 0; i < out.v.size(); ++i)
      if (const std::int32_t from = moved[k].from[i]; from >= 0)
        out.v[i] = context.in[k]->v[place(from)];
  out.is_given = true;
  for (std::size_t k = 0; k < moved.size(); ++k)
    out.is_given = out.is_given && has_known_infinities(*context.in[k]);
  return out;
}

/// The gradient of a move's operand, the move of the cotangent back.
template <class A>
Field<typename A::Scalar> moved_gradient(const A& a, const PlanStep& s, const MovedNumbers& moved,
                                         const Field<typename A::Scalar>& dy,
                                         const SumOrder& order) {
  using T = typename A::Scalar;
  Field<T> gradient =
      s.row->move.adds ? numbers_at(moved.from, dy) : sums_at(a, s, moved, dy, order);
  gradient.is_stored = std::ranges::none_of(moved.uses, [](int uses) { return uses > 1; });
  return gradient;
}

/// Gives each operand of a move its gradient: `to` accumulates them.
template <class A, class Cotangents>
void give_moved(const StepContext<A>& context, const MovedNumbers& chosen,
                Field<typename A::Scalar>& dy, Cotangents& to) {
  if (context.s.row->detached) return;
  fold<A>(dy);
  const SumOrder& order = context.contract.order(SumRole::parameters);
  const auto moved = moved_of(context.s, chosen);
  for (std::size_t o = 0; o < moved.size(); ++o)
    to.accumulate(context.s.operands[o], moved_gradient(context.a, context.s, moved[o], dy, order));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
