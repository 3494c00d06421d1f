// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/arithmetic/certified_draws.h"

/// Arguments where the functions of certified_functions.h are hard.
namespace gradproof::oracle_tests {

/// A number that is v or at most a few units in the last place beside it.
inline double beside(Draw& draw, double v) {
  return v * (1 + (static_cast<double>(draw.below(9)) - 4) * 0x1p-52);
}

/// A number of any exponent and either sign; subnormal numbers are among them.
inline double of_any_size(Draw& draw) {
  return sign(draw) * std::ldexp(1 + draw.uniform(), static_cast<int>(draw.below(2098)) - 1074);
}

/// Draws a number of size 1 or less.
inline double below_one(Draw& draw) {
  return sign(draw) * std::ldexp(1 + draw.uniform(), -static_cast<int>(draw.below(60)));
}

/// Arguments where expm1 takes another entry of its table, and near the ends of its range.
inline double drawn_for_exponential(Draw& draw) {
  const double v = draw.below(2) ? drawn_argument(draw) : below_one(draw);
  const double ends[] = {689.9, -689.9, 0, 0x1p-110, -0x1p-110};
  const double x = draw.below(16) ? v : beside(draw, ends[draw.below(5)]);
  return std::clamp(x, -689.9, 689.9);
}

inline double drawn_for_tanh(Draw& draw) {
  const double ends[] = {345, 0x1p-110, 20, 0, 1e300};
  if (draw.below(16) == 0) return sign(draw) * beside(draw, ends[draw.below(5)]);
  return draw.below(8) ? drawn_for_exponential(draw) / 2 : of_any_size(draw);
}

/// Arguments near the nodes and the middles between two of them, near 0, and of any size.
inline double drawn_for_erf(Draw& draw) {
  const auto steps = static_cast<double>(draw.below(270));
  switch (draw.below(5)) {
    case 0:
      return sign(draw) * beside(draw, steps / 32);
    case 1:
      return sign(draw) * 9 * draw.uniform();
    case 2:
      return sign(draw) * (steps / 32 + (draw.uniform() - 0.5) * 0x1p-30);
    case 3:
      return of_any_size(draw);
    default:
      return below_one(draw);
  }
}

/// Arguments near multiples of pi/2, where one of sin and cos is small, between 0 and 1, and up to
/// the end of the range.
inline double drawn_for_sine(Draw& draw) {
  const auto quarters = static_cast<double>(draw.below(600000));
  switch (draw.below(4)) {
    case 0:
      return sign(draw) * beside(draw, quarters * 0x1.921fb54442d18p+0);
    case 1:
      return sign(draw) * 0x1.ffffp19 * draw.uniform();
    case 2:
      return sign(draw) * 8 * draw.uniform();
    default:
      return below_one(draw);
  }
}

/// Arguments near 1, near powers of 2, near where the exponent changes, and of any size.
inline double drawn_for_log(Draw& draw) {
  const int exponent = static_cast<int>(draw.below(2040)) - 1020;
  switch (draw.below(5)) {
    case 0:
      return 1 + below_one(draw) / 4;
    case 1:
      return std::ldexp(beside(draw, 1), draw.below(2) ? 0 : exponent);
    case 2:
      return std::ldexp(beside(draw, std::sqrt(0.5)), draw.below(2) ? 1 : exponent);
    case 3:
      return 0.5 + 2 * draw.uniform();
    default:
      return std::fabs(of_any_size(draw));
  }
}

/// Arguments near -1, near 0, near where the exponent of 1 + x changes, and of any size.
inline double drawn_for_log1p(Draw& draw) {
  switch (draw.below(4)) {
    case 0:
      return -1 + std::fabs(below_one(draw)) / 2;
    case 1:
      return below_one(draw) / 4;
    case 2:
      return drawn_for_log(draw) - 1;
    default:
      return std::fabs(of_any_size(draw));
  }
}

}  // namespace gradproof::oracle_tests
