// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "oracles/arithmetic/real.h"

namespace gradproof {

/// Central differences have order 2, 4 or 6, order_index 0, 1 or 2. The index is also the number of
/// times that the step is doubled for one difference: D4(h) needs L(x+-h) and L(x+-2h).
inline constexpr int kOrders = 3;
inline constexpr int order_of(int order_index) { return 2 * (order_index + 1); }

/// From odd[k] = L(x + 2^k h) - L(x - 2^k h), k = 0, ..., order_index (Romberg):
///
///   D2(h) = odd[0] / 2h
///   D4(h) = (4 D2(h) - D2(2h)) / 3    = (8 odd[0] - odd[1]) / 12h
///   D6(h) = (16 D4(h) - D4(2h)) / 15  = (256 odd[0] - 40 odd[1] + odd[2]) / 360h
///
/// The truncation error is h^order times a derivative of L, the rounding error about 2u |L| / h.
inline Real central(const Real* odd, int order_index, int log2_h) {
  if (order_index == 0) return ldexp(odd[0], -1 - log2_h);
  if (order_index == 1) return ldexp((8 * odd[0] - odd[1]) / 3, -2 - log2_h);
  return ldexp((256 * odd[0] - 40 * odd[1] + odd[2]) / 45, -3 - log2_h);
}

/// Slope right of x minus slope left of x, the limit of even/h for h to 0, from
/// even[k] = L(x + 2^k h) - 2 L(x) + L(x - 2^k h), k < values. Where L is smooth, even/h is an odd
/// power series in h; extrapolation removes its first values - 1 terms, and the limit is 0. At a
/// kink the limit is the jump, while central differences agree on the mean of the two slopes.
inline Real jump(const Real* even, int values, int log2_h) {
  std::array<Real, kOrders + 1> bend;
  for (int k = 0; k < values; ++k) bend[static_cast<std::size_t>(k)] = ldexp(even[k], -log2_h - k);
  for (int level = 1; level < values; ++level)
    for (int k = 0; k < values - level; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const int weight = 1 << (2 * level - 1);  // 2, 8, 32
      bend[at] = (weight * bend[at] - bend[at + 1]) / (weight - 1);
    }
  return bend[0];
}

}  // namespace gradproof
