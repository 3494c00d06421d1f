// SPDX-License-Identifier: Apache-2.0
// Double-doubles and triple-doubles in each instruction set against 100 digits: packs are single
// numbers lane by lane, errors are within those stated, and without its lowest part no result is.
#include <array>

#include "oracles/arithmetic/logistic.h"
#include "tests/arithmetic/same.h"
#include "tests/arithmetic/wide_draws.h"

namespace gradproof::oracle_tests {
namespace {

using Op = WideOperation;

/// Draws for an operation.
constexpr std::int64_t kOperationDraws = 1 << 14;

using oracle_tests::same;

bool same(const Wide& a, const Wide& b) {
  return same(a.hi, b.hi) && same(a.mid, b.mid) && same(a.lo, b.lo);
}

/// The true result, and what the allowed error is: a number of units times a size, and what may
/// underflow.
struct Wanted {
  Hundred value;
  double units = 0;
  Hundred size;
  double underflow = 0;
};

Wanted wanted_number(Op operation, const Hundred& a, const Hundred& b, double b_high,
                     const WideErrors& errors) {
  const auto relative = [](const Hundred& value, double units) {
    return Wanted{value, units, Hundred(abs(value)), 0};
  };
  switch (operation) {
    case Op::plus:
      return {a + b, errors.sum, Hundred(abs(a) + abs(b)), 0};
    case Op::minus:
      return {a - b, errors.sum, Hundred(abs(a) + abs(b)), 0};
    case Op::times:
      return relative(a * b, errors.product);
    case Op::over:
      return relative(a / b, errors.quotient);
    case Op::over_double:
      return relative(a / Hundred(b_high), errors.quotient_by_double);
    default:
      return relative(sqrt(a), errors.root);
  }
}

Wanted wanted_function(Op operation, const Hundred& z, const WideErrors& errors) {
  const Logistic<Hundred> l = logistic(z);
  const double underflow = kWideUnderflow * (1 + abs(z).convert_to<double>());
  switch (operation) {
    case Op::exponential:
      return {exp(z), errors.exponential, exp(z), underflow};
    case Op::sigmoid:
      return {l.s, errors.sigmoid(), l.s, underflow};
    case Op::swish:
      return {swish(z, l), errors.swish(), Hundred(abs(z) * l.s), underflow};
    default:
      return {swish_derivative(z, l), errors.slope(), Hundred(l.s * (1 + abs(z) * l.q)), underflow};
  }
}

/// Error by allowed error.
double ratio(const Wide& got, const Wanted& wanted, const WideErrors& errors) {
  const Hundred error = abs(number(got) - wanted.value);
  if (error == 0) return 0;
  const Hundred allowed = wanted.size * wanted.units * errors.unit + wanted.underflow;
  return Hundred(error / allowed).convert_to<double>();
}

/// Each part is about a last place of the one above at most, as the next operation's bound takes
/// for granted.
bool apart(const Wide& w) {
  return std::fabs(w.mid) <= 2 * kUnit * std::fabs(w.hi) &&
         std::fabs(w.lo) <= 2 * kUnit * std::fabs(w.mid);
}

class WideNumbers : public testing::TestWithParam<WideKind> {
 protected:
  struct Outcome {
    double largest = 0;
    std::int64_t outside = 0;
    std::int64_t shortened_outside = 0;
    std::int64_t overlapping = 0;
    std::int64_t strangers = 0;
  };

  static bool is_function(Op operation) {
    return operation >= Op::exponential && operation <= Op::slope;
  }

  static Outcome outcome(const WideKind& kind, Op operation) {
    Draw draw(40 + static_cast<std::uint64_t>(operation));
    Outcome outcome;
    for (std::int64_t k = 0; k < kOperationDraws; k += kAtOnce) {
      std::array<Wide, kAtOnce> a, b, packed, single;
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const double size = drawn_size(draw);
        a[i] = is_function(operation)
                   ? drawn_exponent(draw, kind.triple)
                   : drawn_wide(draw, operation == Op::root ? std::fabs(size) : size, kind.triple);
        b[i] = drawn_partner(draw, a[i], kind.triple);
      }
      kind.apply(operation, a.data(), b.data(), kAtOnce, packed.data(), single.data());
      for (std::size_t i = 0; i < kAtOnce; ++i)
        note(outcome, kind, operation, a[i], b[i], packed[i], single[i]);
    }
    return outcome;
  }

