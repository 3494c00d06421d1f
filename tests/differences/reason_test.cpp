// SPDX-License-Identifier: Apache-2.0
// The reasons that the audit gives where a value has a kink, an edge, or hides its change.
#include <gtest/gtest.h>

#include "oracles/differences/tally.h"
#include "tests/support/audit/tiny_target.h"

namespace gradproof::oracle_tests {
namespace {

const auto kAbs = [](const Digits400& x) { return Digits400(abs(x)); };
const auto kSine = [](const Digits400& x) { return Digits400(sin(x)); };

/// A smooth entry, so that the tensor's gradient has a scale.
TinyTerm smooth() { return {0.75, kSine, cos(Real(0.75))}; }

void expect_reason(const AuditRow& row, const std::string& reason, std::int64_t first) {
  EXPECT_EQ(row.verdict, Outcome::inconclusive) << row.reason;
  ASSERT_EQ(row.inconclusive.size(), 1u) << row.reason;
  EXPECT_EQ(name_of(row.inconclusive[0].reason), reason);
  EXPECT_EQ(row.inconclusive[0].entries, 1);
  EXPECT_EQ(row.inconclusive[0].first, first);
  EXPECT_NE(row.reason.find(reason), std::string::npos);
}

TEST(AuditReason, AKinkIsNeitherCertifiedNorWrong) {
  for (const int claimed : {-1, 0, 1}) {
    expect_reason(row_of({smooth(), {0, kAbs, Real(claimed)}}), "kink", 1);
    expect_reason(row_of({{0, kAbs, Real(claimed)}}), "kink", 0);
  }
  const auto largest = [](const Digits400& x) { return Digits400(std::max(x, Digits400(x * x))); };
  expect_reason(row_of({{1, largest, Real(1.5)}, smooth()}), "kink", 0);
}

TEST(AuditReason, BesideAKinkTheStepIsSmaller) {
  for (const double x : {0.25, 0x1p-20, 0x1p-48, 0x1p-60, -0x1p-60}) {
    const AuditRow right = row_of({smooth(), {x, kAbs, Real(x > 0 ? 1 : -1)}});
    EXPECT_EQ(right.verdict, Outcome::certified) << x << ": " << right.reason;
    const AuditRow wrong = row_of({smooth(), {x, kAbs, Real(x > 0 ? -1 : 1)}});
    EXPECT_EQ(wrong.verdict, Outcome::wrong) << x << ": " << wrong.reason;
    EXPECT_EQ(wrong.wrong_entries, std::vector<std::int64_t>{1});
  }
}

TEST(AuditReason, ABentButDifferentiablePlaceIsNoKink) {
  const auto bent = [](const Digits400& x) { return Digits400(x * abs(x)); };
  EXPECT_EQ(row_of({smooth(), {0, bent, Real(0)}}).verdict, Outcome::certified);
  EXPECT_EQ(row_of({smooth(), {0, bent, Real(0.5)}}).verdict, Outcome::wrong);
  const auto even = [](const Digits400& x) { return Digits400(cos(x)); };
  EXPECT_EQ(row_of({smooth(), {0, even, Real(0)}}).verdict, Outcome::certified);
}

TEST(AuditReason, SaturationIsNoGradientOfZero) {
  const auto full = [](const Digits400& x) { return Digits400(1 - exp(-x)); };
  expect_reason(row_of({{2000, full, exp(Real(-2000))}}), "saturation", 0);
  EXPECT_EQ(row_of({{2000, full, Real(0)}}).verdict, Outcome::certified);
  EXPECT_EQ(row_of({{2000, full, Real(1e-3)}}).verdict, Outcome::wrong);
}

TEST(AuditReason, CancellationLeavesTooFewDigits) {
  const auto buried = [](const Digits400& x) { return Digits400(Digits400("1e338") + sin(x)); };
  expect_reason(row_of({{0.3, buried, cos(Real(0.3))}}), "cancellation", 0);
  EXPECT_EQ(row_of({{0.3, buried, Real(200)}}).verdict, Outcome::wrong);
}

TEST(AuditReason, NotFiniteIsRangeOrDomain) {
  const auto root = [](const Digits400& x) { return Digits400(sqrt(x)); };
  expect_reason(row_of({smooth(), {0, root, Real(1) / Real(0)}}), "domain", 1);
  const AuditRow range = row_of({{-1, root, Real(0)}});
  expect_reason(range, std::string(name_of(OpenReason::not_finite)), 0);
  const AuditRow beside = row_of({{0x1p-60, root, Real(0x1p29)}});
  EXPECT_EQ(beside.verdict, Outcome::certified) << beside.reason;
}

TEST(AuditReason, AClaimThatIsNotANumberIsWrongWhereTheDerivativeIs) {
  const AuditRow row = row_of({smooth(), {0.5, kSine, Real(std::nan(""))}});
  EXPECT_EQ(row.verdict, Outcome::wrong) << row.reason;
  EXPECT_EQ(row.wrong_entries, std::vector<std::int64_t>{1});
}

/// Differences that are off by 1e-12 in every packed arithmetic, which agree with each other.
class WrongWhenPacked final : public TinyLoss {
 public:
  WrongWhenPacked(const std::vector<TinyTerm>& terms, AuditArithmetic arithmetic)
      : TinyLoss(terms, Falsehood::none, arithmetic),
        factor_(arithmetic == AuditArithmetic::digits400 ? Real(1) : Real(1) + Real("1e-12")) {}
  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    return TinyLoss::change(tensor, place, move) * factor_;
  }

 private:
  Real factor_;
};

class WrongWhenPackedTarget final : public TinyTarget {
 public:
  using TinyTarget::TinyTarget;
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override {
    return std::make_unique<WrongWhenPacked>(terms_, arithmetic);
  }
};

/// The control: what is wrong with 400 digits too.
TEST(AuditReason, NoEntryIsWrongBecausePackedArithmeticsSaySo) {
  std::vector<TinyTerm> terms(5, smooth());
  const AuditRow right = audit_target(WrongWhenPackedTarget(terms), {}).at(0);
  EXPECT_EQ(right.verdict, Outcome::certified) << right.reason;
  EXPECT_EQ(right.escalated, 5);
  for (TinyTerm& term : terms) term.claimed *= 3;
  EXPECT_EQ(audit_target(WrongWhenPackedTarget(terms), {}).at(0).wrong, 5);
}

TEST(AuditReason, AMethodThatDisagreesWithDirectMovesIsNotTaken) {
  const AuditRow row = row_of({smooth(), smooth()}, Falsehood::factor);
  EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
  EXPECT_EQ(row.method, "direct (together disagrees at [1])");
}

/// A sweep of a number's own element sees nothing else: moves of the whole unit must.
TEST(AuditReason, ANumberThatIsFeltElsewhereIsCaught) {
  const AuditRow row = row_of({smooth(), smooth()}, Falsehood::affects_all);
  EXPECT_EQ(row.verdict, Outcome::wrong) << row.reason;
  EXPECT_EQ(row.wrong_entries, std::vector<std::int64_t>{0});
  EXPECT_EQ(row.method, "direct (together disagrees at [0])");
}

}  // namespace
}  // namespace gradproof::oracle_tests
