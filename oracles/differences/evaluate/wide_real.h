// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/arithmetic.h"

namespace gradproof {

inline Real real_of(const Wide& wide) {
  const Real high = Real(wide.hi) + wide.mid;
  return wide.lo == 0 ? high : high + wide.lo;  // lo of a double-double is 0
}

inline const Real& real_of(const Real& value) { return value; }

/// The value rounded to three doubles.
inline Wide wide_of(const Real& value) {
  Wide wide;
  wide.hi = value.convert_to<double>();
  const Real rest = value - wide.hi;
  wide.mid = rest.convert_to<double>();
  wide.lo = Real(rest - wide.mid).convert_to<double>();
  return wide;
}

}  // namespace gradproof
