// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "oracles/arithmetic/real.h"

namespace gradproof {

/// Central differences of order 2, 4 and 6, told apart by 0, 1, 2; how often a step must double to
/// form one: D4(h) takes L(x+-h) and L(x+-2h).
inline constexpr int kOrders = 3;
inline constexpr int order_of(int form) { return 2 * (form + 1); }

/// From odd[k] = L(x + 2^k h) - L(x - 2^k h), k = 0, ..., form (Romberg's scheme in closed form):
///
///   D2(h) = odd[0] / 2h
///   D4(h) = (4 D2(h) - D2(2h)) / 3    = (8 odd[0] - odd[1]) / 12h
///   D6(h) = (16 D4(h) - D4(2h)) / 15  = (256 odd[0] - 40 odd[1] + odd[2]) / 360h
///
/// Its error is h^order times a derivative, and 2u |L| / h by rounding.
inline Real central(const Real* odd, int form, int log2_h) {
  if (form == 0) return ldexp(odd[0], -1 - log2_h);
  if (form == 1) return ldexp((8 * odd[0] - odd[1]) / 3, -2 - log2_h);
  return ldexp((256 * odd[0] - 40 * odd[1] + odd[2]) / 45, -3 - log2_h);
}

/// By how much the slopes left and right of x differ, from even[k] = L(x + 2^k h) - 2 L(x) +
/// L(x - 2^k h): the limit of even/h for h to 0. Where L is smooth even/h is an odd power series
/// without a constant, of which as many terms are removed as there are values but one; at a kink
/// it has one, and central differences agree with themselves on the mean of the slopes.
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
