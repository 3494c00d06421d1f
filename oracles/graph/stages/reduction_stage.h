// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/graph/stages/contenders.h"
#include "oracles/graph/stages/empty_rows.h"
#include "oracles/graph/stages/exponentials.h"
#include "oracles/graph/stages/maximum_gradient.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The term; `overflow` is set if the sum of `terms` such terms, added first, may leave the range.
template <class A>
typename A::Scalar added_first(typename A::Scalar term, std::int64_t terms) {
  if constexpr (A::kErrors) {
    const double many =
        static_cast<double>(terms) * (1 + 2 * static_cast<double>(terms) * A::unit());
    term.note_range(many * term.reach(), term.total(), [&] { return is_finite(term.v); });
  }
  return term;
}

[[gnu::always_inline]] inline std::size_t place(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// The sums of the numbers that each element of a shape of `count` stands for, each begun as
/// `none`. If `folds`, all errors of a number are independent of those of others.
template <class A>
std::vector<typename A::Sum> sums_by(const FieldNumbers<typename A::Scalar>& terms,
                                     const IndexMap& map, std::int64_t count,
                                     const typename A::Sum& none, bool folds) {
  std::vector<typename A::Sum> sums(place(count), none);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (A::kErrors && folds)
      sums[place(map[i])].add(A::folded(terms[i]));
    else
      sums[place(map[i])].add(terms[i]);
  return sums;
}

template <class A>
Field<typename A::Scalar> results_of(const std::vector<typename A::Sum>& sums, std::int64_t chain,
                                     const SumSettings& settings = {}) {
  Field<typename A::Scalar> out;
  out.v.reserve(sums.size());
  for (const auto& sum : sums) out.v.push_back(sum.sum(chain, settings));
  return out;
}

/// The number over n, by a division or a product with the reciprocal.
template <class A>
typename A::Scalar divided(const StepContext<A>& context, const typename A::Scalar& by, double n) {
  using T = typename A::Scalar;
  return over_forms<A>(
      context.forms(FormPart::division),
      [&] { return quotient_of(context.a.functions, T(by / n)); },
      [&] { return T(by * quotient_of(context.a.functions, T(T(1) / n))); });
}

/// Calls visit(k, group) for each group of a step, with the group's elements as places in the
/// operand.
template <class A, class Visit>
void each_group(const StepContext<A>& context, const Visit& visit) {
  const Grouping& groups = context.s.groups;
  for (std::int64_t k = 0; k < groups.count; ++k) visit(place(k), groups.members_of(k));
}

/// The memory that the runner keeps of a step.
template <class A>
StepMemory<A>& memory_of(const StepContext<A>& context, int position) {
  return context.memory[static_cast<std::size_t>(position)];
}

/// The number, or its negative if `negative`, without the rounding of a product.
template <class T>
T signed_as(const T& x, bool negative) {
  return negative ? T(-x) : x;
}

template <class A>
Field<typename A::Scalar> extreme_value(const StepContext<A>& context, bool smallest) {
  using T = typename A::Scalar;
  Field<T> out;
  out.owner = context.in[0]->owner;
  each_group(context, [&](std::size_t, const std::int32_t* group) {
    const auto number = [&](std::int64_t k) {
      return signed_as(context.at(0, group[k]), smallest);
    };
    const T largest = largest_of(context.a, number, context.s.groups.length);
    out.v.push_back(signed_as(largest, smallest));
  });
  return out;
}

template <class A>
Field<typename A::Scalar> extreme_adjoint(const StepContext<A>& context,
                                          const Field<typename A::Scalar>& dy, bool smallest) {
  using T = typename A::Scalar;
  Field<T> out;
  out.v.resize(context.size(), T(0));
  const std::int64_t length = context.s.groups.length;
  std::vector<T> numbers(place(length), T(0));
  each_group(context, [&](std::size_t k, const std::int32_t* group) {
    for (std::int64_t i = 0; i < length; ++i)
      numbers[place(i)] = signed_as(context.at(0, group[i]), smallest);
    const Contenders<A> found([&](std::int64_t i) -> const T& { return numbers[place(i)]; }, length,
                              context.plan.first_of_ties);
    typename Contenders<A>::InOrder order(found);
    const T share = share_of(context.a, dy.v[k], found.tied());
    const T none = masked_out<A>(dy.v[k]);
    for (std::int64_t i = 0; i < length; ++i) {
      T& to = out.v[place(group[i])];
      to = found.settled(select(order.has(numbers[place(i)]), share, none));
      if constexpr (A::kErrors) open_class_where(found.open(), to);
    }
  });
  return out;
}

/// The value of a number without its error, as the exact result does not depend on it.
template <class A>
typename A::Scalar exact_of(const typename A::Scalar& x) {
  if constexpr (A::kErrors)
    return typename A::Scalar(x.v);
  else
    return x;
}

/// (m L + log2 sum) ln 2, L = log2 e: both logarithms and their sum are rounded at the size of m,
/// and L and ln 2 are rounded to half an ulp.
template <class A>
typename A::Scalar by_base2(const A& a, const typename A::Scalar& logarithm,
                            const typename A::Scalar& m) {
  typename A::Scalar sum = logarithm + m;
  if constexpr (A::kErrors) {
    const auto off = 3 * a.unit() * (m.reach() + logarithm.reach() + sum.reach());
    sum.e += select(is_finite(sum.v), EstimateOf<typename A::Scalar>(off),
                    EstimateOf<typename A::Scalar>(0));
  }
  return sum;
}

/// m + log sum exp(x - m): four operators in LibTorch, each stored. Every m cancels in the exact
/// result; if the largest number is not finite, m is 0.
template <class A>
Field<typename A::Scalar> logsumexp_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const A& a = context.a;
  const std::int64_t length = context.s.groups.length;
  const EmptyGroups<A> groups(context);
  const auto stored = [&](const T& v) { return a.stored(v); };
  Field<T> out;
  each_group(context, [&](std::size_t, const std::int32_t* group) {
    const auto number = [&](std::int64_t k) { return context.at(0, group[k]); };
    const bool given = context.in[0]->is_given;
    const auto candidate = [&](std::int64_t k) { return unmasked(T(number(k)), given); };
    const T largest = exact_of<A>(largest_of(a, candidate, length));
    const T m = select(is_known_finite(largest), largest, T(0));
    const Exponentials<A> found(context, number, m, stored);
    const auto logarithm = [&](const T& sum) { return a.stored(a.functions.log(a.stored(sum))); };
    out.v.push_back(over_forms<A>(
        context.forms(FormPart::maximum), [&] { return logarithm(found.sum()) + m; },
        [&] { return logarithm(found.online_sum()) + m; },
        [&] { return logarithm(found.unsubtracted_sum()); },
        [&] { return by_base2(a, logarithm(found.base2_sum()), m); }));
    if (groups.are_settled())
      out.v.back() = groups.settled(groups.is_empty(number, length), out.v.back());
  });
  return out;
}

