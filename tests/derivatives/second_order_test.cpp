// SPDX-License-Identifier: Apache-2.0
// The adjoint of the adjoint: a right adjoint agrees with the witness, and a wrong one does not.
#include <gtest/gtest.h>

#include "core/error.h"
#include "oracles/derivatives/derivative_witnesses.h"
#include "tests/support/audit/witness_support.h"
#include "tests/support/parameter_name.h"

namespace gradproof::oracle_tests {
namespace {

struct Right {
  std::string system;
  bool training = true;
  VectorShape vector = VectorShape::one;
};

void PrintTo(const Right& right, std::ostream* out) {
  *out << right.system << (right.training ? ", train" : ", eval")
       << (right.vector == VectorShape::one ? ", one" : ", cols");
}

std::vector<Right> all_systems() {
  std::vector<Right> result;
  for (const std::string& system : system_names())
    for (const bool training : {true, false})
      for (const VectorShape vector : {VectorShape::one, VectorShape::cols})
        result.push_back({system, training, vector});
  return result;
}

class SecondOrder : public testing::TestWithParam<Right> {};

TEST_P(SecondOrder, AgreesInEveryEntry) {
  const Claim claim = twice({.system = GetParam().system,
                             .rows = 5,
                             .cols = 6,
                             .groups = 2,
                             .vector = GetParam().vector,
                             .training = GetParam().training});
  const Tensors inputs = make_inputs(claim, 7, 2, 0.5);
  const PipelineTarget target(claim, inputs);
  for (const AuditedTensor& tensor : target.tensors()) {
    const auto witnesses = witnesses_of(claim, inputs, "d_" + tensor.name);
    ASSERT_EQ(witnesses.size(), tensor.name == "x" ? 3u : 2u);
    for (const AuditWitness& w : witnesses) {
      EXPECT_EQ(w.verdict, WitnessVerdict::agrees)
          << tensor.name << ", " << name_of(w.name) << ": " << w.text;
      EXPECT_GE(w.digits, w.name == Witness::dual_numbers ? kDualDigits : kSecondOrderDigits)
          << tensor.name << ", " << name_of(w.name) << ": " << w.text;
      EXPECT_EQ(w.wrong, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, SecondOrder, testing::ValuesIn(all_systems()),
                         parameter_name<Right>);

TEST(SecondOrderControl, AnAdjointThatIsNoGradientIsNotSymmetric) {
  const Claim claim = twice({.rows = 8, .cols = 3});
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_EQ(second_order_of(claim, inputs, "x").verdict, WitnessVerdict::agrees);
  for (const AuditWitness& w : {second_order_of(claim, inputs, "x", kMeanTermsOff),
                                second_order_of(claim, inputs, "x", kNoSecondSum)}) {
    EXPECT_EQ(w.verdict, WitnessVerdict::wrong) << w.text;
    EXPECT_LT(w.digits, 3);
    EXPECT_GT(w.wrong, 20);
    ASSERT_FALSE(w.entries.empty());
    EXPECT_LT(w.entries.front(), 24);
  }
}

TEST(SecondOrderControl, AFactorIsSeenByTheCotangent) {
  // A gradient times a number is the gradient of another value: symmetric, but wrong for this one.
  const Claim claim = twice({.rows = 8, .cols = 3});
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_EQ(second_order_of(claim, inputs, "x", kSwishOff).verdict, WitnessVerdict::agrees);
  const AuditWitness w = second_order_of(claim, inputs, "x", kSwishOff, true);
  EXPECT_EQ(w.verdict, WitnessVerdict::wrong) << w.text;
  EXPECT_NEAR(w.digits, 12, 1);  // 2^-40
}

TEST(SecondOrderControl, AFactorInOneStepIsSeenWhereAnotherStepIsRight) {
  // Both Swish steps around the parameter are off by a factor, so the result is not symmetric.
  const Claim claim = twice({.system = "swish_multiply_swish", .rows = 4, .cols = 3});
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_EQ(second_order_of(claim, inputs, "multiply", kSwishOff).verdict, WitnessVerdict::wrong);
}

TEST(SecondOrderEdge, DeclaredOnceIsSilent) {
  Claim claim = make_claim({.rows = 4, .cols = 2});
  claim.differentiable = 1;
  const auto witnesses = witnesses_of(claim, make_inputs(claim, 1), "d_x");
  ASSERT_EQ(witnesses.size(), 2u);
  EXPECT_EQ(witnesses[1].verdict, WitnessVerdict::silent);
  EXPECT_EQ(witnesses[1].text, "declared differentiable once");
}

TEST(SecondOrderEdge, ZeroVarianceAndOneRow) {
  for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{6}})
    for (const bool training : {true, false}) {
      const Claim claim = twice({.rows = rows, .cols = 3, .training = training});
      const Tensors inputs = make_inputs(claim, 3, 0, 1.5);  // all elements are 1.5
      for (const char* gradient : {"d_x", "d_weight", "d_beta", "d_bias"})
        for (const AuditWitness& w : witnesses_of(claim, inputs, gradient))
          EXPECT_EQ(w.verdict, WitnessVerdict::agrees)
              << rows << " rows, " << gradient << ", " << name_of(w.name) << ", " << w.digits
              << ": " << w.text;
    }
}

TEST(SecondOrderEdge, SaysWhyItIsSilent) {
  const Claim empty = twice({.rows = 0, .cols = 2});
  for (const AuditWitness& w : witnesses_of(empty, make_inputs(empty, 1), "d_x")) {
    EXPECT_EQ(w.verdict, WitnessVerdict::silent);
    EXPECT_EQ(w.text, "x has no elements");
  }
  const Claim claim = twice({.rows = 3, .cols = 1});
  Tensors inputs = make_inputs(claim, 1);
  inputs.at("x").set(0, std::nan(""));
  for (const AuditWitness& w : witnesses_of(claim, inputs, "d_x")) {
    EXPECT_EQ(w.verdict, WitnessVerdict::silent);
    EXPECT_EQ(w.text, "not finite");
  }
}

TEST(SecondOrderEdge, OneColumnThatIsNotFiniteDoesNotSilenceTheOthers) {
  const Claim claim = twice({.rows = 3, .cols = 4});
  Tensors inputs = make_inputs(claim, 1);
  inputs.at("x").set(2, std::nan(""));
  for (const AuditWitness& w : witnesses_of(claim, inputs, "d_x")) {
    EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
    EXPECT_NE(w.text.find("more are not finite"), std::string::npos) << w.text;
  }
}

TEST(SecondOrderEdge, LargeNumbersKeepTheirDigits) {
  for (const double size : {1.0, 0x1p100, 0x1p400}) {
    ClaimOptions options{.system = "groupnorm", .rows = 5, .cols = 12, .groups = 3};
    options.contract.storage = DType::f64;
    const Claim claim = twice(options);
    const Tensors inputs = make_inputs(claim, 3, size);
    for (const char* name : {"x", "weight", "beta"}) {
      const AuditWitness w = second_order_of(claim, inputs, name);
      EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << size << name << ": " << w.text;
    }
    EXPECT_EQ(second_order_of(claim, inputs, "x", kNoSecondSum).verdict, WitnessVerdict::wrong)
        << size;
  }
}

TEST(SecondOrderEdge, OnlyWhatDifferencesResolveIsWrong) {
  const Claim claim = twice({.rows = 8, .cols = 3});
  const TestedClaim tested(claim, make_inputs(claim, 3));
  const auto verdict = [&](double product, double difference, double self_error,
                           double resolution) {
    SecondOrderEntry entry;
    entry.product = product;
    entry.difference = difference;
    entry.self_error = self_error;
    entry.resolution = resolution;
    return second_order_witness(tested.target, {}, {entry}).verdict;
  };
  EXPECT_EQ(verdict(1, 1 + 1e-15, 1e-17, 1e-30), WitnessVerdict::wrong);
  EXPECT_EQ(verdict(1, 1 + 1e-15, 1e-15, 1e-30), WitnessVerdict::silent);
  EXPECT_EQ(verdict(1, 1 + 1e-15, 0, 1e-14), WitnessVerdict::silent);
  EXPECT_EQ(verdict(1, 0, 0, 2), WitnessVerdict::agrees);
}

/// Normalised numbers have the sum 0, so that with a dy of ones alone nothing has a gradient: all
/// numbers of 400 digits are the remainders of terms that cancel, and two steps may leave the same
/// remainders.
TEST(SecondOrderEdge, ASumOfNormalisedNumbersHasNoDerivatives) {
  const Claim claim = twice(
      {.system = "groupnorm", .rows = 5, .cols = 4, .groups = 2, .affine = false, .eps = 1e-30});
  for (const unsigned seed : {3U, 4U}) {
    Tensors inputs = make_inputs(claim, seed);
    for (std::int64_t i = 0; i < 20; ++i) inputs.at("dy").set(i, 1);
    const AuditWitness w = second_order_of(claim, inputs, "x");
    EXPECT_NE(w.text.find("0 everywhere"), std::string::npos) << w.text;
    inputs.at("dy").set(0, 2);
    EXPECT_EQ(second_order_of(claim, inputs, "x").text.find("0 everywhere"), std::string::npos);
  }
}

TEST(SecondOrderEdge, WhatIsLostInOneIsNotWrong) {
  // Swish' is 1 + (z - 1) e^-z: beyond 930 that is 1 in 400 digits, and does not move.
  for (const char* system : {"swish_bias", "swish_multiply_swish", "bias_divide_swish"})
    for (const double x : {100.0, 200.0, 900.0, 1000.0, 1e5}) {
      const Claim claim = twice({.system = system, .rows = 2, .cols = 2, .divide = 1});
      const Tensors inputs = make_inputs(claim, 3, 0, x);
      for (const auto& [gradient, witnesses] : derivative_witnesses(claim, inputs))
        for (const AuditWitness& w : witnesses)
          EXPECT_NE(w.verdict, WitnessVerdict::wrong) << system << x << gradient << w.text;
    }
  const Claim column = twice({.system = "swish_bias", .rows = 32, .cols = 6});
  Tensors inputs = make_inputs(column, 553);
  for (std::int64_t i = 0; i < 32 * 6; ++i) {
    inputs.at("x").set(i, i / 6 % 2 == 0 ? 1000 : -1000);
    inputs.at("dy").set(i, static_cast<double>(i % 7 - 3));
  }
  const AuditWitness w = second_order_of(column, inputs, "x");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_NE(w.text.find("0 everywhere"), std::string::npos) << w.text;
}

TEST(SecondOrderEdge, WhatIsAlmostLostInOneIsStillSeen) {
  // e^-50 is 1e-22 of a gradient, e^-600 is 1e-261.
  const Claim claim = twice({.system = "bias_divide_swish", .rows = 2, .cols = 2, .divide = 1});
  for (const double x : {20.0, 50.0, 600.0}) {
    const Tensors inputs = make_inputs(claim, 3, 0, x);
    const AuditWitness right = second_order_of(claim, inputs, "x");
    EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << x << ": " << right.text;
    EXPECT_EQ(right.text.find("0 everywhere"), std::string::npos) << x << ": " << right.text;
    const AuditWitness wrong = second_order_of(claim, inputs, "x", kSumsOff);
    EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << x << ": " << wrong.text;
  }
  for (const double x : {20.0, 60.0, 600.0}) {
    const Tensors inputs = make_inputs(claim, 3, 0, x);
    EXPECT_EQ(dual_of(claim, inputs, "x", kSwishOff).verdict, WitnessVerdict::wrong) << x;
    EXPECT_EQ(second_order_of(claim, inputs, "x", kSwishOff, true).verdict, WitnessVerdict::wrong)
        << x;
  }
}

TEST(SecondOrderEdge, AProductOfRoundingAloneIsNotWrong) {
  // The variance is 1e-89 beside eps, and dy is in the mean's direction: d_weight and all that it
  // depends on are 0 but for the rounding of the mean, which does not move with the weight.
  const Claim claim = twice({.system = "scale_batchnorm", .rows = 35, .cols = 1});
  const Tensors usual = make_inputs(claim, 3);
  Tensors inputs = usual;
  for (std::int64_t i = 0; i < 35; ++i) {
    inputs.at("x").set(i, static_cast<double>(i * i % 23 - 11) * 0x1p-149);
    inputs.at("dy").set(i, 1);
  }
  EXPECT_NE(second_order_of(claim, inputs, "weight").verdict, WitnessVerdict::wrong);
  EXPECT_EQ(second_order_of(claim, usual, "weight").verdict, WitnessVerdict::agrees);
  EXPECT_EQ(second_order_of(claim, usual, "weight", kMeanTermsOff).verdict, WitnessVerdict::wrong);
}

TEST(SecondOrderEdge, ALargeTensorIsSampledAndSaysSo) {
  const Claim claim = twice({.rows = 256, .cols = 32});
  const AuditWitness w = second_order_of(claim, make_inputs(claim, 1), "x");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_NE(w.text.find("3 of 8192 entries"), std::string::npos) << w.text;
}

}  // namespace
}  // namespace gradproof::oracle_tests
