// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/real.h"
#include "tests/arithmetic/unit.h"
#include "tests/support/oracle_trials.h"

namespace gradproof::oracle_tests {

inline Certified number(const Triple& t) { return {t.hi, t.lo, t.radius}; }

/// 2326 bits hold any sum of doubles exactly.
using Exact = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<700, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

/// A radius this much too small must be caught.
inline constexpr double kTooSmall = 0x1p-20;

/// A formula of a few steps in Real errs by less, relative to its value.
inline constexpr double kReference = kRealUnit * 64;

struct Tally {
  std::int64_t decided = 0;
  std::int64_t outside = 0;
  std::int64_t control = 0;  ///< outside the radius that is too small
  double largest = 0;        ///< error/radius
};

/// `slack` is the reference's own error, relative to |exact| + radius; it counts as the number's.
template <class Number>
void judge(Tally& tally, const Certified& got, const Number& exact, double slack) {
  if (!got.decided()) return;
  ++tally.decided;
  const Number radius(got.radius);
  const Number error =
      abs(exact - Number(got.hi) - Number(got.lo)) + Number(slack) * (abs(exact) + radius);
  if (!(error <= radius)) ++tally.outside;
  if (!(error <= radius * Number(kTooSmall))) ++tally.control;
  if (radius > 0)
    tally.largest = std::max(tally.largest, Number(error / radius).template convert_to<double>());
}

inline void expect_holds(const Tally& tally, std::int64_t least) {
  EXPECT_EQ(tally.outside, 0);
  EXPECT_GE(tally.decided, least);
  EXPECT_GT(tally.control, 0) << "the control: radii made too small were not caught";
  EXPECT_LE(tally.largest, 1);
  testing::Test::RecordProperty("largest", std::to_string(tally.largest));
}

inline double sign(Draw& draw) { return draw.below(2) ? 1 : -1; }

/// hi of every kind: plain, any exponent, at a power of two, subnormal, a small integer or 0.
inline double drawn_high(Draw& draw) {
  const double significand = sign(draw) * (1 + draw.uniform());
  const auto exponent = [&](int least, int most) {
    return least + static_cast<int>(draw.below(most - least));
  };
  switch (draw.below(8)) {
    case 0:
      return std::ldexp(significand, exponent(-1074, 1023));
    case 1:
      return std::ldexp(sign(draw), exponent(-60, 60)) * (1 + (draw.uniform() < 0.5) * 0x1p-52);
    case 2:
      return std::ldexp(sign(draw), exponent(-60, 60)) * (1 - 0x1p-53);
    case 3:
      return std::ldexp(significand, exponent(-1074, -1000));
    case 4:
      return static_cast<double>(draw.below(9)) - 4;
    case 5:
      return std::ldexp(significand, exponent(-500, 500));
    default:
      return std::ldexp(significand, exponent(-10, 10));
  }
}

/// A double-double of that hi: lo none, near half a unit of hi, or anything smaller. A radius none,
/// or of any size up to hi's.
inline Certified drawn(Draw& draw, double high) {
  double low = 0;
  if (draw.below(4)) low = high * sign(draw) * std::ldexp(draw.uniform(), -53);
  if (draw.below(3) == 0) low = high * sign(draw) * (0x1p-54 - 0x1p-107);
  if (draw.below(8) == 0) low = std::ldexp(low, -static_cast<int>(draw.below(200)));
  const DoubleDouble v = two_sum(high, low);
  double radius = 0;
  if (draw.below(2))
    radius = std::fabs(high) * std::ldexp(draw.uniform(), -static_cast<int>(draw.below(120)));
  return {v.hi, v.lo, radius};
}

/// A number of the ball: its centre or an end.
template <class Number>
Number member(Draw& draw, const Certified& c) {
  const auto side = static_cast<double>(draw.below(3)) - 1;
  return Number(c.hi) + Number(c.lo) + Number(side * c.radius);
}

/// The second operand; one in four nearly cancels the first.
inline Certified drawn_second(Draw& draw, const Certified& first) {
  if (draw.below(4)) return drawn(draw, drawn_high(draw));
  const double near = -first.hi * (1 + static_cast<double>(draw.below(5)) * 0x1p-52);
  Certified second = drawn(draw, near);
  if (draw.below(2)) second.lo = std::fabs(first.lo) <= std::fabs(near) * 0x1p-54 ? -first.lo : 0;
  return second;
}

/// Arguments of exp: its whole range and beyond, the usual [-100, 0], the ends of the reduced
/// interval, and the smallest.
inline double drawn_argument(Draw& draw) {
  constexpr double kStep = 0x1.62e42fefa39efp-8;  // ln2/128
  switch (draw.below(4)) {
    case 0:
      return -745 + 1454 * draw.uniform();
    case 1:
      return -100 * draw.uniform();
    case 2:
      return kStep * (static_cast<double>(draw.below(40001)) - 20000) *
             (1 + draw.uniform() * 0x1p-50);
    default:
      return sign(draw) * std::ldexp(1 + draw.uniform(), -static_cast<int>(draw.below(1074)));
  }
}

}  // namespace gradproof::oracle_tests