template <class A>
Field<typename A::Scalar> reduction_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const std::string& word = context.s.step->stage;
  if (word == "max" || word == "min") return extreme_value(context, word == "min");
  if (word == "logsumexp") return logsumexp_value(context);
  Field<T> out = results_of<A>(sums_by<A>(context.in[0]->v, context.s.groups.of,
                                          context.s.groups.count, context.a.new_sum(), false),
                               context.chain_of(SumRole::value, context.s.groups.length));
  out.owner = context.in[0]->owner;
  if (word == "mean")
    for (T& v : out.v) v = divided(context, v, static_cast<double>(context.s.groups.length));
  return out;
}

/// The terms of dx: dy exp(x - y).
template <class A>
void logsumexp_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& y,
                       const Field<typename A::Scalar>& dy, Field<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const A& a = context.a;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const std::size_t group = place(context.s.groups.of[i]);
    const T& x = context.at(0, static_cast<std::int64_t>(i));
    const T of_group = a.value_read(y.v[group], context.s.step->value);
    const T apart =
        low_or_open(a.stored(T(x - of_group)), MaskOf<T>(is_open(x) | is_open(of_group)));
    T power = power_of(T(a.stored(a.functions.exp(apart))), x, context.in[0]->is_given);
    if constexpr (A::kErrors)
      if (context.forms(FormPart::maximum).has(Exponentials<A>::kBase2))
        power = Exponentials<A>::by_base2(a, power, x, y.v[group]);
    terms.v.push_back(dy.v[group] * power);
  }
  const EmptyGroups<A> groups(context);
  each_group(context, [&](std::size_t k, const std::int32_t* group) {
    const auto number = [&](std::int64_t i) -> const T& { return context.at(0, group[i]); };
    const auto term = [&](std::int64_t i) -> T& { return terms.v[place(group[i])]; };
    follow_maximum(context, number, term, dy.v[k]);
    if (groups.are_settled()) groups.settle(number, term, context.s.groups.length);
  });
}

template <class A>
void reduction_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& y,
                       const Field<typename A::Scalar>& dy, Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const std::string& word = context.s.step->stage;
  if (word == "max" || word == "min") {
    terms[0] = extreme_adjoint(context, dy, word == "min");
    return;
  }
  terms[0].owner = dy.owner;
  terms[0].v.reserve(context.size());
  if (word == "logsumexp") return logsumexp_adjoint(context, y, dy, terms[0]);
  const auto length = static_cast<double>(context.s.groups.length);
  for (std::size_t i = 0; i < context.size(); ++i) {
    const T& g = dy.v[place(context.s.groups.of[i])];
    terms[0].v.push_back(word == "sum" ? g : divided(context, g, length));
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
