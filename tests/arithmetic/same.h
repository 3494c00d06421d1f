// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/arithmetic/unit.h"

namespace gradproof::oracle_tests {

/// Numbers that a test hands a unit in one call: no multiple of a pack's lanes, so that the last
/// pack is filled in part.
inline constexpr std::int64_t kAtOnce = 61;

/// Equal bits, or both NaN.
inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

inline bool same(const Triple& a, const Triple& b) {
  return same(a.hi, b.hi) && same(a.lo, b.lo) && same(a.radius, b.radius);
}

}  // namespace gradproof::oracle_tests
