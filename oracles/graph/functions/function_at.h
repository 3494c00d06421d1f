// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/error_scalar.h"
#include "oracles/graph/functions/choices.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A function at a number with an error, as each of ErrorFunctions' is made of its value and slope.
template <class F, class V>
struct FunctionAt {
  using T = ErrorScalar<F, V>;

  /// The smallest size that x may have.
  static V nearest(const T& x) { return largest_of(V(0), V(abs(x.v) - x.from_v())); }

  /// A function's error in units of u, and the promised error of a result below the normal numbers
  /// in half ulps, which are eta.
  struct Units {
    V all;
    double own;
  };
  /// A type that flushes has a larger error below the normal numbers than any promise.
  static double half_ulps_below_normal(double units) { return (F::flushes ? 1 : units) * F::eta; }

  /// v with the argument's error: slope times that error, plus `second`, and no more than `most` in
  /// all; then the function's own. An infinity at a pole and a NaN outside of the domain are no
  /// overflows.
  static T function(const T& from, const V& v, const V& slope, const V& second, const V& most,
                    const Units& units, const MaskOf<V>& pole = false) {
    const T& x = from.read();
    T r = T::scaled(slope, x);
    r.v = v;
    r.e += second;
    const MaskOf<V> capped = !(r.total() <= most);
    if (any(capped)) {
      T flat(v);
      flat.e = most;
      flat.vacuous = x.vacuous;
      flat.overflow = x.overflow;
      r = select(capped, flat, r);
    }
    r.e += (abs(v) + r.total()) * (units.all * V(F::u)) + half_ulps_below_normal(units.own);
    const auto finite = [&] { return MaskOf<V>(is_finite(x.v) & !pole & !is_nan(v)); };
    r.note_range(r.reach(), r.total(), finite);
    return r;
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
