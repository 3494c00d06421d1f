// SPDX-License-Identifier: Apache-2.0
// Certified numbers against MPFR: the radius holds, for every operation and for the stages' text.
#include "oracles/arithmetic/logistic.h"
#include "tests/arithmetic/certified_draws.h"

namespace gradproof::oracle_tests {
namespace {

constexpr std::int64_t kDraws = 1'000'000;

/// `operation` on two operands, and on the second as a double.
template <class Number, class Operation>
Tally try_binary(std::uint64_t seed, double slack, Operation operation) {
  Draw draw(seed);
  Tally tally;
  for (std::int64_t i = 0; i < kDraws; ++i) {
    const Certified a = drawn(draw, drawn_high(draw));
    const Certified b = drawn_second(draw, a);
    const Number x = member<Number>(draw, a);
    if (i % 4) {
      const Number y = member<Number>(draw, b);
      const Certified got = operation(a, b);
      if (got.decided()) judge(tally, got, Number(operation(x, y)), slack);
    } else {
      const Certified got = operation(a, b.hi);
      if (got.decided()) judge(tally, got, Number(operation(x, Number(b.hi))), slack);
    }
  }
  return tally;
}

TEST(Certified, SumsHold) {
  expect_holds(try_binary<Exact>(1, 0, [](const auto& a, const auto& b) { return a + b; }),
               kDraws * 9 / 10);
}

TEST(Certified, DifferencesHold) {
  expect_holds(try_binary<Exact>(2, 0, [](const auto& a, const auto& b) { return a - b; }),
               kDraws * 9 / 10);
}

TEST(Certified, ProductsHold) {
  expect_holds(try_binary<Real>(3, kReference, [](const auto& a, const auto& b) { return a * b; }),
               kDraws / 2);
}

TEST(Certified, QuotientsHold) {
  expect_holds(try_binary<Real>(4, kReference, [](const auto& a, const auto& b) { return a / b; }),
               kDraws / 2);
}

TEST(Certified, RootsHold) {
  Draw draw(5);
  Tally tally;
  for (std::int64_t i = 0; i < kDraws; ++i) {
    const Certified a = drawn(draw, std::fabs(drawn_high(draw)));
    const Real x = member<Real>(draw, a);
    if (x >= 0) judge(tally, sqrt(a), Real(sqrt(x)), kReference);
  }
  expect_holds(tally, kDraws / 2);
}

TEST(Certified, ExponentialsHold) {
  Draw draw(6);
  Tally tally;
  for (std::int64_t i = 0; i < kDraws; ++i) {
    Certified a = drawn(draw, drawn_argument(draw));
    if (draw.below(2)) a.radius = 0;
    // exp turns the reference's 2^-168 of the argument, at most 2^10, into that of its value.
    judge(tally, exp(a), Real(exp(member<Real>(draw, a))), kRealUnit * 0x1p11);
  }
  expect_holds(tally, kDraws / 2);
}

/// z's sign may be open: either branch of `logistic` is right.
TEST(Certified, SwishHolds) {
  Draw draw(7);
  Tally tally;
  for (std::int64_t i = 0; i < kDraws / 4; ++i) {
    const Certified a = drawn(draw, draw.below(2) ? drawn_argument(draw) : 8 * draw.normal());
    const Real x = member<Real>(draw, a);
    const auto l = logistic(a);
    const auto exact = logistic(x);
    judge(tally, swish(a, l), swish(x, exact), kRealUnit * 0x1p14);
    judge(tally, l.s, exact.s, kRealUnit * 0x1p14);
    judge(tally, l.q, exact.q, kRealUnit * 0x1p14);
  }
  expect_holds(tally, kDraws / 4);
}

TEST(Certified, WhatIsNotFiniteIsUndecided) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLargest = std::numeric_limits<double>::max();
  const Certified one(1);
  for (const double v : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    const Certified x(v);
    for (const Certified& y :
         {x, -x, x + one, one - x, x * one, x * Certified(0), one * v, one + v, one - v, x / one,
          one / x, one / v, sqrt(x), exp(x), exp(-x), logistic(x).s, logistic(x).q})
      EXPECT_FALSE(y.decided()) << v << " " << y.hi;
  }
  const Certified large(kLargest);
  for (const Certified& y : {large + large, large * large, large * 2.0, large / Certified(0.5),
                             one / Certified(0), one / 0.0, one / Certified(1, 0, 1), sqrt(-one),
                             sqrt(Certified(0)), sqrt(Certified(1, 0, 2)), exp(Certified(691)),
                             exp(Certified(1, 0, 2)), exp(Certified(-690, 0, 2))})
    EXPECT_FALSE(y.decided()) << y.hi;
  EXPECT_TRUE(one.decided());
  EXPECT_TRUE(exp(Certified(-1e5)).decided());
  EXPECT_TRUE(exp(Certified(-700, 0, 2)).decided()) << "all of the ball is below -689";
}

/// Neither is a number that is so small that its product underflows, nor a ball about 0.
TEST(Certified, AnExactZeroTimesOrOverAFiniteNumberIsExact) {
  const Certified zero(0);
  for (const Certified& b : {Certified(3), Certified(-1, 0x1p-60, 0x1p-90), Certified(0x1p-900)}) {
    for (const Certified& y :
         {zero * b, b * zero, -zero * b, zero * b.hi, b * 0.0, zero / b, zero / b.hi}) {
      EXPECT_EQ(y.hi, 0);
      EXPECT_EQ(y.lo, 0);
      EXPECT_EQ(y.radius, 0);
    }
    for (const Certified& small : {Certified(0x1p-1000), Certified(0, 0, 0x1p-1000)})
      for (const Certified& y :
           {small * b, b * small, small * b.hi, Certified(b.hi) * small, small / b, small / b.hi})
        EXPECT_GT(y.radius, 0);
  }
}

TEST(Certified, OrdersByHighThenLow) {
  EXPECT_TRUE(Certified(1, -0x1p-60, 0) < Certified(1));
  EXPECT_FALSE(Certified(1, -0x1p-60, 0) >= Certified(1));
  EXPECT_TRUE(Certified(-1) < Certified(0) && Certified(0) >= Certified(0));
}

}  // namespace
}  // namespace gradproof::oracle_tests
