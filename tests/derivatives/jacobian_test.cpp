// SPDX-License-Identifier: Apache-2.0
// Columns of the Jacobian of y: differences, dual numbers and the adjoint say the same.
#include "oracles/derivatives/jacobian.h"

#include <gtest/gtest.h>

#include "oracles/derivatives/column_unit.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// All that is counted: the three ways have hundreds.
constexpr double kDigits = 50;

JacobianColumn column_of(const Claim& claim, const Tensors& inputs, const std::string& gradient,
                         const std::vector<std::int64_t>& index) {
  const PipelineTarget target(claim, inputs);
  std::size_t tensor = 0;
  while (target.tensors().at(tensor).name != gradient) ++tensor;
  return jacobian_column(target, tensor, index);
}

JacobianColumn column(const ClaimOptions& options, const std::string& tensor,
                      const std::vector<std::int64_t>& index, double offset = 0) {
  const Claim claim = make_claim(options);
  return column_of(claim, make_inputs(claim, 4, 1, offset), tensor, index);
}

void expect_certified(const JacobianColumn& found, std::size_t entries) {
  EXPECT_EQ(found.verdict.outcome, Outcome::certified) << found.verdict.reason;
  EXPECT_GE(found.digits, kDigits);
  EXPECT_EQ(found.entries.size(), entries);
  EXPECT_EQ(found.outside_moved, 0);
  EXPECT_EQ(found.by_adjoint, static_cast<std::int64_t>(entries));
}

TEST(Jacobian, OfXIsItsColumnInTraining) {
  const JacobianColumn found = column({.rows = 9, .cols = 4}, "x", {3, 2}, -3);
  expect_certified(found, 9);
  EXPECT_EQ(found.entries[3].index, 3 * 4 + 2);
  EXPECT_EQ(found.outside, 3 * 9);  // the other columns
  ASSERT_EQ(found.sides.size(), 4u);
  EXPECT_EQ(found.sides[0].side, "mean");
  EXPECT_NEAR(found.sides[0].difference, 1.0 / 9, 0x1p-53);
  EXPECT_EQ(found.sides[2].side, "running_mean");
  EXPECT_NEAR(found.sides[2].dual, 0x1.99999ap-4 / 9, 0x1p-53);
}

TEST(Jacobian, OfXIsItselfInEvaluation) {
  const JacobianColumn found = column({.rows = 9, .cols = 4, .training = false}, "x", {3, 2});
  expect_certified(found, 1);
  EXPECT_EQ(found.outside, 8 + 3 * 9);  // evaluated, and exactly 0
}

TEST(Jacobian, OfXIsItsGroup) {
  const ClaimOptions options{.system = "swish_bias_groupnorm", .rows = 3, .cols = 12, .groups = 2};
  expect_certified(column(options, "x", {1, 7}), 6);
}

TEST(Jacobian, OfAParameterIsWhereItIsMet) {
  ClaimOptions options{.system = "swish_bias_groupnorm",
                       .rows = 3,
                       .cols = 12,
                       .groups = 2,
                       .vector = VectorShape::cols};
  expect_certified(column(options, "weight", {8}), 3);  // its channel, in all rows
  expect_certified(column(options, "bias", {8}), 18);   // before the norm: its group, in all rows
  options.vector = VectorShape::one;
  expect_certified(column(options, "bias", {}), 36);
  expect_certified(column({.rows = 5, .cols = 4}, "weight", {1}), 5);
  expect_certified(column({.rows = 5, .cols = 4}, "bias", {0}), 20);
}

TEST(Jacobian, IsCertifiedForEverySystem) {
  for (const std::string& system : system_names())
    for (const bool training : {true, false}) {
      const Claim claim =
          make_claim({.system = system, .rows = 4, .cols = 6, .groups = 2, .training = training});
      const Tensors inputs = make_inputs(claim, 8, 30, 100);
      for (const TensorSpec& spec : claim.tensors) {
        if (spec.role != Role::input && spec.role != Role::parameter) continue;
        const std::vector<std::int64_t> first(spec.layout.shape.size(), 0);
        const JacobianColumn found = column_of(claim, inputs, spec.name, first);
        EXPECT_EQ(found.verdict.outcome, Outcome::certified)
            << system << " " << spec.name << ": " << found.verdict.reason;
        EXPECT_GE(found.digits, kDigits) << system << " " << spec.name;
      }
    }
}

/// Control: of another number the three ways do not agree.
TEST(JacobianControl, AnotherNumbersColumnIsFarAway) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const Tensors inputs = make_inputs(claim, 4);
  const PipelineTarget target(claim, inputs);
  const auto found = ColumnUnit(target, 2, 0, 3).derivatives(-200, 1);
  const auto other = ColumnUnit(target, 2, 0, 4).derivatives(-200, 1);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_LT(abs(found[i].difference - found[i].dual), Real("1e-49"));
    EXPECT_LT(abs(*found[i].adjoint - found[i].dual), Real("1e-49"));
    EXPECT_GT(abs(found[i].difference - other[i].dual), Real("1e-49"));
    EXPECT_GT(abs(*other[i].adjoint - found[i].dual), Real("1e-49"));
  }
}

/// Control: the unit that feels the number moves.
TEST(JacobianControl, WhatIsInsideTheReachMoves) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const Tensors inputs = make_inputs(claim, 4);
  Tensors changed = inputs;
  changed.at("x").set(3 * 4 + 2, 0.125);
  const PipelineTarget target(claim, inputs);
  EXPECT_GE(outputs_that_move(target, changed, 2), 9);
  EXPECT_EQ(outputs_that_move(target, changed, 1), 0);
}

TEST(Jacobian, AsksTheAdjointOfSomeElementsOfALargeUnit) {
  const JacobianColumn found =
      column({.system = "scale_batchnorm", .rows = 2000, .cols = 1}, "x", {1999, 0});
  EXPECT_EQ(found.verdict.outcome, Outcome::certified) << found.verdict.reason;
  EXPECT_EQ(found.entries.size(), 2000u);
  EXPECT_LT(found.by_adjoint, 2000);
  EXPECT_GT(found.by_adjoint, 100);
  EXPECT_NE(found.verdict.reason.find("the adjoint was asked of"), std::string::npos);
  EXPECT_FALSE(std::isnan(found.entries[1999].adjoint));  // itself
}

TEST(Jacobian, SaysWhyItCannotTell) {
  const Claim claim = make_claim({.rows = 3, .cols = 2});
  Tensors inputs = make_inputs(claim, 1);
  inputs.at("x").set(0, std::nan(""));
  EXPECT_EQ(column_of(claim, inputs, "x", {1, 0}).verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(column_of(claim, inputs, "x", {1, 1}).verdict.outcome, Outcome::certified);
  EXPECT_EQ(column({.rows = 0, .cols = 2}, "weight", {0}).verdict.reason, "no elements");
}

}  // namespace
}  // namespace gradproof::oracle_tests
