// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cfloat>
#include <cstdint>

#include "oracles/arithmetic/unit_name.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// How one type of number rounds: unit roundoff, half the smallest subnormal, largest finite
/// number.
struct Binary32 {
  static constexpr double u = 0x1p-24;
  static constexpr double eta = 0x1p-150;
  static constexpr double eta_of_sums = 0;  ///< sums are exact where they underflow
  static constexpr double smallest_normal = FLT_MIN;
  static constexpr double largest = FLT_MAX;
  static constexpr double log_largest = 0x1.62e42feba39efp+6;
  static constexpr bool nearest = true;
  static constexpr bool flushes = false;
  /// |v| is off by less than the radius where the contract's type is as coarse as double: products
  /// of two radii count as often as there are sources of such an error.
  static constexpr double second_order = 1;
};

/// A result below the smallest normal number may become 0, and an operand there may count as 0: no
/// error of that passes the smallest normal number itself.
struct Binary32Flushed : Binary32 {
  static constexpr double eta = FLT_MIN;
  static constexpr double eta_of_sums = FLT_MIN;
  static constexpr bool flushes = true;
};

struct Binary64 {
  static constexpr double u = 0x1p-53;
  static constexpr double eta = DBL_TRUE_MIN;  // its half is no double
  static constexpr double eta_of_sums = 0;
  static constexpr double smallest_normal = DBL_MIN;
  static constexpr double largest = DBL_MAX;
  static constexpr double log_largest = 0x1.62e42fefa39efp+9;
  static constexpr bool nearest = true;
  static constexpr bool flushes = false;
  static constexpr double second_order = 3;
};

/// Of a normal number.
[[gnu::always_inline]] inline bool is_power_of_two(double d) {
  const auto bits = std::bit_cast<std::uint64_t>(d);
  const std::uint64_t exponent = bits >> 52 & 0x7ff;
  return bits << 12 == 0 && exponent != 0 && exponent != 0x7ff;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
