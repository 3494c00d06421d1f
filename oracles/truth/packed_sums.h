// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/certified.h"
#include "oracles/bounds/error_sum.h"
#include "oracles/truth/fast_tier.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The number with all its error as independent error: errors that the elements of one unit share
/// are independent of the errors of other units.
template <class F, class V>
[[gnu::always_inline]] inline ErrorScalar<F, V> apart(const ErrorScalar<F, V>& v) {
  ErrorScalar<F, V> r(v.v);
  r.e = v.total();
  r.vacuous = v.vacuous;
  r.overflow = v.overflow;
  return r;
}

/// Gradients added up unit by unit, in the order in which they come.
template <class F, class V>
class PackedSums {
 public:
  void add(const CertifiedOf<V>* truth, const ErrorScalar<F, V>* bound, std::size_t packs,
           bool with_truth) {
    if (bounds_.empty()) bounds_.assign(packs, ErrorSum<F, V>());
    for (std::size_t i = 0; i < packs; ++i) bounds_[i].add(apart(bound[i]));
    if (!with_truth) return;
    if (truths_.empty()) {
      truths_.assign(truth, truth + packs);
      return;
    }
    for (std::size_t i = 0; i < packs; ++i) truths_[i] += truth[i];
  }

  /// Writes `count` sums and starts again from 0. False where nothing was added.
  bool take(UnitSum* into, std::size_t count) {
    constexpr std::size_t kWidth = kLanesOf<V>;
    if (bounds_.empty()) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const int k = static_cast<int>(i % kWidth);
      bounds_[i / kWidth].of_lane(k).write(into[i]);
      into[i].has_truth = !truths_.empty();
      if (truths_.empty()) continue;
      const Certified truth = lane(truths_[i / kWidth], k);
      into[i].truth = {truth.hi, truth.lo, truth.radius};
    }
    bounds_.clear();
    truths_.clear();
    return true;
  }

 private:
  Values<CertifiedOf<V>> truths_;
  Values<ErrorSum<F, V>> bounds_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
