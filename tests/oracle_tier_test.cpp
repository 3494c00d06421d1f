// SPDX-License-Identifier: Apache-2.0
// The two tiers of truth: the fast one holds the 50-digit truth wherever it is believed, and what
// it cannot decide is done again.
#include <gtest/gtest.h>

#include "oracles/arithmetic/plain.h"
#include "oracles/fast_tier.h"
#include "oracles/oracle.h"
#include "oracles/real.h"
#include "oracles/ruling.h"
#include "tests/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// How often 50 digits lie outside the balls, their radii times `shrink`.
struct Enclosed {
  std::int64_t outside = 0;
  std::int64_t numbers = 0;
};

void hold(Enclosed& all, const Ball& ball, const Real& truth, double shrink) {
  ++all.numbers;
  const Real off = abs(truth - Real(ball.hi) - Real(ball.lo));
  // 50 digits are off themselves, by far less than any radius.
  if (!(off <= Real(ball.radius) * shrink + abs(truth) * Real(0x1p-140))) ++all.outside;
}

void hold(Enclosed& all, const Values<Ball>& balls, const Values<Real>& truths, double shrink) {
  ASSERT_EQ(balls.size(), truths.size());
  for (std::size_t i = 0; i < balls.size(); ++i) hold(all, balls[i], truths[i], shrink);
}

using Tier = std::unique_ptr<FastTier> (*)(const Claim&);

Enclosed enclosed(const std::string& system, Tier tier, double shrink) {
  const Claim claim = make_claim({.system = system, .rows = 40, .cols = 24, .groups = 3});
  const Tensors inputs = make_inputs(claim, 3, 2, 5);
  Enclosed all;
  for (std::int64_t unit = 0; unit < Geometry(claim).units(); ++unit) {
    const auto numbers = gather<double>(claim, inputs, unit);
    const auto fast = tier(claim);
    fast->take_numbers(numbers);
    const Evaluation<Ball> balls = fast->evaluate(numbers);
    const auto truth =
        evaluate_unit(claim, Plain<Real>(), gather<Real>(claim, inputs, unit), {}, unit);
    hold(all, balls.y, truth.y, shrink);
    hold(all, balls.gradients.input, truth.gradients.input, shrink);
    for (const auto& [name, value] : truth.side_values)
      hold(all, balls.side_values.at(name), value, shrink);
    for (const auto& [name, values] : truth.gradients.parameters)
      hold(all, balls.gradients.parameters.at(name), values, shrink);
  }
  return all;
}

class FastTierTest : public testing::TestWithParam<std::string> {};

TEST_P(FastTierTest, HoldsFiftyDigits) {
  for (const Tier tier : {&fast_tier_baseline, &fast_tier}) {
    const Enclosed all = enclosed(GetParam(), tier, 1);
    EXPECT_EQ(all.outside, 0);
    EXPECT_GT(all.numbers, 2 * 40 * 24);
  }
}

TEST_P(FastTierTest, RadiiMadeTooSmallAreNoticed) {
  EXPECT_GT(enclosed(GetParam(), &fast_tier, 0x1p-8).outside, 0);
}

INSTANTIATE_TEST_SUITE_P(All, FastTierTest, testing::ValuesIn(system_names()),
                         [](const auto& system) { return system.param; });

/// A constant group's kernel, or whatever else: got is the truth, rounded.
std::map<std::string, Judged, std::less<>> judged_truth(const Claim& claim, const Tensors& inputs) {
  Tensors got;
  for (const auto& [name, answer] : evaluate(claim, inputs, std::nullopt)) {
    const TensorSpec& spec = claim.tensor(name);
    Tensor tensor(spec.dtype, spec.layout);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set(i, answer.hi[static_cast<std::size_t>(i)]);
    got.emplace(name, std::move(tensor));
  }
  return compare_with_truth(claim, inputs, std::nullopt, got);
}

TEST(Escalation, OrdinaryNumbersNeedNone) {
  for (const std::string& system : system_names()) {
    const Claim claim = make_claim({.system = system, .rows = 20, .cols = 12, .groups = 3});
    for (const auto& [name, judged] : judged_truth(claim, make_inputs(claim, 5))) {
      EXPECT_EQ(judged.escalated, 0) << system << " " << name;
      EXPECT_EQ(judged.discrepancy.bad, 0) << system << " " << name;
      EXPECT_EQ(judged.discrepancy.undecided, 0) << system << " " << name;
    }
  }
}

/// 2^120 + 1 - 2^120 under a contract that promises an exact sum: the bound is 0, the radius of
/// double-double is 2^15. An honest chain of two additions is decided: its bound is 2^69.
TEST(Escalation, ASumThatCancelsBeyondDoubleDoubleIsDoneAgain) {
  ClaimOptions options{.system = "bias", .rows = 3, .cols = 2, .vector = VectorShape::cols};
  options.contract.storage = options.contract.accumulation = DType::f64;
  options.lanes = 1;
  const Claim honest = make_claim(options);
  Claim claim = honest;
  claim.contract.reductions[1].chain = 0;
  Tensors inputs = make_inputs(claim, 1);
  for (const std::int64_t row : {0, 1, 2}) {
    inputs.at("dy").set(2 * row, row == 0 ? 0x1p120 : row == 1 ? 1 : -0x1p120);
    inputs.at("dy").set(2 * row + 1, static_cast<double>(row));
  }
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  EXPECT_EQ(answers.at("d_bias").hi[0], 1);
  EXPECT_EQ(answers.at("d_bias").radius[0], 0);
  const auto judged = judged_truth(claim, inputs);
  EXPECT_GE(judged.at("d_bias").escalated, 1);
  EXPECT_EQ(judged.at("d_bias").discrepancy.bad, 0);
  EXPECT_EQ(judged_truth(honest, inputs).at("d_bias").escalated, 0);
}

TEST(Escalation, NumbersThatAreNotFiniteStayInTheirUnit) {
  const Claim claim = make_claim({.system = "groupnorm", .rows = 4, .cols = 12, .groups = 3});
  Tensors inputs = make_inputs(claim, 5);
  inputs.at("x").set(12 + 5, std::nan(""));  // row 1, group 1
  const auto judged = judged_truth(claim, inputs);
  EXPECT_EQ(judged.at("y").escalated, 4);
  EXPECT_EQ(judged.at("rstd").escalated, 1);
  EXPECT_EQ(judged.at("d_weight").escalated, 4);
  for (const auto& [name, tensor] : judged) EXPECT_EQ(tensor.discrepancy.bad, 0) << name;
}

TEST(Escalation, IsDecidedByTheRadius) {
  EXPECT_TRUE(is_decided(0, 0));
  EXPECT_TRUE(is_decided(0x1p-13, 1));
  EXPECT_FALSE(is_decided(0x1p-11, 1));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(is_decided(kInfinity, kInfinity));
  EXPECT_FALSE(is_decided(std::nan(""), 1));
}

}  // namespace
}  // namespace gradproof::oracle_tests
