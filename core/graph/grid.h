// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string_view>

#include "core/graph/graph.h"

namespace gradproof {

/// The options of a rounding to another type.
inline constexpr std::string_view kToType = "to";
inline constexpr std::string_view kOverflow = "overflow";
inline constexpr std::string_view kTies = "ties";

/// The types that a step may round to, as the options have them. Those of 8 and 4 bits are OCP's
/// ("OCP 8-bit Floating Point Specification", 2023; "Microscaling Formats", 2023): f8e4m3 has no
/// infinity.
inline constexpr std::array<std::string_view, 7> kGridTypes{"f8e4m3", "f8e5m2", "f4e2m1", "i8",
                                                            "i4",     "bf16",   "f16"};
/// A number that is larger than all of the type becomes the largest one; or what a cast without
/// saturation makes of it, NaN or an infinity where the type has one.
inline constexpr std::array<std::string_view, 2> kOverflows{"saturate", "special"};
inline constexpr std::array<std::string_view, 2> kTieRules{"even", "away"};

/// The numbers of a type, and how others are rounded to them.
struct Grid {
  int digits = 1;          ///< of the significand, the first one counted
  int least = 0;           ///< the exponent of the smallest normal number
  double largest = 0;      ///< of the positive numbers
  double lowest = 0;       ///< the largest size of a negative number
  double beyond = 0;       ///< what a number too large becomes: `largest`, an infinity or NaN
  bool ties_away = false;  ///< of two equally near numbers the larger one, else the even one

  /// The number of the grid that v is rounded to; NaN for NaN.
  double nearest(double v) const;
  /// True if v lies in the middle of two numbers that the digits permit.
  bool is_middle(double v) const;

 private:
  /// The distance of such numbers at that size, which is finite and not 0.
  double unit(double size) const;
};

/// The grid of a type of kGridTypes; a number too large becomes the largest, ties go to even.
Grid grid_named(std::string_view type);

/// The grid of a step that rounds to a type.
Grid grid_of(const GraphStep& step);

}  // namespace gradproof
