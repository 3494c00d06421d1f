// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// A real number known to lie within `radius` of hi + lo, hi the nearest double. An infinite
/// radius: not known.
struct Ball {
  double hi = 0;
  double lo = 0;
  double radius = 0;
};

}  // namespace gradproof
