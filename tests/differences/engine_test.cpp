// SPDX-License-Identifier: Apache-2.0
// The audit of a claim's adjoint: its three words, its curve, its methods.
#include <gtest/gtest.h>

#include "oracles/oracle.h"
#include "properties/calibration/claimed_gradients.h"
#include "reports/audit/audit_curve.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

void expect_certified(const std::vector<AuditRow>& rows, int digits = AuditOptions{}.digits) {
  ASSERT_FALSE(rows.empty());
  for (const AuditRow& row : rows) {
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
    EXPECT_GE(row.digits, digits) << row.tensor;
    EXPECT_GE(row.median_digits, row.digits) << row.tensor;
    EXPECT_EQ(row.entries, numel(row.shape)) << row.tensor;
    EXPECT_TRUE(row.inconclusive.empty()) << row.tensor;
  }
}

TEST(AuditEngine, CertifiesTheAdjoint) {
  for (const bool training : {true, false}) {
    const Claim claim = make_claim({.rows = 9, .cols = 4, .training = training});
    const Tensors inputs = make_inputs(claim, 5, 2, -3);
    expect_certified(audit(claim, inputs));
    const auto rows = audit(claim, inputs, {.digits = 33});
    expect_certified(rows, 33);
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].reach, "group");
    EXPECT_EQ(rows[3].reach, "all");
  }
}

TEST(AuditEngine, TheCurveIsAVAroundTheStep) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const AuditRow row = audit(claim, make_inputs(claim, 5)).at(0);
  const auto form = static_cast<std::size_t>(row.order / 2 - 1);
  const CurveShape shape = shape_of(row);
  // Theory gives the slopes: the order, and -1.
  EXPECT_NEAR(shape.right, row.order, 0.25);
  EXPECT_NEAR(shape.left, -1, 0.25);
  EXPECT_GT(shape.plateau, 0);
  // The step was chosen without the adjoint, and still lies at the bottom.
  double at_step = 1;
  for (const SweepPoint& point : row.sweep)
    if (point.log2_step == row.log2_step) at_step = point.error[form];
  EXPECT_LE(at_step, 10 * shape.floor);
}

TEST(AuditEngine, CallsAWrongAdjointWrongAndItsCurveFlat) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const Tensors inputs = make_inputs(claim, 5);
  const double divisor = claim.graph.steps[2].operands[1].number;
  RealGradients wrong = adjoint_gradients(claim, inputs);
  for (auto& [name, values] : wrong)
    for (Real& v : values) v /= Real(divisor);  // 1/d once too often
  for (const AuditRow& row : audit_gradients(claim, inputs, wrong)) {
    EXPECT_EQ(row.verdict, Outcome::wrong) << row.tensor << ": " << row.reason;
    EXPECT_NE(row.reason.find("flat"), std::string::npos);
    EXPECT_EQ(row.wrong, numel(row.shape));
    EXPECT_LT(row.digits, 2);
    // Both numbers of the quotient are rounded to double.
    EXPECT_NEAR(row.worst_difference / row.worst_adjoint, divisor, 0x1p-50);
    EXPECT_TRUE(std::isnan(shape_of(row).right)) << shape_of(row).right;
    EXPECT_GT(row.estimate, 20);
  }
}

TEST(AuditEngine, FindsTheOneWrongEntry) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const Tensors inputs = make_inputs(claim, 5);
  for (const char* off : {"1e-6", "1e-19"}) {
    RealGradients wrong = adjoint_gradients(claim, inputs);
    wrong.at("d_x")[22] += Real(off);
    wrong.at("d_weight")[2] += Real(off);
    wrong.at("d_bias")[0] += Real(off);
    const auto rows = audit_gradients(claim, inputs, wrong);
    EXPECT_EQ(rows[0].verdict, Outcome::wrong) << off << ": " << rows[0].reason;
    EXPECT_EQ(rows[0].wrong_entries, std::vector<std::int64_t>{22}) << off;
    EXPECT_EQ(rows[0].worst_index, 22);
    EXPECT_EQ(rows[1].wrong_entries, std::vector<std::int64_t>{2}) << off;
    EXPECT_EQ(rows[2].verdict, Outcome::certified) << off;
    EXPECT_EQ(rows[3].verdict, Outcome::wrong) << off << ": " << rows[3].reason;
  }
}

