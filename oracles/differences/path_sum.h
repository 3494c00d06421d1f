// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/real.h"

namespace gradproof {

/// What a derivative can be trusted to less than its arithmetic, of the sum of its absolute terms:
/// 6 digits for a chain of a million roundings, 14 for values that cancel inside the function (a
/// variance far from zero), which the terms do not show.
inline constexpr int kPathLoss = 6 + 14;

/// A derivative, and the sum of the absolute terms that it was added up from, chain by chain: what
/// its rounding errors are relative to. A gradient that is 0 is all cancellation.
struct PathSum {
  Real sum{0};
  Real paths{0};
  int digits = 50;  ///< of the arithmetic that added them up

  /// Whether the sum is nothing but roundings: a million of them.
  bool rounding() const { return abs(sum) <= terms_to(digits - 6); }
  /// What a sum may be and count as 0 where values cancelled too.
  Real floor() const { return terms_to(digits - kPathLoss); }

 private:
  Real terms_to(int some) const { return Real(paths * pow(Real(10), Real(-some))); }
};

}  // namespace gradproof
