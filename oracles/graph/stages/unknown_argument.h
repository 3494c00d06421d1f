// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/graph/field.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

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
