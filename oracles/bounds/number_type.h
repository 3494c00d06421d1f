// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>

#include "oracles/arithmetic/unit_name.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Relative error of the error arithmetic itself, which is double: at most N + 100 roundings, N <
/// 2^32.
inline constexpr double kBookkeeping = 0x1p-20;

/// The roundings of float32: u is the unit roundoff, eta half the smallest subnormal, `largest` the
/// largest finite number.
struct Binary32 {
  static constexpr std::size_t shared_errors = 4;  ///< that an ErrorScalar keeps apart
  static constexpr double u = 0x1p-24;
  static constexpr double eta = 0x1p-150;
  static constexpr double eta_of_sums = 0;  ///< sums are exact where they underflow
  static constexpr double smallest_normal = FLT_MIN;
  static constexpr double largest = FLT_MAX;
  static constexpr double log_largest = 0x1.62e42feba39efp+6;
  static constexpr bool nearest = true;
  static constexpr bool flushes = false;
  /// This is false for a type as coarse as double, where v itself is off by up to the radius.
  /// Products of two radii count `second_order` times, once for each source of such an error.
  static constexpr bool value_is_exact = true;
  static constexpr double second_order = 1;
};

/// float32 that flushes to zero: a subnormal result may become 0, and a subnormal operand may count
/// as 0. Each such error is at most the smallest normal number.
struct Binary32Flushed : Binary32 {
  static constexpr double eta = FLT_MIN;
  static constexpr double eta_of_sums = FLT_MIN;
  static constexpr bool flushes = true;
};

struct Binary64 {
  static constexpr std::size_t shared_errors = 4;
  static constexpr double u = 0x1p-53;
  /// Half of the smallest subnormal for the kernel's rounding, and as much for each product of a
  /// rule that underflows in double: at most 13, in a * b with four shared errors.
  static constexpr double eta = 8 * DBL_TRUE_MIN;
  static constexpr double eta_of_sums = 0;
  static constexpr double smallest_normal = DBL_MIN;
  static constexpr double largest = DBL_MAX;
  static constexpr double log_largest = 0x1.62e42fefa39efp+9;
  static constexpr bool nearest = true;
  static constexpr bool flushes = false;
  static constexpr bool value_is_exact = false;
  static constexpr double second_order = 3;
};

/// F for numbers all of whose errors are independent, which takes half the work.
template <class F>
struct Unshared : F {
  static constexpr std::size_t shared_errors = 0;
};

/// True if a normal number is a power of two; false for all other numbers.
[[gnu::always_inline]] inline bool is_power_of_two(double d) {
  const auto bits = std::bit_cast<std::uint64_t>(d);
  const std::uint64_t exponent = bits >> 52 & 0x7ff;
  return bits << 12 == 0 && exponent != 0 && exponent != 0x7ff;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
