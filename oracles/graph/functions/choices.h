// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/error_scalar.h"

/// Functions that choose one of several numbers with errors. If the errors leave the choice open,
/// the result's error covers every number that may be chosen.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The larger one; NaN if a is NaN, as an unknown error is.
template <class V>
V largest_of(const V& a, const V& b) {
  return select(a < b, b, a);
}
template <class V>
V least_of(const V& a, const V& b) {
  return select(b < a, b, a);
}

/// v with an error that covers a and b.
template <class F, class V>
ErrorScalar<F, V> hull(const ErrorScalar<F, V>& a, const ErrorScalar<F, V>& b, const V& v) {
  ErrorScalar<F, V> r(v);
  r.e = largest_of(V(abs(a.v - v) + a.total()), V(abs(b.v - v) + b.total()));
  // An infinity beside another number has no distance from it: either class is right.
  const MaskOf<V> open = MaskOf<V>(!is_finite(r.e)) & MaskOf<V>(!(a.v == b.v));
  r.vacuous = a.vacuous | b.vacuous | open;
  r.overflow = a.overflow | b.overflow | open;
  return r;
}

/// a where x is positive, else b. If the sign is not sure, either may be computed.
template <class F, class V>
ErrorScalar<F, V> by_sign(const ErrorScalar<F, V>& x, const ErrorScalar<F, V>& a,
                          const ErrorScalar<F, V>& b) {
  ErrorScalar<F, V> r = select(x.v <= V(0), b, a);
  r.overflow = r.overflow | is_nan(x.v);
  const MaskOf<V> open = x.may_be_zero() | x.vacuous | x.overflow;
  if (!any(open)) return r;
  ErrorScalar<F, V> either = hull(a, b, r.v);
  either.vacuous = either.vacuous | x.vacuous;
  either.overflow = either.overflow | x.overflow;
  return select(open, either, r);
}

/// The result, which some code makes 0 if it lies below the normal numbers.
template <class F, class V>
ErrorScalar<F, V> or_zero_below_normal(ErrorScalar<F, V> r) {
  const V normal(F::smallest_normal);
  const V most = abs(r.v) + r.total();
  r.e += select(abs(r.v) - r.total() < normal, least_of(most, normal), V(0));
  return r;
}

/// The result, in place of which some code has NaN if it is infinite.
template <class F, class V>
ErrorScalar<F, V> open_where_infinite(ErrorScalar<F, V> r) {
  const MaskOf<V> infinite = is_inf(r.v);
  r.vacuous = r.vacuous | infinite;
  r.overflow = r.overflow | infinite;
  return r;
}

/// The error of an operand that is compared; 0 for an infinity.
template <class F, class V>
V error_beside(const ErrorScalar<F, V>& x) {
  return select(is_inf(x.v), V(0), x.total());
}
/// The largest distance from v of an operand that is compared; 0 for an infinity.
template <class F, class V>
V distance_beside(const ErrorScalar<F, V>& x) {
  return select(is_inf(x.v), V(0), x.from_v());
}

/// |max(a + da, b + db) - max(a, b)| <= max(|da|, |db|); where it is sure which is larger, that
/// one's own error. A number that may have overflowed may be an infinity of either sign, so that
/// either number may be the larger one: the result may have overflowed too.
template <class F, class V>
ErrorScalar<F, V> larger_of(const ErrorScalar<F, V>& a, const ErrorScalar<F, V>& b) {
  const ErrorScalar<F, V> larger = select(is_nan(a.v) | (a.v > b.v), a, b);
  const MaskOf<V> open = a.vacuous | a.overflow | b.vacuous | b.overflow;
  const V of_a = error_beside(a);
  const V of_b = error_beside(b);
  const V apart = distance_beside(a) + distance_beside(b);
  const MaskOf<V> sure = (abs(a.v - b.v) > apart) & MaskOf<V>(!open);
  if (all(sure)) return larger;
  ErrorScalar<F, V> r(larger.v);
  r.e = largest_of(of_a, of_b);
  r.overflow = a.overflow | b.overflow;
  r.vacuous = a.vacuous | b.vacuous | r.overflow;
  return select(sure, larger, r);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
