// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "oracles/graph/plan/plan.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

constexpr const char* kUpdate =
    "{m = running_mean(x, mean); v = running_var(x, var)} rows=24 cols=5";
constexpr const char* kEvaluated =
    "{y = batch_norm_eval(x, mean, var, weight, beta)} rows=24 cols=5";

class EachType : public testing::TestWithParam<const char*> {
 protected:
  static std::string typed(const std::string& line) { return line + " dtype=" + GetParam(); }
};

TEST_P(EachType, LibTorchIsWithinTheBound) {
  for (const char* line : {kUpdate, kEvaluated}) {
    const Ran ran(typed(line));
    for (const auto& [name, judged] : ran.judged()) EXPECT_EQ(judged.discrepancy.bad, 0) << name;
  }
}

/// The wrong variance divides by N in place of N - 1.
TEST_P(EachType, ABiasedVarianceIsFound) {
  Ran ran(typed("{v = running_var(x, var, momentum=1)} rows=3 cols=5"));
  for (std::int64_t i = 0; i < 5; ++i) ran.got.at("v").set(i, ran.got.at("v").at(i) * 2 / 3);
  // In bfloat16 the stored mean alone may be as far off where three numbers are near each other.
  EXPECT_GE(ran.judged().at("v").discrepancy.bad, size_of(ran.storage) == 2 ? 4 : 5);
}

/// LibTorch's own step divides by N - 1; a variance over N is what one composes of its operators.
TEST_P(EachType, AVarianceOverNIsJudged) {
  for (const char* momentum : {"0.1", "1"}) {
    const std::string line = "{v = running_var(x, var, correction=0, momentum=";
    Ran ran(typed(line + momentum + ")} rows=3 cols=5"));
    EXPECT_EQ(ran.judged().at("v").discrepancy.bad, 0);
    const Ran other(
        typed("{v = running_var(x, var, momentum=" + std::string(momentum) + ")} rows=3 cols=5"));
    ran.got.at("v") = other.got.at("v");
    // A tenth of a small variance is below what 16 bits resolve of the old one.
    EXPECT_GE(ran.judged().at("v").discrepancy.bad, size_of(ran.storage) == 2 ? 1 : 5)
        << "the control: that over N - 1, momentum " << momentum;
  }
}

/// Momentum is the weight of the new statistic, not that of the old one.
TEST_P(EachType, TheOtherMomentumIsFound) {
  Ran ran(typed(kUpdate));
  for (const char* name : {"m", "v"}) {
    const char* const from = name[0] == 'm' ? "mean" : "var";
    for (std::int64_t i = 0; i < 5; ++i) {
      const double old = ran.inputs.at(from).at(i);
      const double fresh = (ran.got.at(name).at(i) - 0.9 * old) / 0.1;
      ran.got.at(name).set(i, 0.1 * old + 0.9 * fresh);
    }
    EXPECT_GE(ran.judged().at(name).discrepancy.bad, 4) << name;
  }
}

/// Training computes another function of the same tensors.
TEST_P(EachType, StatisticsOfTheBatchAreFound) {
  Ran ran(typed(kEvaluated));
  const Graph training = parse_graph("y = batch_norm(x, weight, beta)");
  ran.got = graph_in_libtorch(training, ran.inputs, {training, ran.storage});
  for (const char* name : {"y", "d_x", "d_weight"})
    EXPECT_GT(ran.judged().at(name).discrepancy.bad, 0) << name;
  EXPECT_EQ(ran.judged().at("d_beta").discrepancy.bad, 0);
}

INSTANTIATE_TEST_SUITE_P(RunningStatistics, EachType, testing::Values("f32", "f64", "f16", "bf16"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(RunningStatistics, HaveNoGradient) {
  const Ran ran(kEvaluated);
  EXPECT_FALSE(ran.got.contains("d_mean"));
  EXPECT_FALSE(ran.judged().contains("d_var"));
  const Ran shared("{y = add(x, mean[rows,cols]); z = running_mean(x, m2)} rows=4 cols=3");
  EXPECT_TRUE(shared.judged().contains("d_mean")) << "only a name";
  EXPECT_FALSE(shared.judged().contains("d_m2"));
}

/// Nothing goes back through statistics that a step made: the gradient is that of fixed ones.
TEST(RunningStatistics, ThatAStepMadeAreFixed) {
  Ran ran(
      "{m = running_mean(x, mean, momentum=1); v = running_var(x, var, momentum=1); "
      "y = batch_norm_eval(x, m, v)} rows=24 cols=5");
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0);
  const Graph training = parse_graph("y = batch_norm(x)");
  ran.got.at("d_x") = graph_in_libtorch(training, ran.inputs, {training, ran.storage}).at("d_x");
  EXPECT_GT(ran.judged().at("d_x").discrepancy.bad, 60);
}

TEST(RunningStatistics, NothingButAnUpdateHasAGradientOfZero) {
  const Ran ran(kUpdate);
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.elements, 120);
  Ran wrong = ran;
  wrong.got.at("d_x").set(7, 1e-30);
  EXPECT_EQ(wrong.judged().at("d_x").discrepancy.bad, 1);
}

/// The count 517 is no bfloat16: LibTorch divides by 516.
TEST(RunningStatistics, ACountThatTheStorageTypeLacks) {
  const Ran ran(
      "{y = batch_norm(x); v = running_var(x, var, momentum=1)} rows=517 cols=6 dtype=bf16");
  for (const auto& [name, judged] : ran.judged()) EXPECT_EQ(judged.discrepancy.bad, 0) << name;
}

/// The root of a negative number is NaN, which is right.
TEST(RunningStatistics, ANegativeVarianceGivesNaN) {
  Ran ran(kEvaluated);
  ran.inputs.at("var").set(2, -1);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
  EXPECT_TRUE(std::isnan(ran.got.at("y").at(2)));
  EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 0);
}

TEST(RunningStatistics, OneNumberHasNoUnbiasedVariance) {
  try {
    Ran("{v = running_var(x, var)} rows=1 cols=3").judged();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(
        std::string(error.what()).find("running_var divides by N - 1, and N is 1 over [rows]"),
        std::string::npos);
  }
  EXPECT_EQ(Ran("{m = running_mean(x, mean)} rows=1 cols=3").judged().at("m").discrepancy.bad, 0);
}

}  // namespace
}  // namespace gradproof