  static void note(Outcome& outcome, const WideKind& kind, Op operation, const Wide& a,
                   const Wide& b, const Wide& packed, const Wide& single) {
    const WideErrors& errors = kind.errors();
    const Wanted wanted = is_function(operation)
                              ? wanted_function(operation, number(a), errors)
                              : wanted_number(operation, number(a), number(b), b.hi, errors);
    const double here = ratio(packed, wanted, errors);
    outcome.largest = std::max(outcome.largest, here);
    outcome.outside += !(here <= 1);
    outcome.shortened_outside += !(ratio(kind.shortened(packed), wanted, errors) <= 1);
    outcome.overlapping += !apart(packed);
    outcome.strangers += !same(packed, single);
  }
};

TEST_P(WideNumbers, ErrAsStated) {
  for (int o = 0; o < static_cast<int>(Op::less); ++o) {
    const Outcome outcome = this->outcome(GetParam(), static_cast<Op>(o));
    EXPECT_EQ(outcome.strangers, 0) << "operation " << o;
    EXPECT_EQ(outcome.outside, 0) << "operation " << o << ": " << outcome.largest;
    EXPECT_GT(outcome.largest, 0x1p-8) << "operation " << o << ": 2^-8 as much goes unnoticed";
    EXPECT_EQ(outcome.overlapping, 0) << "operation " << o;
    EXPECT_GT(outcome.shortened_outside, kOperationDraws / 4)
        << "operation " << o << ", the control: a number without its lowest part passes";
    RecordProperty("operation_" + std::to_string(o), std::to_string(outcome.largest));
  }
}

TEST_P(WideNumbers, CompareByAllTheirParts) {
  Draw draw(5);
  std::int64_t wrong = 0;
  std::int64_t undecided_by_hi = 0;
  for (std::int64_t k = 0; k < kOperationDraws; k += kAtOnce) {
    std::array<Wide, kAtOnce> a, b, less, at_least, single;
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      a[i] = drawn_wide(draw, drawn_size(draw), GetParam().triple);
      b[i] = drawn_partner(draw, {-a[i].hi, -a[i].mid, -a[i].lo}, GetParam().triple);
      if (draw.below(8) == 0) b[i] = a[i];
    }
    GetParam().apply(Op::less, a.data(), b.data(), kAtOnce, less.data(), single.data());
    GetParam().apply(Op::at_least, a.data(), b.data(), kAtOnce, at_least.data(), single.data());
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      const bool truth = number(a[i]) < number(b[i]);
      wrong += less[i].hi != truth || at_least[i].hi != !truth;
      undecided_by_hi += (a[i].hi < b[i].hi) != truth;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(undecided_by_hi, 0) << "the control";
}

TEST_P(WideNumbers, SayWhereTheyEnd) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::array<Wide, 6> a{Wide{0},    Wide{-kExpRange - 1}, Wide{kExpRange + 1},
                              Wide{kNaN}, Wide{-HUGE_VAL},      Wide{HUGE_VAL}};
  const std::array<double, 6> exponentials{1, 0, kNaN, kNaN, 0, kNaN};
  std::array<Wide, 6> packed, single;
  GetParam().apply(Op::exponential, a.data(), a.data(), 6, packed.data(), single.data());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(same(packed[i], {exponentials[i], 0, 0})) << i << ": " << packed[i].hi;
  GetParam().apply(Op::root, a.data(), a.data(), 1, packed.data(), single.data());
  EXPECT_TRUE(same(packed[0], {0, 0, 0}));
  EXPECT_FALSE(same(packed[0], {-0.0, 0, 0})) << "the control";
  GetParam().apply(Op::sigmoid, a.data(), a.data(), 4, packed.data(), single.data());
  EXPECT_EQ(packed[0].hi, 0.5);
  EXPECT_EQ(packed[1].hi, 0);
  EXPECT_EQ(packed[2].hi, 1);
  EXPECT_TRUE(std::isnan(packed[3].hi));
}

INSTANTIATE_TEST_SUITE_P(All, WideNumbers, testing::ValuesIn(wide_kinds()), kind_name);

}  // namespace
}  // namespace gradproof::oracle_tests
