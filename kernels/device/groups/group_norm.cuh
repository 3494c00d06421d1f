// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/groups/group_arguments.cuh"
#include "kernels/device/groups/group_place.cuh"
#include "kernels/device/stages.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class A>
struct Statistics {
  A mean, rstd;
};

/// Returns the saved statistics of a unit; Arguments is GroupForward or GroupBackward.
template <class Arguments>
__device__ auto statistics_of(const Arguments& a, std::int64_t row, std::int64_t group) {
  const std::int64_t unit = row * a.groups + group;
  return Statistics<std::remove_cvref_t<decltype(a.mean[0])>>{a.mean[unit], a.rstd[unit]};
}

template <class A>
__device__ Quad<A> standardized(const Quad<A>& v, const Statistics<A>& statistics) {
  Quad<A> xhat;
  for (int k = 0; k < kQuad; ++k) xhat.at[k] = (v.at[k] - statistics.mean) * statistics.rstd;
  return xhat;
}

/// A GroupNorm and the stages in front of it and behind it.
template <class BeforeNorm, class AfterNorm>
struct GroupNorm {
  using Before = BeforeNorm;
  using After = AfterNorm;
  using AfterOwn = Position<>::Behind<Before>;  ///< where After finds its operands
  static constexpr int kVectors = Before::kVectors + After::kVectors;
  static constexpr int kNumbers = Before::kNumbers + After::kNumbers;
};

/// The stages of four channels: those of System, with its norm between them.
template <class System, class A>
struct GroupStages {
  using Before = typename System::Before;
  using After = typename System::After;
  Before before;
  Quad<A> weight, beta;
  After after;

  template <class Arguments>
  __device__ GroupStages(const Arguments& a, const Columns& columns)
      : before(a, columns),
        weight(load_vector(a.weight, columns, A(1))),
        beta(load_vector(a.beta, columns, A(0))),
        after(a, columns, typename System::AfterOwn{}) {}

  /// Returns the result of the norm's affine part and the stages behind it for xhat.
  __device__ Quad<A> value(const Quad<A>& xhat) const { return after.value(scaled(xhat)); }

  __device__ Quad<A> scaled(const Quad<A>& xhat) const {
    Quad<A> z;
    for (int k = 0; k < kQuad; ++k) z.at[k] = weight.at[k] * xhat.at[k] + beta.at[k];
    return z;
  }
};

/// The stages of all channels that a thread holds.
template <class System, class A>
struct HeldStages {
  static_assert(group::kHeldQuads == 2);
  GroupStages<System, A> quad[group::kHeldQuads];

  template <class Arguments>
  __device__ HeldStages(const Arguments& a, const GroupPlace& at)
      : quad{{a, at.columns[0]}, {a, at.columns[1]}} {}
};

/// The number of sums over rows for each channel: of weight, of beta, then those of the stages.
template <class System, class A>
constexpr int kSumsOf =
    2 + GroupStages<System, A>::Before::kTerms + GroupStages<System, A>::After::kTerms;

/// The number of the first sum of the stages behind the norm.
template <class System, class A>
constexpr int kAfterSum = 2 + GroupStages<System, A>::Before::kTerms;

/// Calls visit(sum, gradient) for each sum and the gradient that it becomes.
template <class System, class A, class Arguments, class Visit>
__device__ void for_each_sum(const Arguments& a, const Visit& visit) {
  visit(0, a.d_weight);
  visit(1, a.d_beta);
  GroupStages<System, A>::Before::for_each_gradient(a, 2, visit);
  GroupStages<System, A>::After::for_each_gradient(a, kAfterSum<System, A>, visit,
                                                   typename System::AfterOwn{});
}

/// The norm's input: x behind the stages before it; 0 outside the group.
template <class System, class A, class S>
__device__ Held<A> normed_of(const Loaded<S>& x, const HeldStages<System, A>& stages,
                             const GroupPlace& at) {
  Held<A> v;
  for_each_quad([&](int q) { v.quad[q] = stages.quad[q].before.value(unpacked<A>(x.quad[q])); });
  for_each_held(at, [&](int q, int k, bool inside) {
    if (!inside) v.quad[q].at[k] = A(0);
  });
  return v;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
