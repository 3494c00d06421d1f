// SPDX-License-Identifier: Apache-2.0
// Dual numbers forward against the adjoint, unit by unit.
#include <gtest/gtest.h>

#include "tests/support/audit/witness_support.h"

namespace gradproof::oracle_tests {
namespace {

TEST(DualWitness, SeesWhatIsMissing) {
  const Claim claim = twice({.rows = 8, .cols = 3});
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_EQ(dual_of(claim, inputs, "x").verdict, WitnessVerdict::agrees);
  for (const AuditWitness& w :
       {dual_of(claim, inputs, "x", kMeanTermsOff), dual_of(claim, inputs, "x", kNoSecondSum)}) {
    EXPECT_EQ(w.verdict, WitnessVerdict::wrong) << w.text;
    EXPECT_LT(w.digits, 3);
    EXPECT_EQ(w.wrong, 3);
    EXPECT_NE(w.text.find("wrong in 3 columns"), std::string::npos) << w.text;
  }
}

TEST(DualWitness, SeesAFactorInEveryTensorBeforeIt) {
  const Claim claim = twice({.rows = 8, .cols = 3});
  const Tensors inputs = make_inputs(claim, 3);
  for (const char* name : {"x", "weight", "beta", "bias"}) {
    const AuditWitness w = dual_of(claim, inputs, name, kSwishOff);
    EXPECT_EQ(w.verdict, WitnessVerdict::wrong) << name << ": " << w.text;
    EXPECT_GT(w.digits, 11) << name;  // 2^-40, over absolute terms, of which some cancel
  }
}

TEST(DualWitness, ABiasThatTheNormTakesAwayIsZeroBothWays) {
  const Claim claim = twice({.system = "swish_bias_groupnorm", .rows = 3, .cols = 8, .groups = 2});
  const AuditWitness w = dual_of(claim, make_inputs(claim, 5), "bias");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_NE(w.text.find("0 everywhere, both ways"), std::string::npos) << w.text;
}

TEST(DualWitness, TakesSomeUnitsOfALargeClaimAndSaysHowMany) {
  const Claim claim = twice({.rows = 256, .cols = 16});
  const AuditWitness w = dual_of(claim, make_inputs(claim, 1), "x");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_NE(w.text.find("in 4 of 16 columns"), std::string::npos) << w.text;
}

TEST(DualWitness, AUnitTooLargeIsSilentAndSaysSo) {
  const Claim claim = twice({.rows = kDualUnit + 1, .cols = 1});
  for (const AuditWitness& w : {dual_of(claim, {}, "x"), second_order_of(claim, {}, "x")}) {
    EXPECT_EQ(w.verdict, WitnessVerdict::silent);
    EXPECT_NE(w.text.find("units of 262145 elements"), std::string::npos) << w.text;
  }
}

TEST(DualWitness, WhatOnlyShiftsTheValueHidesNothing) {
  // y is 1e60 large; no derivative of it is.
  const Claim claim = twice({.system = "groupnorm", .rows = 3, .cols = 4, .groups = 2});
  Tensors inputs = make_inputs(claim, 5);
  for (std::int64_t i = 0; i < 4; ++i) inputs.at("beta").set(i, 0x1p100);
  const AuditWitness right = dual_of(claim, inputs, "x");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
  EXPECT_EQ(right.text.find("0 everywhere"), std::string::npos) << right.text;
  EXPECT_EQ(dual_of(claim, inputs, "x", kNoSecondSum).verdict, WitnessVerdict::wrong);
}

TEST(DualWitness, AGradientOfManyCancelledDigitsIsSeen) {
  // The norm takes the scale away again but for eps: 1e-38 of terms of size 1.
  for (const double eps : {0x1p-126, 0.5}) {
    const Claim claim = twice({.system = "scale_batchnorm", .rows = 7, .cols = 6, .eps = eps});
    const Tensors inputs = make_inputs(claim, 5);
    const AuditWitness right = dual_of(claim, inputs, "scale");
    EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
    EXPECT_EQ(right.text.find("0 everywhere"), std::string::npos) << right.text;
    EXPECT_EQ(dual_of(claim, inputs, "scale", kNoSecondSum).verdict, WitnessVerdict::wrong);
  }
}

TEST(DualWitness, OnlyTermsThatBothPrecisionsSeeAreWrong) {
  const auto meeting = [](const char* size, double error) {
    DualMeeting result;
    result.size = Real(size);
    result.error = error;
    return result;
  };
  const auto after = [&](const char* before, const char* size, double error) {
    return settled(meeting(before, 0.5), meeting(size, error));
  };
  const DualMeeting wrong = after("1", "1.2", 1e-29);
  EXPECT_TRUE(wrong.resolved && !wrong.zero);
  EXPECT_EQ(wrong.error, 1e-29);
  // Terms that shrink with the rounding are 0; others that are not the same are not known.
  const DualMeeting zero = after("1e-45", "1e-395", 0.5);
  EXPECT_TRUE(zero.resolved && zero.zero);
  EXPECT_EQ(zero.error, 0);
  EXPECT_TRUE(after("0", "0", 0).zero);
  EXPECT_FALSE(after("1", "1e-60", 0.5).resolved);
  EXPECT_FALSE(after("0", "1e-300", 0.5).resolved);
  // Two ways that agree need no second precision.
  EXPECT_TRUE(after("1", "1e-60", 1e-31).resolved);
  const Claim claim = twice({.rows = 8, .cols = 3});
  const TestedClaim tested(claim, make_inputs(claim, 3));
  const AuditWitness lost = dual_witness(tested.target, {after("1", "1e-60", 0.5)});
  EXPECT_EQ(lost.verdict, WitnessVerdict::silent);
  EXPECT_EQ(lost.text, "50 and 400 digits differ in 1 column");
}

TEST(DualWitness, KeepsItsDigitsWhereTheVarianceCancels) {
  const Claim claim = twice({.rows = 64, .cols = 2});
  const AuditWitness w = dual_of(claim, make_inputs(claim, 1, 1e-3, 1e6), "x");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_GE(w.digits, kDualDigits);
}

}  // namespace
}  // namespace gradproof::oracle_tests
