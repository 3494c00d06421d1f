// SPDX-License-Identifier: Apache-2.0
// The arithmetics on packs, in each instruction set that the CPU has: the same bits as one number
// at a time, and certified numbers hold 50 digits.
#include <array>

#include "oracles/arithmetic/logistic.h"
#include "tests/arithmetic/certified_draws.h"
#include "tests/arithmetic/same.h"

namespace gradproof::oracle_tests {

std::vector<ArithmeticUnit> runnable_arithmetics() {
  std::vector<ArithmeticUnit> all;
  for (const auto& each : compilations_of([]<InstructionSet set>() { return &arithmetic_of<set>; }))
    if (runs_here(each.set)) all.push_back(each.make());
  return all;
}

namespace {

/// Draws for an operation in each instruction set.
constexpr std::int64_t kOperationDraws = 1 << 17;

/// Any double: of every exponent, NaN and infinities among them.
double any_double(Draw& draw) {
  const double specials[] = {0.0,       -0.0,     HUGE_VAL, -HUGE_VAL, std::nan(""),
                             0x1p-1074, 0x1p1023, 1,        -1};
  if (draw.below(4) == 0) return specials[draw.below(9)];
  return drawn_high(draw);
}

Triple drawn_triple(Draw& draw, Operation operation) {
  const bool function = operation >= Operation::exponential;
  const double high = function ? (draw.below(2) ? drawn_argument(draw) : 8 * draw.normal())
                      : operation == Operation::root ? std::fabs(drawn_high(draw))
                                                     : drawn_high(draw);
  Certified v = drawn(draw, high);
  if (function && draw.below(2)) v.radius = 0;
  return {v.hi, v.lo, v.radius};
}

/// The operation at 50 digits or, a sum, exactly.
template <class Number>
Number exact(Operation operation, const Number& a, const Number& b, const Number& b_high) {
  switch (operation) {
    case Operation::plus:
      return a + b;
    case Operation::plus_double:
      return a + b_high;
    case Operation::minus:
      return a - b;
    case Operation::times:
      return a * b;
    case Operation::times_double:
      return a * b_high;
    case Operation::over:
      return a / b;
    default:
      return a / b_high;
  }
}

Real exact_function(Operation operation, const Real& a) {
  switch (operation) {
    case Operation::root:
      return sqrt(a);
    case Operation::exponential:
      return exp(a);
    case Operation::sigmoid:
      return logistic(a).s;
    case Operation::complement:
      return logistic(a).q;
    case Operation::swish:
      return swish(a, logistic(a));
    default:
      return swish_derivative(a, logistic(a));
  }
}

void judge_one(Tally& tally, Draw& draw, Operation operation, const Triple& a, const Triple& b,
               const Certified& got) {
  if (!got.decided()) return;
  if (operation <= Operation::minus) {
    const Exact x = member<Exact>(draw, number(a));
    const Exact y = member<Exact>(draw, number(b));
    judge(tally, got, exact(operation, x, y, Exact(b.hi)), 0);
    return;
  }
  const Real x = member<Real>(draw, number(a));
  if (operation < Operation::root) {
    const Real y = member<Real>(draw, number(b));
    judge(tally, got, exact(operation, x, y, Real(b.hi)), kReference);
  } else if (operation != Operation::root || x >= 0) {
    judge(tally, got, exact_function(operation, x), kRealUnit * 0x1p14);
  }
}

class ArithmeticUnits : public testing::TestWithParam<ArithmeticUnit> {};

TEST_P(ArithmeticUnits, PacksAreDoublesLaneByLane) {
  Draw draw(1);
  std::int64_t strangers = 0;
  for (std::int64_t k = 0; k < kOperationDraws; ++k) {
    std::array<double, 8> a{}, b{};
    for (double& v : a) v = any_double(draw);
    for (double& v : b) v = any_double(draw);
    if (draw.below(4) == 0) b = a;
    strangers += GetParam().strangers(a.data(), b.data(), false);
    if (k == 0) {
      EXPECT_GT(GetParam().strangers(a.data(), b.data(), true), 0) << "the control";
    }
  }
  EXPECT_EQ(strangers, 0);
}

TEST_P(ArithmeticUnits, CertifiedNumbersHold) {
  for (int o = 0; o < static_cast<int>(Operation::count); ++o) {
    const auto operation = static_cast<Operation>(o);
    Draw draw(100 + static_cast<std::uint64_t>(o));
    Tally tally;
    std::int64_t strangers = 0;
    for (std::int64_t k = 0; k < kOperationDraws; k += kAtOnce) {
      std::array<Triple, kAtOnce> a, b, packed, single;
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        a[i] = drawn_triple(draw, operation);
        const Certified second = drawn_second(draw, number(a[i]));
        b[i] = {second.hi, second.lo, second.radius};
      }
      GetParam().certified(operation, a.data(), b.data(), kAtOnce, packed.data(), single.data());
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        strangers += !same(packed[i], single[i]);
        judge_one(tally, draw, operation, a[i], b[i], number(packed[i]));
      }
    }
    EXPECT_EQ(strangers, 0) << "operation " << o;
    EXPECT_EQ(tally.outside, 0) << "operation " << o;
    EXPECT_GT(tally.decided, kOperationDraws / 3) << "operation " << o;
    EXPECT_GT(tally.largest, 0x1p-8) << "operation " << o << ": radii 2^-8 as wide go unnoticed";
  }
}

TEST_P(ArithmeticUnits, ExpOfNegativeKeepsItsError) {
  Draw draw(7);
  double largest = 0;
  std::int64_t strangers = 0;
  for (std::int64_t k = 0; k < kOperationDraws; k += kAtOnce) {
    std::array<double, kAtOnce> x{}, packed{}, single{};
    for (double& v : x) {
      const std::int64_t kind = draw.below(4);
      v = kind == 0 ? -760 * draw.uniform() : -std::fabs(drawn_argument(draw));
      if (kind == 3 && draw.below(8) == 0) v = draw.below(2) ? 0.0 : -HUGE_VAL;
    }
    GetParam().exp_of_negative(x.data(), kAtOnce, packed.data(), single.data());
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      strangers += !same(packed[i], single[i]);
      const Real truth = exp(Real(x[i]));
      const Real error = abs(Real(packed[i]) - truth);
      const Real allowed = truth * kExpOfNegativeError + 0x1p-1074;
      largest = std::max(largest, Real(error / allowed).convert_to<double>());
    }
  }
  EXPECT_EQ(strangers, 0);
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0x1p-8);
  RecordProperty("largest", std::to_string(largest));
}

INSTANTIATE_TEST_SUITE_P(All, ArithmeticUnits, testing::ValuesIn(runnable_arithmetics()),
                         [](const auto& unit) { return name_of(unit.param.set); });

}  // namespace
}  // namespace gradproof::oracle_tests
