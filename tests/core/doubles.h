// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

/// Helpers for tests of numbers: the doubles that are not finite, and the bits of any double.
namespace gradproof {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace gradproof
