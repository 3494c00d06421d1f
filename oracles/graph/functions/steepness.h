// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace gradproof {

/// How steep a function is on an interval: the largest |f'|, |f''| and |f'''| there, kinks left
/// out.
struct Steepness {
  double slope = 0;
  double curvature = 0;
  double jerk = 0;
  std::vector<double> kinks = {};
  double jump = 0;           ///< by how much f' changes at a kink, at most
  bool tie_is_open = false;  ///< at a kink itself either side's derivative is right
};

}  // namespace gradproof
