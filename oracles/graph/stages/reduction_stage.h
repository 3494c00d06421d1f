// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/field.h"

namespace gradproof {

inline std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The sums of the numbers that each element of a shape of `count` stands for; of `length` each.
template <class A>
std::vector<typename A::Sum> sums_by(const std::vector<typename A::Scalar>& terms,
                                     const IndexMap& map, std::int64_t count) {
  std::vector<typename A::Sum> sums(place(count));
  for (std::size_t i = 0; i < terms.size(); ++i) sums[place(map[i])].add(terms[i]);
  return sums;
}

template <class A>
Field<typename A::Scalar> results_of(const std::vector<typename A::Sum>& sums,
                                     std::int64_t length) {
  Field<typename A::Scalar> out;
  for (const auto& sum : sums) out.v.push_back(sum.sum(std::max<std::int64_t>(length - 1, 0)));
  return out;
}

/// Which of some numbers may be the largest, and whether it is sure which one is. Of a truth: those
/// that equal the largest.
struct Contenders {
  std::vector<std::int64_t> places;
  bool tied = false;  ///< several are equal
  bool open = false;  ///< some are not finite, or may not be: anything is right
};

template <class A, class Numbers>
Contenders contenders(const Numbers& number, std::int64_t count) {
  using T = typename A::Scalar;
  Contenders found;
  std::int64_t first = 0;  // of those that are the largest as far as the numbers say
  for (std::int64_t i = 1; i < count; ++i)
    if constexpr (A::kErrors) {
      if (number(i).v > number(first).v) first = i;
    } else {
      if (number(first) < number(i)) first = i;
    }
  const T& largest = number(first);
  if constexpr (A::kErrors)
    for (std::int64_t i = 0; i < count; ++i)
      found.open = found.open || !std::isfinite(number(i).v) || number(i).overflow;
  for (std::int64_t i = 0; i < count; ++i) {
    const T& other = number(i);
    if constexpr (A::kErrors) {
      if (other.v + other.total() >= largest.v - largest.total() || !(other.v == other.v))
        found.places.push_back(i);
    } else if (!(other < largest)) {
      found.places.push_back(i);
    }
  }
  found.tied = found.places.size() > 1;
  return found;
}

/// |max(x + e) - max x| is at most the largest error of those that may be the largest.
template <class A, class Numbers>
typename A::Scalar largest_of(const A& a, const Numbers& number, std::int64_t count) {
  auto best = number(0);
  for (std::int64_t i = 1; i < count; ++i) best = a.functions.max(best, number(i));
  return best;
}

/// Anything is right.
template <class T>
T open_class(T of) {
  if constexpr (requires { of.vacuous; }) of.vacuous = of.overflow = true;
  return of;
}

/// The share of g that a contender gets: all where nobody else may be the largest, any at a tie.
template <class A>
typename A::Scalar share_of(const A& a, const typename A::Scalar& g, bool contends, bool tied) {
  using T = typename A::Scalar;
  if (!contends) {
    // LibTorch multiplies by a mask: 0 times what is not finite may be NaN.
    T none(0);
    if constexpr (A::kErrors) none.overflow = g.overflow || !std::isfinite(g.v);
    return none;
  }
  if (!tied) return g;
  T share = a.functions.between(g, T(0));
  if constexpr (A::kErrors) share.e = std::abs(g.v) + g.total();
  return share;
}

/// The elements of one group, as places in the operand.
inline std::vector<std::vector<std::int64_t>> members_of(const Grouping& groups) {
  std::vector<std::vector<std::int64_t>> members(place(groups.count));
  for (std::size_t i = 0; i < groups.of.size(); ++i)
    members[place(groups.of[i])].push_back(static_cast<std::int64_t>(i));
  return members;
}

template <class A>
Field<typename A::Scalar> extreme_value(const StepContext<A>& context, double sign) {
  using T = typename A::Scalar;
  Field<T> out;
  out.owner = context.in[0]->owner;
  for (const auto& group : members_of(context.s.groups)) {
    const auto number = [&](std::int64_t k) { return T(context.at(0, group[place(k)]) * T(sign)); };
    out.v.push_back(largest_of(context.a, number, std::ssize(group)) * T(sign));
  }
  return out;
}

template <class A>
Field<typename A::Scalar> extreme_adjoint(const StepContext<A>& context,
                                          const Field<typename A::Scalar>& dy, double sign) {
  using T = typename A::Scalar;
  Field<T> out;
  out.v.resize(context.size(), T(0));
  std::size_t k = 0;
  for (const auto& group : members_of(context.s.groups)) {
    std::vector<T> numbers;
    for (const std::int64_t i : group) numbers.push_back(context.at(0, i) * T(sign));
    const auto found = contenders<A>([&](std::int64_t i) -> const T& { return numbers[place(i)]; },
                                     std::ssize(numbers));
    for (const std::int64_t i : group) out.v[place(i)] = share_of(context.a, dy.v[k], false, false);
    for (const std::int64_t i : found.places)
      out.v[place(group[place(i)])] = share_of(context.a, dy.v[k], true, found.tied);
    if constexpr (A::kErrors)
      if (found.open)
        for (const std::int64_t i : group) out.v[place(i)] = open_class(out.v[place(i)]);
    ++k;
  }
  return out;
}

/// A number that the exact result does not depend on: its value alone.
template <class A>
typename A::Scalar exact_of(const typename A::Scalar& x) {
  if constexpr (A::kErrors)
    return typename A::Scalar(x.v);
  else
    return x;
}

/// m + log sum exp(x - m): four operators in LibTorch, each stored. Whatever m is, it cancels.
template <class A>
Field<typename A::Scalar> logsumexp_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const A& a = context.a;
  Field<T> out;
  for (const auto& group : members_of(context.s.groups)) {
    const auto number = [&](std::int64_t k) { return context.at(0, group[place(k)]); };
    const T m = exact_of<A>(largest_of(a, number, std::ssize(group)));
    typename A::Sum sum;
    for (const std::int64_t i : group)
      sum.add(a.stored(a.functions.exp(a.stored(T(context.at(0, i) - m)))));
    out.v.push_back(a.stored(a.functions.log(a.stored(sum.sum(context.s.groups.length - 1)))) + m);
  }
  return out;
}

