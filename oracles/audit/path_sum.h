// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/real.h"

namespace gradproof {

/// What a derivative of 50 digits can be trusted to, of the sum of its absolute terms: less 6 for a
/// chain of a million roundings, less 14 for values that cancel inside the function (a variance far
/// from zero), which the terms do not show.
inline constexpr double kPathDigits = 50 - 6 - 14;

/// A derivative, and the sum of the absolute terms that it was added up from, chain by chain: what
/// its rounding errors are relative to. A gradient that is 0 is all cancellation.
struct PathSum {
  Real sum{0};
  Real paths{0};

  /// Whether the sum is nothing but roundings: 2^20 of them.
  bool rounding() const { return abs(sum) <= Real(paths * (0x1p20 * kRealUnit)); }
  /// What a sum may be and count as 0 where values cancelled too.
  Real floor() const { return Real(paths * pow(Real(10), Real(-kPathDigits))); }
};

}  // namespace gradproof
