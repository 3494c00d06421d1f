// SPDX-License-Identifier: Apache-2.0
// Sums and statistics over packs leave the pads out, and the bookkeeping of errors is the same in
// packs as in single numbers.
#include <array>

#include "oracles/pipeline/stage.h"
#include "tests/arithmetic/certified_draws.h"
#include "tests/arithmetic/same.h"

namespace gradproof::oracle_tests {
namespace {

constexpr std::int64_t kLongest = 70;

Claim claim_of(std::int64_t count) {
  Claim claim;
  claim.extents = {{"rows", count}, {"cols", 1}};
  claim.contract.complement = SigmoidComplement::subtracted;
  claim.contract.swish = SwishForm::quotient;
  claim.contract.cotangent_first = true;
  claim.contract.reductions = {{kStatistics, count, 7, ""}, {kGradients, count, 9, ""}};
  return claim;
}

/// A bookkept number as a stage may meet it; now and then one that is not finite or flagged.
ErrorNumbers drawn_errors(Draw& draw, bool strange) {
  ErrorNumbers n;
  n.v = draw.normal() * std::exp2(static_cast<double>(draw.below(40)) - 20);
  if (strange && draw.below(6) == 0) n.v *= 1e-40;
  if (strange && draw.below(20) == 0) n.v = draw.below(3) ? INFINITY : NAN;
  if (strange && draw.below(20) == 0) n.v = draw.below(2) ? 3e38 : 0;
  const double size = std::isfinite(n.v) ? std::fabs(n.v) : 1;
  n.e = draw.below(4) ? size * 0x1p-24 : strange && draw.below(2) ? 3 * size : 0;
  for (double& c : n.c) c = draw.below(2) ? 0 : draw.normal() * size * 0x1p-26;
  n.vacuous = strange && draw.below(30) == 0;
  n.overflow = strange && draw.below(30) == 0;
  return n;
}

class ArithmeticReductions : public testing::TestWithParam<ArithmeticUnit> {};

Real real(double v) { return Real(v); }

void expect_inside(Tally& tally, const Triple& got, const Real& truth) {
  judge(tally, Certified(got.hi, got.lo, got.radius), truth, kReference * kLongest);
}

TEST_P(ArithmeticReductions, CertifiedSumsHoldFiftyDigits) {
  Draw draw(3);
  Tally tally;
  Tally other;
  for (std::int64_t n = 1; n <= kLongest; ++n) {
    std::vector<double> x, y;
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(100 + draw.normal());
      y.push_back(draw.normal() * std::exp2(static_cast<double>(draw.below(60)) - 30));
    }
    Real sum = 0, dot = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += real(x[i]);
      dot += real(x[i]) * real(y[i]);
    }
    const Real mean = sum / n;
    for (const double v : x) squares += (real(v) - mean) * (real(v) - mean);
    const Reductions got = GetParam().reduced(x.data(), y.data(), n, 1e-5);
    expect_inside(tally, got.sum, sum);
    expect_inside(tally, got.dot, dot);
    expect_inside(tally, got.mean, mean);
    expect_inside(tally, got.variance, squares / n);
    expect_inside(tally, got.rstd, 1 / sqrt(squares / n + real(1e-5)));
    // The control: had a pad been counted, the sum would be that of one number more.
    expect_inside(other, got.sum, sum + real(x.back()));
  }
  EXPECT_EQ(tally.outside, 0);
  EXPECT_EQ(tally.decided, 5 * kLongest);
  EXPECT_GT(tally.largest, 0x1p-8) << "radii 2^-8 as wide go unnoticed";
  EXPECT_EQ(other.outside, kLongest);
}

using oracle_tests::same;

bool same(const ErrorNumbers& a, const ErrorNumbers& b) {
  bool equal =
      same(a.v, b.v) && same(a.e, b.e) && a.vacuous == b.vacuous && a.overflow == b.overflow;
  for (int k = 0; k < 4; ++k) equal = equal && same(a.c[k], b.c[k]);
  return equal;
}

TEST_P(ArithmeticReductions, BoundsAreTheSameInPacks) {
  constexpr std::int64_t kCount = 4099;
  const Claim claim = claim_of(kCount);
  std::vector<ErrorNumbers> a(kCount), b(kCount), packed(kCount), single(kCount);
  Draw draw(5);
  for (ErrorNumbers& n : a) n = drawn_errors(draw, true);
  for (ErrorNumbers& n : b) n = drawn_errors(draw, true);
  for (const bool flushed : {false, true})
    for (int operation = 0; operation < kBoundingOperations; ++operation) {
      GetParam().bounding(claim, operation, flushed, a.data(), b.data(), kCount, packed.data(),
                          single.data());
      std::int64_t strangers = 0;
      std::int64_t flagged = 0;
      for (std::size_t i = 0; i < packed.size(); ++i) {
        strangers += !same(packed[i], single[i]);
        flagged += packed[i].overflow > 0;
      }
      EXPECT_EQ(strangers, 0) << operation << (flushed ? " flushed" : "");
      EXPECT_GT(flagged, kCount / 50);
      EXPECT_FALSE(same(packed[0], packed[1])) << "the control";
    }
}

/// Another order of n numbers changes their sum by a few roundings of each, n times.
constexpr double kSlack = 64 * kLongest * 0x1p-53;

void expect_near(const ErrorNumbers& a, const ErrorNumbers& b, double scale) {
  EXPECT_NEAR(a.v, b.v, kSlack * scale);
  EXPECT_NEAR(a.e, b.e, kSlack * (a.e + scale * 0x1p-24));
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(a.c[k], b.c[k], kSlack * (a.e + scale * 0x1p-22));
  EXPECT_EQ(a.vacuous, b.vacuous);
  EXPECT_EQ(a.overflow, b.overflow);
}

TEST_P(ArithmeticReductions, BoundsOfSumsLeavePadsOut) {
  Draw draw(9);
  std::int64_t noticed = 0;
  for (std::int64_t n = 1; n <= kLongest; ++n) {
    std::vector<ErrorNumbers> x, y;
    double magnitude = 0;
    double product = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(drawn_errors(draw, false));
      y.push_back(drawn_errors(draw, false));
      magnitude += std::fabs(x.back().v) + x.back().e;
      product += (std::fabs(x.back().v) + x.back().e) * (std::fabs(y.back().v) + y.back().e);
    }
    if (n % 7 == 0) x[static_cast<std::size_t>(draw.below(n))].vacuous = 1;
    const Claim claim = claim_of(n);
    const auto packed = GetParam().reduced_errors(claim, x.data(), y.data(), n, 1e-5, true);
    const auto single = GetParam().reduced_errors(claim, x.data(), y.data(), n, 1e-5, false);
    expect_near(packed.sum, single.sum, magnitude);
    expect_near(packed.dot, single.dot, product);
    expect_near(packed.mean, single.mean, magnitude);
    expect_near(packed.variance, single.variance, magnitude * magnitude);
    EXPECT_EQ(packed.rstd.vacuous, single.rstd.vacuous);
    const double longer = single.sum.v + x.back().v;
    noticed += std::fabs(packed.sum.v - longer) > kSlack * magnitude;
  }
  EXPECT_GT(noticed, kLongest / 2) << "the control: the last number once more";
}

INSTANTIATE_TEST_SUITE_P(All, ArithmeticReductions, testing::ValuesIn(runnable_arithmetics()),
                         [](const auto& unit) { return name_of(unit.param.set); });

}  // namespace
}  // namespace gradproof::oracle_tests