template <class A>
Field<typename A::Scalar> reduction_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const std::string& word = context.s.step->stage;
  if (word == "max") return extreme_value(context, 1);
  if (word == "min") return extreme_value(context, -1);
  if (word == "logsumexp") return logsumexp_value(context);
  Field<T> out =
      results_of<A>(sums_by<A>(context.in[0]->v, context.s.groups.of, context.s.groups.count),
                    context.s.groups.length);
  out.owner = context.in[0]->owner;
  if (word == "mean")
    for (T& v : out.v) v = v / static_cast<double>(context.s.groups.length);
  return out;
}

template <class A>
void reduction_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& y,
                       const Field<typename A::Scalar>& dy, Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const A& a = context.a;
  const std::string& word = context.s.step->stage;
  if (word == "max" || word == "min") {
    terms[0] = extreme_adjoint(context, dy, word == "max" ? 1 : -1);
    return;
  }
  const auto length = static_cast<double>(context.s.groups.length);
  terms[0].owner = dy.owner;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const std::size_t group = place(context.s.groups.of[i]);
    const T& g = dy.v[group];
    if (word == "sum") {
      terms[0].v.push_back(g);
    } else if (word == "mean") {
      terms[0].v.push_back(g / length);
    } else {
      const T apart = context.at(0, static_cast<std::int64_t>(i)) - a.stored(y.v[group]);
      terms[0].v.push_back(g * a.stored(a.functions.exp(a.stored(apart))));
    }
  }
}

}  // namespace gradproof
