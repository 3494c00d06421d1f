// SPDX-License-Identifier: Apache-2.0
// A wrong claim is the claim's fault, not that of the method by which it is differenced; and what
// is differenced at a step must be differenced at one that says something.
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "oracles/differences/steps/tableau.h"
#include "oracles/differences/tally.h"
#include "oracles/differences/unit_pass.h"
#include "oracles/oracle.h"
#include "properties/calibration/claimed_gradients.h"
#include "tests/support/audit/tiny_target.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

TEST(AuditBlame, AWrongClaimIsNotTheMethodsFault) {
  for (const char* system : {"batchnorm_bias_divide_swish", "swish_bias", "swish_multiply_swish"})
    for (const double factor : {1.001, 3.0, 100.0}) {
      const Claim claim = make_claim({.system = system, .rows = 300, .cols = 2, .divide = 1.5});
      const Tensors inputs = make_inputs(claim, 3);
      RealGradients wrong = adjoint_gradients(claim, inputs);
      const std::string method = audit_gradients(claim, inputs, wrong).at(0).method;
      EXPECT_EQ(method.find("direct"), std::string::npos);
      wrong.at("d_x")[0] *= factor;
      const AuditRow row = audit_gradients(claim, inputs, wrong).at(0);
      EXPECT_EQ(row.wrong_entries, std::vector<std::int64_t>{0}) << system << ": " << row.reason;
      EXPECT_EQ(row.method, method) << system << " " << factor;
    }
}

/// Differences in doubles, of changes by the method.
class QuickTinyLoss final : public TinyLoss {
 public:
  QuickTinyLoss(const std::vector<TinyTerm>& terms, Falsehood falsehood, AuditArithmetic arithmetic,
                Method method)
      : TinyLoss(terms, falsehood, arithmetic), method_(method) {}
  Method quickest(std::size_t) const override { return method_; }
  std::vector<Values<Digits400>> changes(std::size_t tensor,
                                         const std::vector<std::int64_t>& places,
                                         const std::vector<double>& moves, Method method) override {
    const Method as = method == Method::statistics ? Method::together : method;
    return TinyLoss::changes(tensor, places, moves, as);
  }
  std::optional<Values<Difference>> differences(std::size_t tensor, const StepChoice& step,
                                                Method method) override {
    const auto& [order_index, log2_h] = step;
    std::array<Values<Digits400>, kOrders + 1> odd;
    for (int k = 0; k < order_index + 2; ++k) {
      Values<Digits400>& at = odd[static_cast<std::size_t>(k)];
      const double move = std::ldexp(1, log2_h + k);
      const auto rows = changes(tensor, {}, {move, -move}, method);
      for (std::size_t i = 0; i < rows[0].size(); ++i) at.push_back(rows[0][i] - rows[1][i]);
    }
    Values<Difference> result(odd[0].size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::array<Digits400, kOrders + 1> of;
      for (std::size_t k = 0; k < of.size(); ++k) of[k] = odd[k].empty() ? Digits400(0) : odd[k][i];
      const Digits400 fine = central(of.data(), order_index, log2_h);
      const Digits400& claim = claimed(tensor)[i];
      result[i].claimed = wide_of(claim);
      result[i].error = Digits400(fine - claim).convert_to<double>();
      result[i].self_error =
          Digits400(fine - central(of.data() + 1, order_index, log2_h + 1)).convert_to<double>();
    }
    return result;
  }

 private:
  Method method_;
};

class QuickTinyTarget final : public TinyTarget {
 public:
  QuickTinyTarget(std::vector<TinyTerm> terms, Falsehood falsehood,
                  Method method = Method::together)
      : TinyTarget(std::move(terms), falsehood), method_(method) {}
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override {
    return std::make_unique<QuickTinyLoss>(terms_, falsehood_, arithmetic, method_);
  }

 private:
  Method method_;
};

TinyTerm sine(double factor = 1) {
  const auto value = [](const Digits400& x) { return Digits400(sin(x)); };
  return {0.75, value, Real(factor) * cos(Real(0.75))};
}

/// The last number's differences are off by 1e-12: more than a claim that is off by 100 may hide.
TEST(AuditBlame, AFalseMethodIsCaughtBesideAWrongClaim) {
  for (const double factor : {1.0, 1.001, 3.0, 100.0}) {
    const std::vector<TinyTerm> terms = {sine(), sine(factor)};
    const AuditRow sound = audit_target(QuickTinyTarget(terms, Falsehood::none), {}).at(0);
    EXPECT_EQ(sound.method, "together") << factor;
    EXPECT_EQ(sound.wrong, factor == 1 ? 0 : 1) << sound.reason;
    const AuditRow row = audit_target(QuickTinyTarget(terms, Falsehood::factor), {}).at(0);
    EXPECT_EQ(row.method, "direct (together disagrees at [1])") << factor;
    EXPECT_EQ(row.wrong, factor == 1 ? 0 : 1) << row.reason;
  }
}

