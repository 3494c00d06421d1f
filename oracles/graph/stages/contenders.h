// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/field.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Finds the numbers that may be the largest, and tells if it is sure which one is. For a truth
/// these are the numbers that equal the largest; if two enclosures overlap, or a number is not
/// known, it is unsure which they are. In packs each lane has its own contenders. `first_of_ties`
/// is GraphPlan's.
template <class A>
class Contenders {
 public:
  using T = typename A::Scalar;
  using M = MaskOf<T>;

  template <class Numbers>
  Contenders(const Numbers& number, std::int64_t count, bool first_of_ties)
      : largest_(number(0)), first_of_ties_(first_of_ties) {
    for (std::int64_t i = 1; i < count; ++i) {
      const T& other = number(i);
      if constexpr (A::kErrors)
        largest_ = select(other.v > largest_.v, other, largest_);
      else
        largest_ = select(largest_ < other, other, largest_);
    }
    M one = false;
    InOrder order(*this);
    for (std::int64_t i = 0; i < count; ++i) {
      const T& other = number(i);
      if constexpr (A::kErrors) {
        const M lowest = is_inf(other.v) & (other.v < largest_.v);  // -Inf is chosen by nobody
        open_ = open_ | other.overflow | M(!(is_finite(other.v) | lowest));
        unsure_ = unsure_ | other.vacuous | M(!(is_finite(other.total()) | lowest));
      }
      if constexpr (requires { other.radius; }) unsure_ = unsure_ | order_is_unknown(other);
      const M here = order.has(other);
      tied_ = tied_ | (one & here);
      one = one | here;
    }
  }

  /// True where `other`, one of the numbers, may be the largest.
  M has(const T& other) const {
    if constexpr (A::kErrors)
      return (other.v + other.total() >= largest_.v - largest_.total()) | is_nan(other.v);
    else
      return !(other < largest_);
  }
  /// Tests one number after the other, in their order.
  class InOrder {
   public:
    explicit InOrder(const Contenders& of) : of_(of) {}

    M has(const T& other) {
      const M here = of_.has(other);
      if (!of_.first_of_ties_) return here;
      const M equal = of_.equals_largest(other);
      const M again = equal & found_;
      found_ = found_ | equal;
      return here & M(!again);
    }

   private:
    const Contenders& of_;
    M found_ = false;  ///< one that equals the largest
  };
  const M& tied() const { return tied_; }  ///< several may be
  const M& open() const { return open_; }  ///< some are not finite, or may not be

  /// The share that an element gets. If it is unsure which numbers are the largest, a truth's share
  /// is undecided and a computed share has no bound.
  T settled(T share) const {
    if constexpr (A::kErrors) share.vacuous = share.vacuous | unsure_;
    if constexpr (requires { share.radius; })
      share.radius = select(unsure_, EstimateOf<T>(T::kUndecided), share.radius);
    return share;
  }

 private:
  /// True where two balls meet or one is not known, so that either may be the larger.
  M order_is_unknown(const T& other) const requires(!A::kErrors) {
    const T apart = largest_ - other;
    const M equal = (other.hi == largest_.hi) & (other.lo == largest_.lo);
    const M known = other.decided() & largest_.decided();
    const M meet = apart.hi <= apart.radius;
    return M(!known) | (meet & M(!equal));
  }

  /// True where `other` equals the largest and both are known exactly.
  M equals_largest(const T& other) const {
    using V = EstimateOf<T>;
    if constexpr (A::kErrors)
      return (other.v == largest_.v) & (other.total() == V(0)) & (largest_.total() == V(0));
    else if constexpr (requires { other.radius; })
      return (other.hi == largest_.hi) & (other.lo == largest_.lo) & (other.radius == V(0)) &
             (largest_.radius == V(0));
    else if constexpr (requires { other.backend(); })
      return other == largest_;
    else
      return false;
  }

  T largest_;
  bool first_of_ties_;
  M tied_ = false;
  M open_ = false;
  M unsure_ = false;  ///< of a truth: which is the largest; of errors: by how much
};

/// The largest number: |max(x + e) - max x| is at most the largest error of the contenders.
template <class A, class Numbers>
typename A::Scalar largest_of(const A& a, const Numbers& number, std::int64_t count) {
  typename A::Scalar best = number(0);
  for (std::int64_t i = 1; i < count; ++i) best = a.functions.max(best, number(i));
  return best;
}

/// The share of g that a contender gets: all if no other may be the largest, any share at a tie;
/// for a g that is not finite it may be 0 too.
template <class A>
typename A::Scalar share_of(const A& a, const typename A::Scalar& g,
                            const MaskOf<typename A::Scalar>& tied) {
  using T = typename A::Scalar;
  if (!any(tied)) return g;
  T share = a.functions.between(g, T(0));
  if constexpr (A::kErrors) {
    // The sum of the shares is g, at most total() off (tie_shares.cpp takes its size from this). At
    // a kink g.v is a slope that the truth may not have, and the truth is at most |g.v| + total().
    share.e = abs(g.v) + 2 * g.total();
    open_class_where(MaskOf<T>(!is_finite(g.v)), share);
  }
  return select(tied, share, g);
}

/// The 0 of a masked gradient: LibTorch multiplies by a mask, and 0 times Inf or NaN is NaN.
template <class A>
typename A::Scalar masked_out(const typename A::Scalar& g) {
  typename A::Scalar none(0);
  if constexpr (A::kErrors) none.overflow = g.overflow | !is_finite(g.v);
  return none;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
