// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/graph/field.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// r is f of an x that may have left the range. If x is surely infinite, an infinite value is sure
/// too. If x is a doubtful infinity, r may be anything; if x is a NaN that may be an infinity, r
/// may even be finite: hardtanh(NaN) is NaN, but hardtanh(Inf) is 1.
template <class T, class Own>
void note_out_of_range(const T& x, const Own& own, T& r) {
  using V = EstimateOf<T>;
  const MaskOf<T> sure = is_surely_infinite(x);
  const MaskOf<T> infinite = sure & is_inf(own.v) & MaskOf<T>(!(own.overflow | own.vacuous));
  r.e = select(infinite, V(0), r.e);
  r.e = select(is_doubtful_infinity(x), V(HUGE_VAL), r.e);
  r.vacuous = r.vacuous | (x.overflow & MaskOf<T>(!(is_finite(x.v) | sure)));
}

/// The class of r, f or f' of x, is not known either where x may lie at the end of the domain or to
/// either side of it; nor where nothing is known of x, and f grows without a limit: exp of it may
/// be an infinity.
template <class Function, class T>
void note_unknown(const Function& fn, const T& x, T& r) {
  using V = EstimateOf<T>;
  if (any(x.vacuous)) [[unlikely]] {
    const auto anywhere = fn.steepness(V(-HUGE_VAL), V(HUGE_VAL));
    r.overflow = r.overflow | (x.vacuous & MaskOf<T>(!is_finite(V(anywhere.slope))));
  }
  if constexpr (requires { Function::kDefinedFrom; }) {
    const V t = x.total();
    const V apart = abs(x.v - V(Function::kDefinedFrom));
    const MaskOf<T> open = (t > V(0)) & (apart <= t);
    r.vacuous = r.vacuous | open;
    r.overflow = r.overflow | open;
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
