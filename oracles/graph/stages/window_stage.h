// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The operand's places below one element of a pool's value.
class Window {
 public:
  Window(const PlanStep& s, std::size_t i)
      : first_(s.window.data() + s.window_first[i]),
        length_(s.window_first[i + 1] - s.window_first[i]) {}
  std::int64_t length() const { return length_; }
  std::size_t operator[](std::int64_t k) const { return place(first_[k]); }

 private:
  const std::int32_t* first_;
  std::int64_t length_;
};

template <class A>
Field<typename A::Scalar> pool_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const PlanStep& s = context.s;
  const bool largest = s.step->stage == "max_pool";
  Field<T> out;
  for (std::size_t i = 0; i + 1 < s.window_first.size(); ++i) {
    const Window window(s, i);
    const auto number = [&](std::int64_t k) -> const T& { return context.in[0]->v[window[k]]; };
    if (largest) {
      out.v.push_back(largest_of(context.a, number, window.length()));
      continue;
    }
    typename A::Sum sum = context.a.new_sum();
    for (std::int64_t k = 0; k < window.length(); ++k) sum.add(number(k));
    out.v.push_back(divided(context, sum.sum(context.chain_of(SumRole::value, s.window_size)),
                            static_cast<double>(s.window_size)));
  }
  return out;
}

/// The sum of the terms that several windows give one element.
template <class A>
struct Overlap {
  using T = typename A::Scalar;

  typename A::Sum sum;
  EstimateOf<T> size = 0;   ///< sum of the terms' sizes
  EstimateOf<T> count = 0;  ///< of the terms
  int windows = 0;          ///< that the element lies in

  /// `term` is 0 where it is not `here`.
  void add(const T& term, const MaskOf<T>& here) {
    using V = EstimateOf<T>;
    sum.add(term);
    count += select(here, V(1), V(0));
    if constexpr (A::kErrors) size += select(here, term.reach(), V(0));
  }
};

/// Counts each element's windows; no term is added yet.
template <class A>
std::vector<Overlap<A>> overlaps_of(const StepContext<A>& context) {
  std::vector<Overlap<A>> overlaps(context.size());
  for (std::size_t i = 0; i + 1 < context.s.window_first.size(); ++i) {
    const Window window(context.s, i);
    for (std::int64_t k = 0; k < window.length(); ++k) ++overlaps[window[k]].windows;
  }
  return overlaps;
}

/// Windows may overlap: an element's gradient is the sum of its windows' terms.
template <class A>
void pool_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                  Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const PlanStep& s = context.s;
  const bool largest = s.step->stage == "max_pool";
  std::vector<Overlap<A>> overlaps = overlaps_of(context);
  for (std::size_t i = 0; i + 1 < s.window_first.size(); ++i) {
    const Window window(s, i);
    if (!largest) {
      const T g = divided(context, dy.v[i], static_cast<double>(s.window_size));
      const T kept = context.a.stored_part(g, s.step->stage, StoredPart::overlapping_sums);
      for (std::int64_t k = 0; k < window.length(); ++k) {
        Overlap<A>& overlap = overlaps[window[k]];
        overlap.add(overlap.windows > 1 ? kept : g, true);
      }
      continue;
    }
    const auto number = [&](std::int64_t k) -> const T& { return context.in[0]->v[window[k]]; };
    const Contenders<A> found(number, window.length(), context.plan.first_of_ties);
    typename Contenders<A>::InOrder order(found);
    T share = share_of(context.a, dy.v[i], found.tied());
    if constexpr (A::kErrors) open_class_where(found.open(), share);
    for (std::int64_t k = 0; k < window.length(); ++k) {
      const MaskOf<T> here = order.has(number(k)) | found.open();
      overlaps[window[k]].add(found.settled(select(here, share, T(0))), here);
    }
  }
  terms[0].v.clear();
  const double share = context.a.share_of_range(s.step->stage, StoredPart::overlapping_sums);
  for (const Overlap<A>& overlap : overlaps) {
    const auto chain = overlap.count - EstimateOf<T>(1);
    terms[0].v.push_back(overlap.sum.sum_after(chain, share));
    if constexpr (A::kErrors)
      terms[0].v.back().e +=
          context.a.growth_of_overlaps(s.step->stage, max(chain, EstimateOf<T>(0))) * overlap.size;
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
