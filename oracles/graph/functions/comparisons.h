// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdlib>

#include "oracles/arithmetic/certified_functions.h"
#include "oracles/graph/functions/choices.h"
#include "oracles/graph/functions/signed_classes.h"

namespace gradproof {

/// The relation that a comparison asks about. It holds between no NaN and any number.
enum class Relation { greater, greater_equal, equal };

/// True if the relation holds between numbers of which the first is greater, or both are equal.
constexpr bool holds(Relation relation, bool is_greater, bool is_equal) {
  return (relation != Relation::equal && is_greater) || (relation != Relation::greater && is_equal);
}

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// 1 where the relation holds between two numbers, else 0, in any arithmetic whose comparisons are
/// masks.
template <class T, class M>
T one_where(Relation relation, const M& is_greater, const M& is_equal) {
  const M none(false);
  return select(M((relation == Relation::equal ? none : is_greater) |
                  (relation == Relation::greater ? none : is_equal)),
                T(1), T(0));
}

/// A comparison of numbers with errors: where these decide it, 0 and 1 are both right.
template <class F, class V>
ErrorScalar<F, V> compared(Relation relation, const ErrorScalar<F, V>& x,
                           const ErrorScalar<F, V>& y) {
  using M = MaskOf<V>;
  const ErrorScalar<F, V>& a = x.read();
  const ErrorScalar<F, V>& b = y.read();
  ErrorScalar<F, V> r(one_where<V>(relation, M(a.v > b.v), M(a.v == b.v)));
  const V apart = distance_beside(a) + distance_beside(b);
  const M sure = M(abs(a.v - b.v) > apart) | M(apart == V(0));
  const M open = M(!sure) | a.vacuous | a.overflow | b.vacuous | b.overflow;
  r.e = select(open, V(1), V(0));
  return r;
}

/// A comparison of enclosures: undecided where they meet.
template <class V>
CertifiedOf<V> compared(Relation relation, const CertifiedOf<V>& a, const CertifiedOf<V>& b) {
  using M = MaskOf<V>;
  using T = CertifiedOf<V>;
  const M same_hi(a.hi == b.hi);
  const M is_equal = same_hi & M(a.lo == b.lo);
  const M is_greater = M(a.hi > b.hi) | (same_hi & M(a.lo > b.lo));
  const M is_exact = M(a.radius == V(0)) & M(b.radius == V(0));
  const T apart = a - b;
  const M meet = M(abs(apart.hi) <= apart.radius) & M(!(is_equal & is_exact));
  const M unsure = meet | M(!a.decided()) | M(!b.decided());
  return {one_where<V>(relation, is_greater, is_equal), V(0),
          select(unsure, V(T::kUndecided), V(0))};
}

/// A comparison of classes: two numbers of one sign may have any order.
inline SignedClasses compared(Relation relation, const SignedClasses& a, const SignedClasses& b) {
  using C = SignedClass;
  const SignedClasses either = SignedClasses(C::zero).united(C::positive);
  return a.each([&](C x) {
    return b.each([&](C y) {
      const int of_x = SignedClasses::rank(x);
      const int of_y = SignedClasses::rank(y);
      if (x == C::nan || y == C::nan) return SignedClasses(C::zero);
      if (of_x == of_y && std::abs(of_x) == 1) return either;
      return SignedClasses(holds(relation, of_x > of_y, of_x == of_y) ? C::positive : C::zero);
    });
  });
}

/// A comparison by a back-end's functions: by its numbers where their comparison is true or false,
/// else by the sign of the difference, whose derivative decides where both are equal.
template <class Functions, class T>
T compared_by(const Functions& f, Relation relation, const T& a, const T& b) {
  if constexpr (requires {
                  { compared(relation, a, b) } -> std::same_as<T>;
                }) {
    return compared(relation, a, b);
  } else if constexpr (requires {
                         { a <= b } -> std::same_as<bool>;
                       }) {
    const bool at_most = a <= b;
    const bool at_least = b <= a;
    return T(holds(relation, at_least && !at_most, at_least && at_most) ? 1 : 0);
  } else {
    const T above = f.where_positive(T(a - b), T(1), T(0));
    const T below = f.where_positive(T(b - a), T(1), T(0));
    if (relation == Relation::greater) return above;
    if (relation == Relation::greater_equal) return T(1) - below;
    return T(1) - above - below;
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
