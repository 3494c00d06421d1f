// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

namespace gradproof {

/// Central differences have order 2, 4 or 6, order_index 0, 1 or 2. The index is also the number of
/// times that the step is doubled for one difference: D4(h) needs L(x+-h) and L(x+-2h).
inline constexpr int kOrders = 3;
inline constexpr int order_of(int order_index) { return 2 * (order_index + 1); }

/// Order and step of a difference. In step choices log2_step is relative to the scale of moves, h =
/// 2^(log2_step + PerturbedLoss::log2_scale); in differences, h = 2^log2_step.
struct StepChoice {
  int order_index = 1;
  int log2_step = -17;
};

/// From odd[k] = L(x + 2^k h) - L(x - 2^k h), k = 0, ..., order_index (Romberg):
///
///   D2(h) = odd[0] / 2h
///   D4(h) = (4 D2(h) - D2(2h)) / 3    = (8 odd[0] - odd[1]) / 12h
///   D6(h) = (16 D4(h) - D4(2h)) / 15  = (256 odd[0] - 40 odd[1] + odd[2]) / 360h
///
/// The truncation error is h^order times a derivative of L, the rounding error about 2u |L| / h.
template <class T>
T central(const T* odd, int order_index, int log2_h) {
  using std::ldexp;
  if (order_index == 0) return ldexp(odd[0], -1 - log2_h);
  if (order_index == 1) return ldexp((ldexp(odd[0], 3) - odd[1]) / 3, -2 - log2_h);
  const T forty = ldexp(odd[1], 5) + ldexp(odd[1], 3);
  return ldexp((ldexp(odd[0], 8) - forty + odd[2]) / 45, -3 - log2_h);
}

/// Slope right of x minus slope left of x, the limit of even/h for h to 0, from even[k] = L(x + 2^k
/// h) - 2 L(x) + L(x - 2^k h), k < values. If L is smooth, even/h is an odd power series in h;
/// extrapolation removes its first values - 1 terms, and the limit is 0. At a kink the limit is the
/// jump, while central differences agree on the mean of the two slopes.
template <class T>
T jump(const T* even, int values, int log2_h) {
  using std::ldexp;
  T bend[kOrders + 1];
  for (int k = 0; k < values; ++k) bend[k] = ldexp(even[k], -log2_h - k);
  for (int level = 1; level < values; ++level)
    for (int k = 0; k < values - level; ++k) {
      const int log2_weight = 2 * level - 1;  // weights 2, 8, 32
      bend[k] = (ldexp(bend[k], log2_weight) - bend[k + 1]) / ((1 << log2_weight) - 1);
    }
  return bend[0];
}

}  // namespace gradproof
