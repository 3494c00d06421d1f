// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/real.h"

namespace gradproof {

/// Digits of the arithmetic that a derivative loses, relative to the sum of its absolute terms: 6
/// for a chain of a million roundings, 14 for values that cancel inside the function (the variance
/// of numbers far from 0), which the terms do not show.
inline constexpr int kPathLoss = 6 + 14;

/// A derivative as the sum of one term for each path of the chain rule, and the sum of the absolute
/// terms. Rounding errors are relative to `paths`: where the gradient is 0, all terms cancel.
struct PathSum {
  Real sum{0};
  Real paths{0};
  int digits = 50;  ///< of the arithmetic in which the terms were added

  /// Whether the sum may be nothing but a million roundings: |sum| <= 10^-(digits - 6) paths.
  bool rounding() const { return abs(sum) <= terms_to(digits - 6); }
  /// The largest sum that counts as 0 where values cancelled too: 10^-(digits - kPathLoss) paths.
  Real floor() const { return terms_to(digits - kPathLoss); }

 private:
  Real terms_to(int some) const { return Real(paths * pow(Real(10), Real(-some))); }
};

}  // namespace gradproof
