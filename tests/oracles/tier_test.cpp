// SPDX-License-Identifier: Apache-2.0
// The two tiers of truth: the radius of the fast tier holds the 50-digit truth, and an element that
// the fast tier cannot decide is computed again with 50 digits.
#include <gtest/gtest.h>

#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/oracle.h"
#include "oracles/truth/block_evaluator.h"
#include "oracles/truth/fast_tier.h"
#include "oracles/truth/stored_rounding.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// Counts truths of 50 digits outside the balls of the fast tier.
struct Enclosed {
  std::int64_t outside = 0;
  std::int64_t numbers = 0;
};

void hold(Enclosed& all, const Ball& ball, const Real& truth, double shrink) {
  ++all.numbers;
  const Real off = abs(truth - Real(ball.hi) - Real(ball.lo));
  // The 50 digits have an error of their own, far below any radius.
  if (!(off <= Real(ball.radius) * shrink + abs(truth) * Real(0x1p-140))) ++all.outside;
}

void hold(Enclosed& all, const Values<Ball>& balls, const Values<Real>& truths, double shrink) {
  ASSERT_EQ(balls.size(), truths.size());
  for (std::size_t i = 0; i < balls.size(); ++i) hold(all, balls[i], truths[i], shrink);
}

/// The elements of one output with 50 digits.
Values<Real> exact_numbers(const Plan& plan, const Output& output, const Evaluation<Real>& truth) {
  if (output.part == Output::Part::y) return truth.y;
  if (output.part == Output::Part::input_gradient) return truth.gradients.input;
  if (output.part == Output::Part::side_value)
    return {truth.side_values.at(plan.compiled.sides[output.slot].name)};
  return truth.gradients.parameters.at(plan.compiled.numbers[output.slot].name);
}

/// Evaluates a claim, unit by unit, with one compilation of the fast tier; radii times `shrink`.
Enclosed enclosed(const std::string& system, const TierCompilation& compilation, double shrink) {
  const Claim claim =
      make_claim({.system = system, .rows = 41, .cols = 33, .groups = 3, .closed = true});
  const Tensors inputs = make_inputs(claim, 3, 2, 5);
  const std::optional<GivenStatistics> given;
  const InexactInputs inexact;
  const Plan plan = plan_of(claim, inputs, given, inexact);
  const auto tier = compilation.make({plan.claim, plan.compiled, plan.outputs});
  Enclosed all;
  for (std::int64_t unit = 0; unit < Geometry(claim).units(); ++unit) {
    const auto numbers = gather<double>(claim, inputs, unit);
    tier->take_numbers(numbers);
    UnitNumbers arrays{Geometry(claim).unit_size(), {numbers.x.data(), {}, {}}, {}, {}};
    arrays.dy.numbers = numbers.dy.data();
    EXPECT_TRUE(tier->judge(arrays));
    const auto truth =
        evaluate_unit(claim, Plain<Real>(), gather<Real>(claim, inputs, unit), {}, unit);
    for (std::size_t s = 0; s < plan.outputs.size(); ++s) {
      Values<Ball> balls(tier->count(s));
      tier->balls(s, balls.data());
      hold(all, balls, exact_numbers(plan, plan.outputs[s], truth), shrink);
    }
  }
  return all;
}

class FastTierTest : public testing::TestWithParam<std::string> {};

TEST_P(FastTierTest, HoldsFiftyDigits) {
  std::int64_t left_out = 0;
  for (const TierCompilation& compilation : tier_compilations()) {
    if (!runs_here(compilation.set)) {
      ++left_out;
      continue;
    }
    const Enclosed all = enclosed(GetParam(), compilation, 1);
    EXPECT_EQ(all.outside, 0) << name_of(compilation.set);
    EXPECT_GT(all.numbers, 2 * 41 * 33) << name_of(compilation.set);
  }
  if (left_out > 0)
    GTEST_SKIP() << "this CPU lacks instructions of " << left_out << " compilations";
}

TEST_P(FastTierTest, RadiiMadeTooSmallAreNoticed) {
  for (const TierCompilation& compilation : tier_compilations()) {
    if (!runs_here(compilation.set)) continue;
    EXPECT_GT(enclosed(GetParam(), compilation, 0x1p-8).outside, 0) << name_of(compilation.set);
  }
}

/// The permitted errors of all compilations are equal, but for the roundings of the error
/// arithmetic.
TEST_P(FastTierTest, AllCompilationsPermitTheSame) {
  const Claim claim =
      make_claim({.system = GetParam(), .rows = 41, .cols = 33, .groups = 3, .closed = true});
  const Tensors inputs = make_inputs(claim, 3, 2, 5);
  const std::optional<GivenStatistics> given;
  const InexactInputs inexact;
  const Plan plan = plan_of(claim, inputs, given, inexact);
  const auto numbers = gather<double>(claim, inputs, 1);
  std::vector<Values<Permitted>> before;
  for (const TierCompilation& compilation : tier_compilations()) {
    if (!runs_here(compilation.set)) continue;
    const auto tier = compilation.make({plan.claim, plan.compiled, plan.outputs});
    tier->take_numbers(numbers);
    UnitNumbers arrays{Geometry(claim).unit_size(), {numbers.x.data(), {}, {}}, {}, {}};
    arrays.dy.numbers = numbers.dy.data();
    EXPECT_TRUE(tier->judge(arrays));
    std::vector<Values<Permitted>> now;
    for (std::size_t s = 0; s < plan.outputs.size(); ++s)
      tier->permitted(s, now.emplace_back(tier->count(s)).data());
    for (std::size_t s = 0; s < before.size(); ++s)
      for (std::size_t i = 0; i < now[s].size(); ++i)
        // The relative error of the error arithmetic (oracles/bounds/number_type.h).
        EXPECT_NEAR(now[s][i].error, before[s][i].error, kBookkeeping * now[s][i].error);
    before = now;
  }
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
