// SPDX-License-Identifier: Apache-2.0
// NaN, infinities and overflow: the class that evaluate() answers, and where it cannot.
#include <gtest/gtest.h>

#include "oracles/oracle.h"
#include "tests/core/doubles.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

TEST(NonFinite, StaysInItsColumn) {
  const Claim claim = make_claim({.rows = 5, .cols = 3, .vector = VectorShape::cols});
  Tensors inputs = make_inputs(claim, 3);
  inputs.at("x").set(4, std::nan(""));  // row 1, column 1
  inputs.at("dy").set(2, -kInf);        // row 0, column 2
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(std::isnan(answers.at("y").hi[i]), i % 3 == 1) << i;
    EXPECT_EQ(std::isfinite(answers.at("d_x").hi[i]), i % 3 == 0) << i;
    EXPECT_EQ(answers.at("y").bound[i] == 0, i % 3 == 1) << i;
  }
  EXPECT_TRUE(std::isnan(answers.at("mean").hi[1]));
  EXPECT_TRUE(std::isinf(answers.at("d_beta").hi[2]));
  EXPECT_EQ(answers.at("d_beta").bound[2], 0);
}

TEST(NonFinite, InfinityUnderWelfordIsNotDecided) {
  ClaimOptions options{.rows = 5, .cols = 1};
  options.contract.variance = Variance::welford;
  const Claim claim = make_claim(options);
  Tensors inputs = make_inputs(claim, 3);
  inputs.at("x").set(2, kInf);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  EXPECT_EQ(answers.at("mean").bound[0], kInf);
  EXPECT_TRUE(std::isnan(answers.at("rstd").hi[0]));
  EXPECT_EQ(answers.at("rstd").bound[0], 0);
}

TEST(NonFinite, OutsideTheContractsRangeTheBoundIsInfinite) {
  const Claim claim = make_claim({.rows = 8, .cols = 1});
  const Answers large =
      evaluate(claim, make_inputs(claim, 3, 1e25), std::nullopt);  // d^2 overflows
  EXPECT_TRUE(std::isfinite(large.at("y").hi[0]));
  EXPECT_EQ(large.at("y").bound[0], kInf);
  const Answers fine = evaluate(claim, make_inputs(claim, 3, 1e15), std::nullopt);
  EXPECT_LT(fine.at("y").bound[0], 1e-5);
}

TEST(NonFinite, EvaluationModeFollowsIeee) {
  const Claim claim = make_claim({.rows = 2, .cols = 1, .training = false, .divide = 0.5});
  Tensors inputs = make_inputs(claim, 3);
  inputs.at("weight").set(0, 1.5);
  inputs.at("x").set(0, kInf);
  inputs.at("x").set(1, -kInf);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  EXPECT_EQ(answers.at("y").hi[0], kInf);
  EXPECT_TRUE(std::isnan(answers.at("y").hi[1]));  // -inf * sigmoid(-inf), as PyTorch's silu
  EXPECT_TRUE(std::isnan(answers.at("d_x").hi[0]));
}

}  // namespace
/// True if the element may be any of NaN and the infinities.
bool class_is_open(const Answers& answers, const std::string& tensor, std::size_t i) {
  return answers.at(tensor).any_nonfinite[i] != 0 && std::isinf(answers.at(tensor).bound[i]);
}

// In float32 the slope of swish(-300) is 0, and 0 * Inf is NaN; at 50 digits it is not, and gives
// Inf.
TEST(NonFinite, InfinityTimesWhatUnderflowsHasNoClass) {
  const Claim claim = make_claim({.rows = 2, .cols = 1, .training = false, .divide = 1});
  Tensors inputs = make_inputs(claim, 3);
  for (const char* name : {"weight", "running_var"}) inputs.at(name).set(0, 1);
  for (const char* name : {"beta", "bias", "running_mean"}) inputs.at(name).set(0, 0);
  inputs.at("x").set(0, -300);
  inputs.at("x").set(1, -3);
  inputs.at("dy").set(0, kInf);
  inputs.at("dy").set(1, kInf);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  EXPECT_TRUE(class_is_open(answers, "d_x", 0));
  EXPECT_FALSE(class_is_open(answers, "d_x", 1));  // the control: an ordinary slope
}

// Finite partial sums that overflow to -Inf meet the one true +Inf.
TEST(NonFinite, InfinityBesideOverflowingSumsHasNoClass) {
  const Claim claim = make_claim({.rows = 6, .cols = 1, .training = false});
  Tensors inputs = make_inputs(claim, 3);
  inputs.at("dy").set(2, kInf);
  EXPECT_FALSE(class_is_open(evaluate(claim, inputs, std::nullopt), "d_beta", 0));
  for (const std::int64_t i : {0, 1, 3, 4, 5}) inputs.at("dy").set(i, -3e38);
  EXPECT_TRUE(class_is_open(evaluate(claim, inputs, std::nullopt), "d_beta", 0));
}

// x / 0 is +Inf or -Inf by the sign of a number that a rounding error may turn.
TEST(NonFinite, DivisionByZeroHasAClassWhereTheSignIsCertain) {
  const Claim claim = make_claim({.rows = 2, .cols = 1, .training = false, .divide = 0});
  Tensors inputs = make_inputs(claim, 3);
  for (const char* name : {"weight", "running_var", "beta"}) inputs.at(name).set(0, 1);
  inputs.at("bias").set(0, -1);
  inputs.at("running_mean").set(0, 0);
  inputs.at("x").set(0, 0x1p-40);  // rstd x + 1 - 1: lost in float32
  inputs.at("x").set(1, 4);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  EXPECT_TRUE(class_is_open(answers, "y", 0));
  EXPECT_FALSE(class_is_open(answers, "y", 1));
  EXPECT_EQ(answers.at("y").hi[1], kInf);
}

}  // namespace gradproof::oracle_tests