/// Doubles beside a claim that is off by 1e18 hide a fault of 1; the number by itself does not. A
/// short unit's sweeps are direct where the method is by its statistics, and say nothing of that.
TEST(AuditBlame, WhatDoublesCannotSayIsMovedByItself) {
  const std::vector<TinyTerm> terms = {sine(1e18), sine()};
  const auto row_of = [&](Falsehood falsehood) {
    return audit_target(QuickTinyTarget(terms, falsehood, Method::statistics), {}).at(0);
  };
  EXPECT_EQ(row_of(Falsehood::none).method, "statistics");
  EXPECT_EQ(row_of(Falsehood::affects_all).method, "direct (statistics disagrees at [0])");
}

/// The odd part is straight, so that D(h) is right at any step; the even part bends.
TinyTerm straight(const char* claimed = "0.5") {
  return {0, [](const Digits400& x) { return Digits400(x / 2 + cosh(x)); }, Real(claimed)};
}

TEST(AuditBlame, AStepIsTakenAtWhichTheSlopesAgree) {
  std::vector<TinyTerm> terms(100, straight());
  const AuditRow right = audit_target(TinyTarget(terms), {}).at(0);
  EXPECT_EQ(right.verdict, Outcome::certified) << right.reason;
  EXPECT_EQ(right.escalated, 0);
  terms[77] = straight("0.500000000000001");
  const AuditRow wrong = audit_target(TinyTarget(terms), {}).at(0);
  EXPECT_EQ(wrong.wrong_entries, std::vector<std::int64_t>{77}) << wrong.reason;
  EXPECT_TRUE(wrong.inconclusive.empty()) << wrong.reason;
}

TEST(AuditBlame, AKinkAmongThemIsStillOne) {
  std::vector<TinyTerm> terms(30, straight());
  terms[4] = {0, [](const Digits400& x) { return Digits400(x / 2 + abs(x)); }, Real(0.5)};
  const AuditRow row = audit_target(TinyTarget(terms), {}).at(0);
  EXPECT_EQ(row.wrong, 0) << row.reason;
  ASSERT_EQ(row.inconclusive.size(), 1u) << row.reason;
  EXPECT_EQ(row.inconclusive[0].reason, OpenReason::kink);
  EXPECT_EQ(row.inconclusive[0].entries, 1);
  EXPECT_EQ(row.inconclusive[0].first, 4);
}

/// swish of x that are 0 or nearly so, as bfloat16 has them.
TEST(AuditBlame, OneEntryFarOffLeavesTheOthersCertified) {
  const Claim claim = make_claim({.system = "swish_bias", .rows = 260, .cols = 4});
  Tensors inputs = make_inputs(claim, 5);
  Tensor& x = inputs.at("x");
  for (std::int64_t i = 0; i < x.numel(); ++i) x.set(i, x.at(i) * 0x1p-130);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  wrong.at("d_x")[500] += 200;
  for (const bool direct : {false, true}) {
    const AuditRow row = audit_gradients(claim, inputs, wrong, {.direct = direct}).at(0);
    EXPECT_EQ(row.wrong_entries, std::vector<std::int64_t>{500}) << row.reason;
    EXPECT_TRUE(row.inconclusive.empty()) << row.reason;
  }
}

TEST(AuditBlame, GivenNumbersAreMovedAsTheMethodDoes) {
  const std::vector<TinyTerm> terms = {sine(), sine()};
  const TinyTarget subject(terms, Falsehood::affects_all);
  LossCache cache(subject, 0);
  const UnitAtRest unit(cache, AuditArithmetic::double_double, 0);
  const StepChoice choice{1, -20};
  const Values<Entry> all = unit_pass(unit, choice, Method::together);
  const Values<Entry> given = unit_pass(unit, choice, Method::together, {0});
  const Values<Entry> direct = unit_pass(unit, choice, Method::direct, {0});
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].fine, all[0].fine);
  EXPECT_EQ(given[0].self_error, all[0].self_error);
  EXPECT_GT(std::abs(direct[0].fine - given[0].fine), 0.5);
}

TEST(AuditBlame, OneNotANumberLeavesItsUnitAndItsColumnsOpenOnly) {
  const Claim claim = make_claim(
      {.system = "groupnorm_swish_multiply_swish", .rows = 2, .cols = 70, .groups = 1, .eps = 1});
  Tensors inputs = make_inputs(claim, 400);
  Tensor& x = inputs.at("x");
  x.set(0, std::numeric_limits<double>::quiet_NaN());
  for (const AuditRow& row : audit(claim, inputs)) {
    EXPECT_EQ(row.wrong, 0) << row.tensor << ": " << row.reason;
    ASSERT_EQ(row.inconclusive.size(), 1u) << row.tensor;
    EXPECT_EQ(row.inconclusive[0].reason, OpenReason::not_finite);
    EXPECT_EQ(row.inconclusive[0].entries, row.tensor == "d_x" ? 70 : row.entries) << row.tensor;
  }
  x.set(0, 0.5);
  for (const AuditRow& row : audit(claim, inputs))
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
}

}  // namespace
}  // namespace gradproof::oracle_tests