TEST(AuditEngine, SharedParametersOfGroupsAreSummed) {
  for (const VectorShape shape : {VectorShape::one, VectorShape::cols, VectorShape::row}) {
    const Claim claim = make_claim({.system = "groupnorm_swish_multiply_swish",
                                    .rows = 5,
                                    .cols = 12,
                                    .groups = 3,
                                    .vector = shape});
    const Tensors inputs = make_inputs(claim, 7, 2, 1);
    expect_certified(audit(claim, inputs));
    RealGradients wrong = adjoint_gradients(claim, inputs);
    wrong.at("d_multiply").back() *= Real(1) + Real("1e-18");
    const AuditRow row = audit_gradients(claim, inputs, wrong).back();
    EXPECT_EQ(row.verdict, Outcome::wrong) << row.reason;
    EXPECT_EQ(row.wrong, 1);
  }
}

/// Each unit has a step of its own.
TEST(AuditEngine, ScalesSideBySide) {
  Claim claim = make_claim({.rows = 16, .cols = 4, .eps = 0x1p-60});
  Tensors inputs = make_inputs(claim, 3);
  for (std::int64_t i = 0; i < inputs.at("x").numel(); ++i)
    inputs.at("x").set(i, inputs.at("x").at(i) * (i % 2 == 0 ? 1e-6 : 1e6));
  expect_certified(audit(claim, inputs));
  claim = make_claim({.system = "swish_bias_groupnorm", .rows = 4, .cols = 8, .groups = 2});
  inputs = make_inputs(claim, 3);
  for (std::int64_t i = 0; i < inputs.at("x").numel(); ++i)
    inputs.at("x").set(i, inputs.at("x").at(i) * (i < 16 ? 1e-6 : 30));
  for (const AuditRow& row : audit(claim, inputs))
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
}

/// Cancellation in x - mean makes the rounding far larger than usual, or rounding is all that a
/// gradient has: two differences that agree by chance are no evidence.
TEST(AuditEngine, NoiseIsNoEvidence) {
  const Claim claim = make_claim({.system = "scale_batchnorm", .rows = 64, .cols = 8});
  Tensors far = make_inputs(claim, 4, 1, 1e7);
  for (const AuditRow& row : audit(claim, far)) EXPECT_EQ(row.wrong, 0) << row.tensor;
  Tensors inputs = make_inputs(claim, 4);
  for (std::int64_t i = 0; i < inputs.at("dy").numel(); ++i) inputs.at("dy").set(i, 1.5);
  const AuditRow row = audit(claim, inputs).at(0);
  EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
  EXPECT_NE(row.reason.find("gradient is 0"), std::string::npos);
}

TEST(AuditEngine, ConstantColumnsAndSingleRows) {
  const Claim claim = make_claim({.rows = 8, .cols = 3});
  Tensors inputs = make_inputs(claim, 2);
  for (std::int64_t row = 0; row < 8; ++row) inputs.at("x").set(row * 3 + 1, 0.1);
  expect_certified(audit(claim, inputs));
  const Claim single = make_claim({.rows = 1, .cols = 3, .training = false});
  expect_certified(audit(single, make_inputs(single, 2)));
  const Claim alone = make_claim({.rows = 1, .cols = 3});
  const AuditRow row = audit(alone, make_inputs(alone, 2)).at(0);
  EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
  EXPECT_NE(row.reason.find("gradient is 0"), std::string::npos);
}

TEST(AuditEngine, SixteenBitNumbers) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    ClaimOptions options{.rows = 12, .cols = 3};
    options.contract.storage = dtype;
    const Claim claim = make_claim(options);
    expect_certified(audit(claim, make_inputs(claim, 2)));
  }
}

TEST(AuditEngine, NothingToAuditAndNothingFinite) {
  const Claim empty = make_claim({.rows = 0, .cols = 2});
  const AuditRow nothing = audit(empty, make_inputs(empty, 1)).at(0);
  EXPECT_EQ(nothing.verdict, Outcome::inconclusive);
  EXPECT_EQ(nothing.reason, "the tensor has no entries");
  const Claim claim = make_claim({.rows = 3, .cols = 2});
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Tensors inputs = make_inputs(claim, 1);
    inputs.at("x").set(0, bad);
    const auto rows = audit(claim, inputs);
    for (const AuditRow& row : rows) EXPECT_EQ(row.verdict, Outcome::inconclusive) << row.tensor;
    ASSERT_EQ(rows[0].inconclusive.size(), 1u);
    EXPECT_EQ(rows[0].inconclusive[0].reason, OpenReason::not_finite);
    EXPECT_EQ(rows[0].inconclusive[0].entries, 3);  // of the column; the other one is certified
    EXPECT_EQ(rows[0].entries, 6);
    EXPECT_GE(rows[0].digits, 20);
  }
}

