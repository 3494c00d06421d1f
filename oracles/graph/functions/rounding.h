// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "core/graph/grid.h"
#include "oracles/arithmetic/certified_functions.h"
#include "oracles/arithmetic/dual.h"
#include "oracles/graph/functions/choices.h"
#include "oracles/graph/functions/signed_classes.h"

/// The rounding of a number to a grid in each arithmetic. It is a jump: of a number with an error
/// all numbers of the grid are right between those of its least and its largest value.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The number of the grid for the sum of a double and what it is off by, which has a sign and is
/// smaller than the distance to the next double. Where two numbers of the grid are equally near,
/// the double itself is the middle between them, and what it is off by decides.
inline double nearest_with_rest(const Grid& grid, double v, double rest) {
  if (rest == 0 || !grid.is_middle(v)) return grid.nearest(v);
  return grid.nearest(std::nextafter(v, rest > 0 ? HUGE_VAL : -HUGE_VAL));
}

template <class F, class V>
ErrorScalar<F, V> on_grid(const Grid& grid, const ErrorScalar<F, V>& x) {
  const auto nearest = [&](double v) { return grid.nearest(v); };
  ErrorScalar<F, V> r(lanewise(x.v, nearest));
  const V reach = x.from_v();
  const V high = lanewise(V(x.v + reach), nearest);
  const V low = lanewise(V(x.v - reach), nearest);
  // All numbers too large, of one sign, become one: NaN where the type has no infinity.
  const auto is_none = [](const V& v) { return MaskOf<V>(!MaskOf<V>(v == v)); };
  const MaskOf<V> beyond = is_none(high) & is_none(low) & is_none(r.v) & (abs(x.v) > reach);
  const MaskOf<V> same = ((high == r.v) & (low == r.v)) | beyond;
  const MaskOf<V> jumps = MaskOf<V>(reach > V(0)) & MaskOf<V>(!same);
  r.e = select(jumps, largest_of(V(high - r.v), V(r.v - low)), V(0));
  // A cast without saturation may give an infinity or NaN there, or a number: any is right.
  const MaskOf<V> open = jumps & MaskOf<V>(!is_finite(r.e));
  r.e = select(open, V(0), r.e);
  r.vacuous = x.vacuous | open;
  r.overflow = x.overflow | open;
  return r;
}

template <class V>
CertifiedOf<V> on_grid(const Grid& grid, const CertifiedOf<V>& x) {
  using T = CertifiedOf<V>;
  double numbers[kLanesOf<V>];
  double radii[kLanesOf<V>];
  for (int i = 0; i < kLanesOf<V>; ++i) {
    const double hi = lane(x.hi, i);
    const double reach = 2 * (std::abs(lane(x.lo, i)) + lane(x.radius, i));
    numbers[i] = nearest_with_rest(grid, hi, lane(x.lo, i));
    const bool is_sure = lane(x.radius, i) == 0 || (grid.nearest(hi - reach) == numbers[i] &&
                                                    grid.nearest(hi + reach) == numbers[i]);
    radii[i] = is_sure ? 0 : T::kUndecided;
  }
  const V radius = load<V>(radii);
  return {load<V>(numbers), V(0), select(x.decided(), radius, V(T::kUndecided))};
}

inline SignedClasses on_grid(const Grid& grid, const SignedClasses& x) {
  using C = SignedClass;
  const auto beyond = [&](C same, C infinite) {
    return std::isnan(grid.beyond) ? C::nan : std::isinf(grid.beyond) ? infinite : same;
  };
  return x.each([&](C c) {
    const int rank = SignedClasses::rank(c);
    if (c == C::nan || rank == 0) return SignedClasses(c);
    const C same = rank > 0 ? C::positive : C::negative;
    const C too_large = beyond(same, rank > 0 ? C::plus_inf : C::minus_inf);
    if (std::abs(rank) == 2) return SignedClasses(too_large);
    return SignedClasses(C::zero).united(same).united(too_large);
  });
}

/// The double, or Pack of them, that is nearest to a number of some arithmetic.
template <class T>
auto estimate_of(const T& x) {
  if constexpr (requires { x.template convert_to<double>(); })
    return x.template convert_to<double>();
  else if constexpr (requires { x.v; })
    return estimate_of(x.v);
  else if constexpr (requires { x.value(); })
    return estimate_of(x.value());
  else if constexpr (requires { x.hi; })
    return x.hi;
  else
    return x;
}

/// A number in an arithmetic without errors, to which nothing goes back.
template <class T>
T on_grid(const Grid& grid, const T& x) {
  return T(lanewise(estimate_of(x), [&](double v) { return grid.nearest(v); }));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
