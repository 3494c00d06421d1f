// SPDX-License-Identifier: Apache-2.0
// expm1, tanh, erf, log and log1p of certified numbers in each instruction set: they hold 50 digits
// over their whole range, with small radii, and a pack has the same bits as one number at a time.
#include "oracles/arithmetic/certified_functions.h"

#include <array>

#include "tests/arithmetic/function_draws.h"
#include "tests/arithmetic/same.h"

namespace gradproof::oracle_tests {
namespace {

/// The number of arguments that are drawn for a function in each instruction set.
constexpr std::int64_t kFunctionDraws = 1 << 15;

Certified above_minus_one(const Certified& x) {
  const DoubleDouble v = two_sum(-1.0, std::fabs(x.lo) + 0x1p-200);
  return {v.hi, v.lo, x.radius};
}

struct FunctionCase {
  const char* name;
  Function function;
  double (*high)(Draw&);
  double error;     ///< stated
  double absolute;  ///< and beside it
};

constexpr std::array kFunctions = {
    FunctionCase{"expm1", Function::expm1, drawn_for_exponential, kExpm1Error, 0x1p-1074},
    FunctionCase{"tanh", Function::tanh, drawn_for_tanh, kTanhError, 0x1p-1074},
    FunctionCase{"erf", Function::erf, drawn_for_erf, kErfError, kUnderflow},
    FunctionCase{"log", Function::log, drawn_for_log, kLogError, 0x1p-1074},
    FunctionCase{"log1p", Function::log1p, drawn_for_log1p, kLogError, 0x1p-1074},
    FunctionCase{"sin", Function::sin, drawn_for_sine, kSineError, kReductionError},
    FunctionCase{"cos", Function::cos, drawn_for_sine, kSineError, kReductionError},
};

/// offset + the number + side radii, without the rounding of a partial sum that cancels.
Real moved(const Certified& x, double offset, double side) {
  return ((Real(offset) + Real(x.hi)) + Real(x.lo)) + Real(side) * Real(x.radius);
}

/// The function at an end of the ball or its centre.
Real exact(Function function, const Certified& x, double side) {
  const bool near_one = std::fabs(x.hi - 1) < 0.5;
  switch (function) {
    case Function::expm1:
      return expm1(moved(x, 0, side));
    case Function::tanh:
      return tanh(moved(x, 0, side));
    case Function::erf:
      return erf(moved(x, 0, side));
    case Function::sin:
      return sin(moved(x, 0, side));
    case Function::cos:
      return cos(moved(x, 0, side));
    case Function::log:
      return near_one ? Real(log1p(moved(x, -1, side))) : Real(log(moved(x, 0, side)));
    default:
      return x.hi < -0.5 ? Real(log(moved(x, 1, side))) : Real(log1p(moved(x, 0, side)));
  }
}

/// The findings about one function in one instruction set.
struct Found {
  Tally tally;
  Tally exact;                 ///< of arguments with radius 0
  std::int64_t strangers = 0;  ///< numbers of packs that are not those of double
  std::int64_t open = 0;       ///< exact arguments without an answer
  std::int64_t wide = 0;       ///< radii beyond what is stated, of exact arguments
};

using Drawn = std::array<Triple, kAtOnce>;

Drawn drawn_numbers(Draw& draw, double (*high)(Draw&)) {
  Drawn a;
  for (Triple& t : a) {
    Certified x = drawn(draw, high(draw));
    if (high == drawn_for_log1p && x.hi == -1) x = above_minus_one(x);
    if (draw.below(2)) x.radius = 0;
    t = {x.hi, x.lo, x.radius};
  }
  return a;
}

void note_one(Found& found, Draw& draw, const FunctionCase& f, const Certified& x,
              const Certified& y) {
  if (x.radius == 0) {
    found.open += !y.decided();
    found.wide += y.radius > (f.error * std::fabs(y.hi) + f.absolute) * kUpward;
  }
  if (!y.decided()) return;
  const double side = static_cast<double>(draw.below(3)) - 1;
  // An exponential turns 2^-168 of its argument, at most 2^10, into that of its value.
  judge(x.radius == 0 ? found.exact : found.tally, y, exact(f.function, x, side),
        kRealUnit * 0x1p14);
}

Found found_of(const ArithmeticUnit& unit, const FunctionCase& f, bool wrong) {
  Draw draw(200 + static_cast<std::uint64_t>(f.function));
  Found found;
  for (std::int64_t k = 0; k < kFunctionDraws; k += kAtOnce) {
    const Drawn a =
        drawn_numbers(draw, wrong ? [](Draw& d) { return 0.25 + d.uniform() * 0.5; } : f.high);
    Drawn packed, single;
    unit.function(f.function, wrong, a.data(), kAtOnce, packed.data(), single.data());
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      found.strangers += !same(packed[i], single[i]);
      note_one(found, draw, f, number(a[i]), number(packed[i]));
    }
  }
  return found;
}

class CertifiedFunctionUnits : public testing::TestWithParam<ArithmeticUnit> {};

TEST_P(CertifiedFunctionUnits, HoldFiftyDigits) {
  for (const FunctionCase& f : kFunctions) {
    const Found found = found_of(GetParam(), f, false);
    EXPECT_EQ(found.tally.outside + found.exact.outside, 0) << f.name;
    EXPECT_EQ(found.strangers, 0) << f.name;
    EXPECT_EQ(found.open, 0) << f.name;
    EXPECT_EQ(found.wide, 0) << f.name;
    EXPECT_GT(found.tally.decided, kFunctionDraws / 8) << f.name;
    EXPECT_GT(found.tally.largest, 0.9) << f.name;
    EXPECT_GT(found.exact.largest, 0x1p-5) << f.name << ": radii 2^-5 as wide go unnoticed";
    RecordProperty(f.name, std::to_string(found.exact.largest));
  }
}

/// The control.
TEST_P(CertifiedFunctionUnits, AWrongCoefficientIsConvicted) {
  for (const FunctionCase& f : kFunctions)
    EXPECT_GT(found_of(GetParam(), f, true).exact.outside, kFunctionDraws / 100) << f.name;
}

INSTANTIATE_TEST_SUITE_P(All, CertifiedFunctionUnits, testing::ValuesIn(runnable_arithmetics()),
                         [](const auto& unit) { return name_of(unit.param.set); });

/// True if the sum of the two parts is off v by at most |v| kUnitSquared.
bool is_rounded(const double* parts, const Real& v) {
  return abs(Real(parts[0]) + Real(parts[1]) - v) <= abs(v) * Real(kUnitSquared);
}

TEST(CertifiedFunctions, TheTableOfErfIsRoundedTwice) {
  const Real slope = 2 / sqrt(boost::math::constants::pi<Real>());
  for (std::size_t i = 0; i <= 132; ++i) {
    const Real a = Real(i) / 16;
    const double* node = kErfNodes + 4 * i;
    EXPECT_TRUE(is_rounded(node, erf(a))) << i;
    EXPECT_TRUE(is_rounded(node + 2, slope * exp(-a * a))) << i;
    const double other[] = {node[2], node[3] + 4 * kUnitSquared * node[2]};
    EXPECT_FALSE(is_rounded(other, slope * exp(-a * a))) << "the control, " << i;
  }
}

TEST(CertifiedFunctions, WhatHasNoValueIsUndecided) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double v : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    const Certified x(v);
    for (const Certified& y : {expm1(x), tanh(x), erf(x), log(x), log1p(x)})
      EXPECT_FALSE(y.decided()) << v << " " << y.hi;
  }
  for (const Certified& y :
       {expm1(Certified(691)), expm1(Certified(1, 0, 2)), expm1(Certified(-700, 0, 2)),
        log(Certified(0)), log(Certified(-1)), log(Certified(1, 0, 1)), log1p(Certified(-1)),
        log1p(Certified(-2)), log1p(Certified(-0.5, 0, 0.5)), log1p(Certified(-1, -0x1p-60, 0))})
    EXPECT_FALSE(y.decided()) << y.hi;
}

TEST(CertifiedFunctions, SaturateFarOut) {
  EXPECT_EQ(expm1(Certified(-1e5)).hi, -1);
  for (const double x : {1e5, 1e308}) {
    EXPECT_EQ(tanh(Certified(x)).hi, 1);
    EXPECT_EQ(tanh(Certified(-x)).hi, -1);
    EXPECT_EQ(erf(Certified(x)).hi, 1);
    EXPECT_EQ(erf(Certified(-x)).hi, -1);
    EXPECT_LE(erf(Certified(x)).radius, 2 * kErfError);
  }
}

/// An argument at which the function's value is exact gives a result of radius 0.
TEST(CertifiedFunctions, ZeroIsExact) {
  for (const Certified& y :
       {expm1(Certified(0)), tanh(Certified(0)), log(Certified(1)), log1p(Certified(0))}) {
    EXPECT_EQ(y.hi, 0);
    EXPECT_EQ(y.radius, 0);
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