/// Numbers are audited beside 1e38 in their part. A NaN leaves its part open, here a row, and no
/// other.
TEST(AuditEngine, APartThatIsNotFiniteKeepsNoneOfTheOthers) {
  const Claim claim = make_claim({.system = "swish_bias", .rows = 8, .cols = 2});
  Tensors inputs = make_inputs(claim, 3);
  inputs.at("x").set(0, 0x1p126);
  inputs.at("x").set(2, std::nan(""));
  const AuditRow row = audit(claim, inputs).at(0);
  ASSERT_EQ(row.inconclusive.size(), 1u) << row.reason;
  EXPECT_EQ(row.inconclusive[0].entries, 2);
  EXPECT_EQ(row.inconclusive[0].first, 2);
  EXPECT_GE(row.digits, AuditOptions{}.digits);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  wrong.at("d_x")[5] *= Real(1) + Real("1e-6");  // of another row
  EXPECT_EQ(audit_gradients(claim, inputs, wrong).at(0).wrong_entries,
            std::vector<std::int64_t>{5});
}

/// A weight whose inputs are near 1e-38 must move by 2^120 of its scale to change the value.
TEST(AuditEngine, MovesFarWhereLittleChanges) {
  const Claim claim = make_claim({.rows = 8, .cols = 2});
  Tensors inputs = make_inputs(claim, 3);
  for (std::int64_t i = 0; i < 16; ++i) inputs.at("x").set(i, inputs.at("x").at(i) * 0x1p-126);
  expect_certified({audit(claim, inputs).at(1)});
  RealGradients wrong = adjoint_gradients(claim, inputs);
  wrong.at("d_weight")[1] *= Real(1) + Real("1e-6");
  EXPECT_EQ(audit_gradients(claim, inputs, wrong).at(1).verdict, Outcome::wrong);
}

/// One element of dy leaves all other units without a gradient.
TEST(AuditEngine, TheSampleHoldsTheOneGradient) {
  const Claim claim =
      make_claim({.system = "groupnorm_swish_multiply_swish", .rows = 67, .cols = 12, .groups = 3});
  Tensors inputs = make_inputs(claim, 3);
  for (std::int64_t i = 0; i < 67 * 12; ++i) inputs.at("dy").set(i, i == 411 ? 1 : 0);
  expect_certified(audit(claim, inputs));
}

TEST(AuditEngine, MethodsAgree) {
  for (const char* system : {"batchnorm_bias_divide_swish", "bias_divide_swish", "groupnorm"}) {
    const Claim claim = make_claim({.system = system, .rows = 40, .cols = 8});
    const Tensors inputs = make_inputs(claim, 6, 2, 1);
    const auto quick = audit(claim, inputs);
    const auto direct = audit(claim, inputs, {.direct = true});
    expect_certified(quick);
    expect_certified(direct);
    for (std::size_t k = 0; k < quick.size(); ++k) {
      EXPECT_EQ(direct[k].method, "direct");
      EXPECT_EQ(quick[k].log2_step, direct[k].log2_step);
    }
  }
}

TEST(AuditEngine, ASampleIsASample) {
  const Claim claim = make_claim({.rows = 30, .cols = 7});
  const Tensors inputs = make_inputs(claim, 6);
  for (const std::int64_t wanted : {1, 5, 40}) {
    const auto rows = audit(claim, inputs, {.entries = wanted});
    for (const AuditRow& row : rows) {
      EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
      EXPECT_EQ(row.entries, std::min(wanted, numel(row.shape))) << row.tensor;
    }
  }
  RealGradients wrong = adjoint_gradients(claim, inputs);
  for (Real& v : wrong.at("d_x")) v *= Real(1) + Real(1e-6);
  const AuditRow row = audit_gradients(claim, inputs, wrong, {.entries = 5}).at(0);
  EXPECT_EQ(row.verdict, Outcome::wrong);
  EXPECT_EQ(row.wrong, 5);
}

}  // namespace
}  // namespace gradproof::oracle_tests
