// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "oracles/real.h"

namespace gradproof {

/// L(x + h) - L(x) and L(x - h) - L(x) for one step h.
struct Pair {
  Real above;
  Real below;
};

/// Central differences of order 2, 4 and 6 from pairs at h, 2h, 4h, ... (Romberg's scheme):
///
///   D2(h) = (L(x+h) - L(x-h)) / 2h
///   D4(h) = (4 D2(h) - D2(2h)) / 3   = (8 (L(x+h) - L(x-h)) - (L(x+2h) - L(x-2h))) / 12h
///   D6(h) = (16 D4(h) - D4(2h)) / 15
///
/// `order` is 0, 1 or 2 for 2, 4 and 6; it takes pairs[k], ..., pairs[k + order].
inline Real central(const std::vector<Pair>& pairs, const Real& step, std::size_t k, int order) {
  const Real h = ldexp(step, static_cast<int>(k));
  const Real d2 = (pairs[k].above - pairs[k].below) / (2 * h);
  if (order == 0) return d2;
  const double weight = order == 1 ? 4 : 16;
  const Real fine = central(pairs, step, k, order - 1);
  const Real coarse = central(pairs, step, k + 1, order - 1);
  return (weight * fine - coarse) / (weight - 1);
}

/// (L(x+h) - 2 L(x) + L(x-h)) / h: halves with h where L is smooth, stays where it has a kink at x.
inline Real bend(const Pair& pair, const Real& step) { return (pair.above + pair.below) / step; }

}  // namespace gradproof
