// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/lanes.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The places of a function's kinks: none, one or two.
struct KinkPlaces {
  double at[2] = {};
  int count = 0;

  KinkPlaces() = default;
  explicit KinkPlaces(double one) : at{one, 0}, count(1) {}
  KinkPlaces(double one, double other) : at{one, other}, count(2) {}

  const double* begin() const { return at; }
  const double* end() const { return at + count; }
};

/// The steepness of a function on an interval: the largest |f'|, |f''| and |f'''| there without
/// kinks. V is double, or Pack for several intervals at once.
template <class V>
struct Steepness {
  V slope = 0;
  V curvature = 0;
  V jerk = 0;
  KinkPlaces kinks = {};
  double jump = 0;           ///< by how much f' changes at a kink, at most
  bool tie_is_open = false;  ///< at a kink itself either side's derivative is right
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
