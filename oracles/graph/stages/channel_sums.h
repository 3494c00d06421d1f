// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <utility>

#include "oracles/graph/stages/normalised.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The sums of weight dy, and of weight dy x, over a group.
template <class T>
struct WeightedSums {
  T of_g{0};
  T of_gx{0};
};

/// LibTorch's GroupNorm adds up dy and dy x of a channel and then multiplies with its weight
/// (GroupNormInputBackward in group_norm_kernel.cpp), which gives another class if the weight is
/// infinite: Inf times a sum, not a sum of infinities.
template <class A, class T = typename A::Scalar>
WeightedSums<T> sums_by_channel(const StepContext<A>& context, const WeightedSums<T>& by_element,
                                const FoldedField<A>& dy, const FoldedField<A>& x,
                                const std::int32_t* group) {
  using Sum = typename A::Sum;
  if (!context.has(1) || context.s.inner == 1) return by_element;
  const auto weight = [&](std::int64_t k) -> const T& { return context.at(1, group[k]); };
  const std::int64_t n = context.s.groups.length;
  MaskOf<T> infinite = false;
  for (std::int64_t k = 0; k < n; ++k) infinite = infinite | is_inf(weight(k).v);
  if (!any(infinite)) return by_element;
  std::map<const T*, std::pair<Sum, Sum>> channels;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::size_t i = place(group[k]);
    auto& [of_g, of_gx] = channels[&weight(k)];
    of_g.add(dy[i]);
    of_gx.add(T(dy[i] * x[i]));
  }
  const std::int64_t chain = context.chain_of(SumRole::gradients, n);
  Sum first, second;
  for (const auto& [own, sums] : channels) {
    first.add(T(sums.first.sum(chain) * *own));
    second.add(T(sums.second.sum(chain) * *own));
  }
  return {select(infinite, first.sum(chain), by_element.of_g),
          select(infinite, second.sum(chain), by_element.of_gx)};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
