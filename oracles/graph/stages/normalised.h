// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The moments of each group of x, a step's first operand, about their mean or about 0.
template <class A>
std::vector<typename A::Moments> group_moments(const StepContext<A>& context,
                                               const FoldedField<A>& x, bool centred) {
  using T = typename A::Scalar;
  std::vector<typename A::Moments> all;
  all.reserve(place(context.s.groups.count));
  each_group(context, [&](std::size_t, const std::int32_t* group) {
    const auto number = [&](std::int64_t k) -> const T& { return x[place(group[k])]; };
    all.push_back(context.a.moments(number, context.s.groups.length, centred));
  });
  return all;
}

/// The moments about the mean, kept for all steps that take statistics of the same groups.
template <class A>
const std::vector<typename A::Moments>& centred_moments(const StepContext<A>& context,
                                                        const FoldedField<A>& x) {
  auto& kept = memory_of(context, context.s.same_groups).moments;
  if (kept.empty()) kept = group_moments(context, x, true);
  return kept;
}

/// A norm of x; `part` says which statistics are meant: those that the value takes, or those that
/// were saved. Those that the step was given are exact.
template <class A>
Normalised<typename A::Scalar> normalised(const StepContext<A>& context, const FoldedField<A>& x,
                                          bool centred, StoredPart part) {
  using T = typename A::Scalar;
  const A& a = context.a;
  const std::string& stage = context.s.step->stage;
  const StatisticsOf of{context.plan.scalar(context.s.step->number("eps")), centred, stage,
                        context.contract};
  const auto& given = memory_of(context, context.position).given;
  std::vector<typename A::Moments> moments;
  if (given.empty())
    moments = centred ? centred_moments(context, x) : group_moments(context, x, false);
  const bool is_rounded = a.keeps(stage, StoredPart::rounded_statistics);
  const auto kept = [&](const T& number) {
    return is_rounded ? a.stored(number) : a.stored_part(number, stage, part);
  };
  Normalised<T> made;
  made.xhat.resize(x.size());
  made.statistics.reserve(place(context.s.groups.count));
  each_group(context, [&](std::size_t which, const std::int32_t* group) {
    GroupStatistics<T> own = given.empty() ? a.statistics(moments[which], of) : given[which];
    own.mean = a.shared(kept(own.mean), SharedError::mean);
    own.rstd = a.shared(kept(own.rstd), SharedError::rstd);
    made.statistics.push_back(own);
    const T shift = own.mean * own.rstd;
    for (std::int64_t k = 0; k < context.s.groups.length; ++k) {
      const T& number = x[place(group[k])];
      T& xhat = made.xhat[place(group[k])];
      if (centred)
        xhat = over_forms<A>(
            context.forms(FormPart::xhat), [&] { return (number - own.mean) * own.rstd; },
            [&] { return number * own.rstd - shift; });
      else
        xhat = number * own.rstd;
    }
  });
  memory_of(context, context.position).statistics = made.statistics;
  return made;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
