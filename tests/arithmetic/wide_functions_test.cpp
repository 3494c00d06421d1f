// SPDX-License-Identifier: Apache-2.0
// expm1, log1p, log, tanh and erf of double-doubles and triple-doubles in each instruction set
// against 100 digits, over the whole range of each.
#include "oracles/arithmetic/wide_functions.h"

#include <array>

#include "tests/arithmetic/function_draws.h"
#include "tests/arithmetic/same.h"
#include "tests/arithmetic/wide_draws.h"

namespace gradproof::oracle_tests {
namespace {

/// Draws for a function.
constexpr std::int64_t kFunctionDraws = 1 << 13;

/// Nobody relies on the bounds of these functions: whoever uses them compares two steps, or asks
/// 400 digits. Measured are at most 42 units of double-doubles (erf) and 17 of triple-doubles. The
/// limit is what 150 roundings of 4 or 8 units make; a step of an iteration too few, or half of an
/// argument's digits, costs 2^20 of them and more.
double allowed_units(bool triple) { return 150 * (triple ? 8 : 4); }

struct WideFunctionCase {
  const char* name;
  WideFunction function;
  double (*high)(Draw&);
};

/// Arguments of which some are taken from pi/2, and none lies near a zero.
double drawn_for_turn(Draw& draw) { return sign(draw) * 1.3 * draw.uniform(); }

constexpr std::array kFunctions = {
    WideFunctionCase{"expm1", WideFunction::expm1, drawn_for_exponential},
    WideFunctionCase{"log1p", WideFunction::log1p, drawn_for_log1p},
    WideFunctionCase{"log", WideFunction::log, drawn_for_log},
    WideFunctionCase{"tanh", WideFunction::tanh, drawn_for_tanh},
    WideFunctionCase{"erf", WideFunction::erf, drawn_for_erf},
    WideFunctionCase{"sin", WideFunction::sin, drawn_for_turn},
    WideFunctionCase{"cos", WideFunction::cos, drawn_for_turn},
};

Hundred exact(WideFunction function, const Hundred& x) {
  switch (function) {
    case WideFunction::expm1:
      return expm1(x);
    case WideFunction::log1p:
      return log1p(x);
    case WideFunction::log:
      return abs(Hundred(x - 1)) < 0.5 ? Hundred(log1p(Hundred(x - 1))) : Hundred(log(x));
    case WideFunction::tanh:
      return tanh(x);
    case WideFunction::sin:
      return sin(x);
    case WideFunction::cos:
      return cos(x);
    default: {
      Hundred y;
      mpfr_erf(y.backend().data(), x.backend().data(), MPFR_RNDN);
      return y;
    }
  }
}

/// An argument whose parts do not underflow, as those of products would.
Wide argument(Draw& draw, const WideFunctionCase& f, bool triple) {
  double hi = f.high(draw);
  while ((std::fabs(hi) < 0x1p-800 && hi != 0) || !std::isfinite(hi)) hi = f.high(draw);
  if (std::fabs(hi) > 0x1p1000) hi *= 0x1p-20;  // drawing its parts may double it
  const Wide x = drawn_wide(draw, hi, triple);
  const bool outside = (f.function == WideFunction::log1p && number(x) <= -1) ||
                       (f.function == WideFunction::log && number(x) <= 0);
  return outside ? Wide{0.5} : x;
}

struct Found {
  double largest = 0;  ///< error by allowed error
  Wide at;
  std::int64_t outside = 0;
};

Found found_of(const WideKind& kind, const WideFunctionCase& f, bool packed, bool wrong) {
  Draw draw(300 + static_cast<std::uint64_t>(f.function));
  Found found;
  std::vector<Wide> arguments;
  for (std::int64_t k = 0; k < kFunctionDraws; ++k)
    arguments.push_back(argument(draw, f, kind.triple));
  std::vector<Wide> results(arguments.size());
  kind.unit.function(f.function, kind.triple, packed, wrong, arguments.data(), kFunctionDraws,
                     results.data());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Wide& x = arguments[k];
    const Hundred truth = exact(f.function, number(x));
    const Hundred error = abs(Hundred(number(results[k]) - truth));
    const Hundred allowed =
        abs(truth) * allowed_units(kind.triple) * kind.errors().unit + kWideUnderflow;
    const double ratio = error == 0 ? 0 : Hundred(error / allowed).convert_to<double>();
    found.outside += !(ratio <= 1);
    if (!(ratio <= found.largest)) {
      found.largest = ratio;
      found.at = x;
    }
  }
  return found;
}

class WideFunctions : public testing::TestWithParam<WideKind> {};

TEST_P(WideFunctions, ErrAsStated) {
  for (const WideFunctionCase& f : kFunctions)
    for (const bool packed : {false, true}) {
      const Found found = found_of(GetParam(), f, packed, false);
      EXPECT_EQ(found.outside, 0) << f.name << ": " << found.largest << " at " << found.at.hi;
      EXPECT_GT(found.largest, 0x1p-9) << f.name << ": 2^-9 as much goes unnoticed";
      RecordProperty(f.name, std::to_string(found.largest));
    }
}

/// The controls.
TEST_P(WideFunctions, ATermTooFewIsConvicted) {
  for (const WideFunctionCase& f : kFunctions)
    for (const bool packed : {false, true})
      EXPECT_GT(found_of(GetParam(), f, packed, true).outside, kFunctionDraws / 2) << f.name;
}

void expect_ends(const WideKind& kind, bool packed) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto of = [&](WideFunction function, double x) {
    const Wide a{x};
    Wide y;
    kind.unit.function(function, kind.triple, packed, false, &a, 1, &y);
    return y.hi;
  };
  EXPECT_TRUE(std::isnan(of(WideFunction::expm1, 700)));
  EXPECT_EQ(of(WideFunction::expm1, -700), -1);
  EXPECT_TRUE(std::isnan(of(WideFunction::log, -1)));
  EXPECT_FALSE(std::isfinite(of(WideFunction::log, 0)));
  EXPECT_FALSE(std::isfinite(of(WideFunction::log1p, -1)));
  EXPECT_EQ(of(WideFunction::tanh, -1e308), -1);
  EXPECT_EQ(of(WideFunction::erf, HUGE_VAL), 1);
  for (const WideFunctionCase& f : kFunctions) EXPECT_TRUE(std::isnan(of(f.function, kNaN)));
}

TEST_P(WideFunctions, SayWhereTheyEnd) {
  for (const bool packed : {false, true}) expect_ends(GetParam(), packed);
}

INSTANTIATE_TEST_SUITE_P(All, WideFunctions, testing::ValuesIn(wide_kinds()), kind_name);

}  // namespace
}  // namespace gradproof::oracle_tests
