// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {

/// The operand's places below one element of a pool's value.
inline std::span<const std::int32_t> window_of(const PlanStep& s, std::size_t i) {
  const auto first = static_cast<std::size_t>(s.window_first[i]);
  return std::span(s.window).subspan(first,
                                     static_cast<std::size_t>(s.window_first[i + 1]) - first);
}

template <class A>
Field<typename A::Scalar> pool_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const PlanStep& s = context.s;
  Field<T> out;
  for (std::size_t i = 0; i + 1 < s.window_first.size(); ++i) {
    const auto window = window_of(s, i);
    const auto number = [&](std::int64_t k) -> const T& {
      return context.in[0]->v[place(window[place(k)])];
    };
    if (s.step->stage == "max_pool") {
      out.v.push_back(largest_of(context.a, number, std::ssize(window)));
      continue;
    }
    typename A::Sum sum;
    for (std::int64_t k = 0; k < std::ssize(window); ++k) sum.add(number(k));
    out.v.push_back(sum.sum(std::max<std::int64_t>(s.window_size - 1, 0)) /
                    static_cast<double>(s.window_size));
  }
  return out;
}

/// Windows may overlap: an element's gradient is the sum of what its windows give.
template <class A>
void pool_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                  Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const PlanStep& s = context.s;
  std::vector<typename A::Sum> sums(context.size());
  std::vector<std::int64_t> counts(context.size(), 0);
  std::vector<double> sizes(context.size(), 0);  ///< sum of the terms' sizes
  for (std::size_t i = 0; i + 1 < s.window_first.size(); ++i) {
    const auto window = window_of(s, i);
    const T g =
        s.step->stage == "max_pool" ? dy.v[i] : T(dy.v[i] / static_cast<double>(s.window_size));
    Contenders found;
    if (s.step->stage == "max_pool")
      found = contenders<A>(
          [&](std::int64_t k) -> const T& { return context.in[0]->v[place(window[place(k)])]; },
          std::ssize(window));
    if (s.step->stage != "max_pool" || found.open) {
      found.places.clear();
      for (std::int64_t k = 0; k < std::ssize(window); ++k) found.places.push_back(k);
    }
    for (const std::int64_t k : found.places) {
      T share = share_of(context.a, g, true, found.tied);
      if (found.open) share = open_class(share);
      sums[place(window[place(k)])].add(share);
      if constexpr (A::kErrors) sizes[place(window[place(k)])] += share.reach();
      ++counts[place(window[place(k)])];
    }
  }
  terms[0].v.clear();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t chain = std::max<std::int64_t>(counts[i] - 1, 0);
    terms[0].v.push_back(sums[i].sum(chain));
    if constexpr (A::kErrors)
      terms[0].v.back().e += context.a.growth_of_overlaps(s.step->stage, chain) * sizes[i];
  }
}

/// -mean of x[row, label].
template <class A>
Field<typename A::Scalar> nll_value(const StepContext<A>& context,
                                    const std::vector<std::int64_t>& chosen) {
  using T = typename A::Scalar;
  typename A::Sum sum;
  for (const std::int64_t i : chosen) sum.add(context.at(0, i));
  Field<T> out;
  out.v.push_back(-(sum.sum(std::max<std::int64_t>(std::ssize(chosen) - 1, 0)) /
                    static_cast<double>(chosen.size())));
  return out;
}

template <class A>
void nll_adjoint(const StepContext<A>& context, const std::vector<std::int64_t>& chosen,
                 const Field<typename A::Scalar>& dy, Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  terms[0].v.assign(context.size(), T(0));
  for (const std::int64_t i : chosen)
    terms[0].v[place(i)] = -(dy.v[0] / static_cast<double>(chosen.size()));
}

/// The place and the sign of what half(x) has where x has place i: (-x2, x1) of the halves x1, x2.
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

}  // namespace gradproof
