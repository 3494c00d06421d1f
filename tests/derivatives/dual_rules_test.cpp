// SPDX-License-Identifier: Apache-2.0
// The rules of dual numbers in triple-doubles, each beside the same in 50 digits.
#include <gtest/gtest.h>

#include "core/tensor/philox.h"
#include "oracles/arithmetic/dual.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real_of.h"

namespace gradproof::oracle_tests {
namespace {

using Triple = TripledOf<double>;
using Double = DoubledOf<double>;

/// An argument with all digits that T has: a quotient of two doubles.
struct Argument {
  double number[4];

  template <class T>
  Dual<T> in() const {
    return {T(number[0]) / T(number[1]), T(number[2]) / T(number[3])};
  }
};

Argument argument(std::uint64_t k) {
  const Stream stream(1, "rules");
  return {{stream.normal(4 * k), 1 + stream.uniform(4 * k + 1), stream.normal(4 * k + 2),
           1 + stream.uniform(4 * k + 3)}};
}

/// A rule, as a function of two dual numbers in any T.
template <class Rule>
void expect_same(const char* name, const Rule& rule) {
  // A rule is a few operations on numbers of moderate size, after the arguments' own rounding. They
  // err by no more than the worst each, and no two terms cancel by more than 2^10 in 1000 draws.
  constexpr WideErrors kErrors = kTripledErrors;
  constexpr double kOperations = 16 * 0x1p10;
  constexpr double kWorst =
      std::max({kErrors.product, kErrors.quotient, kErrors.root, kErrors.exponential});
  constexpr double kPermitted = kOperations * kWorst * kErrors.unit;
  double rough_worst = 0;
  for (std::uint64_t k = 0; k < 500; ++k) {
    const Argument a = argument(2 * k), b = argument(2 * k + 1);
    const auto real = rule(a.in<Real>(), b.in<Real>());
    const auto quick = rule(a.in<Triple>(), b.in<Triple>());
    const auto rough = rule(a.in<Double>(), b.in<Double>());
    const auto off = [](const Real& truth, const Real& got) {
      return Real(abs(truth - got) / (1 + abs(truth))).convert_to<double>();
    };
    EXPECT_LE(off(real.v, real_of(quick.v)), kPermitted) << name << ", value, " << k;
    EXPECT_LE(off(real.d, real_of(quick.d)), kPermitted) << name << ", derivative, " << k;
    rough_worst = std::max(rough_worst, off(real.d, real_of(rough.d)));
  }
  // The control: with fewer digits it would be seen.
  EXPECT_GT(rough_worst, kPermitted) << name;
}

TEST(DualRules, InTripleDoublesAreThoseInFiftyDigits) {
  expect_same("+", [](const auto& a, const auto& b) { return a + b; });
  expect_same("-", [](const auto& a, const auto& b) { return a - b; });
  expect_same("+=", [](auto a, const auto& b) { return a += b; });
  expect_same("negative", [](const auto& a, const auto&) { return -a; });
  expect_same("*", [](const auto& a, const auto& b) { return a * b; });
  expect_same("/", [](const auto& a, const auto& b) {
    using D = std::decay_t<decltype(a)>;
    return a / (b * b + D(1));
  });
  expect_same("/ double", [](const auto& a, const auto&) { return a / -2.7; });
  expect_same("exp", [](const auto& a, const auto&) { return exp(a); });
  expect_same("sqrt", [](const auto& a, const auto& b) {
    using D = std::decay_t<decltype(a)>;
    return sqrt(a * a + b * b + D(0x1p-10));
  });
  const auto in = [](const auto& a) {
    using D = std::decay_t<decltype(a)>;
    return Plain<D>();
  };
  expect_same("swish",
              [&](const auto& a, const auto&) { return in(a).swish(a, in(a).logistic(a)); });
  expect_same("swish's adjoint", [&](const auto& a, const auto& b) {
    return in(a).swish_adjoint(b, a, in(a).logistic(a));
  });
}

TEST(DualRules, BothArmsOfTheSigmoidAreTaken) {
  for (const double z : {-3.0, 3.0}) {
    const Dual<Triple> quick = gradproof::logistic(Dual<Triple>(Triple(z), Triple(1))).s;
    const Dual<Real> real = gradproof::logistic(Dual<Real>(Real(z), Real(1))).s;
    EXPECT_EQ(quick.d.hi, real.d.convert_to<double>());
    EXPECT_EQ(quick.v.hi, real.v.convert_to<double>());
  }
}

TEST(DualRules, BeyondTheRangeOfDoubleIsNoNumber) {
  const Dual<Triple> large(Triple(1e200), Triple(1));
  EXPECT_FALSE(std::isfinite((large * large).v.hi));
  EXPECT_FALSE(std::isfinite((Dual<Triple>(1.0) / (large * large)).d.hi));
}

}  // namespace
}  // namespace gradproof::oracle_tests
