// SPDX-License-Identifier: Apache-2.0
// The answers of evaluate(): values, splits, classes, modes and edges.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/error.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// Expects that a double result is the answer, within what a double evaluation may be off.
void expect_about(const Answer& answer, std::size_t i, double value) {
  EXPECT_NEAR(answer.hi.at(i), value, 1e-13 * (1 + std::abs(value)));
}

GivenStatistics rounded_statistics(const Claim& claim, const Answers& answers) {
  GivenStatistics given{Tensor(DType::f32, {claim.cols()}), Tensor(DType::f32, {claim.cols()})};
  for (std::int64_t col = 0; col < claim.cols(); ++col) {
    given.mean.set(col, answers.at("mean").hi[static_cast<std::size_t>(col)]);
    given.rstd.set(col, answers.at("rstd").hi[static_cast<std::size_t>(col)]);
  }
  return given;
}

TEST(Evaluate, AnswersEveryJudgedTensor) {
  const Claim claim = make_claim({});
  const Answers answers = evaluate(claim, make_inputs(claim, 1), std::nullopt);
  for (const TensorSpec& spec : claim.tensors) {
    const bool judged =
        spec.role == Role::output || spec.role == Role::gradient || spec.role == Role::buffer;
    EXPECT_EQ(answers.contains(spec.name), judged) << spec.name;
    if (!judged) continue;
    EXPECT_EQ(answers.at(spec.name).size(), numel(spec.layout.shape));
  }
  EXPECT_NE(answers.at("y").why.find("two-pass"), std::string::npos);
}

TEST(Evaluate, TruthIsWithinItsRadiusOfAHundredDigits) {
  using Digits100 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>,
                                                  boost::multiprecision::et_off>;
  const Claim claim = make_claim({.rows = 50, .cols = 2});
  const Tensors inputs = make_inputs(claim, 2, 1, 100);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  const auto exact =
      evaluate_unit(claim, Plain<Digits100>(), gather<Digits100>(claim, inputs, 1), {}, 1);
  const auto check = [&](const std::string& name, std::size_t i, const Digits100& truth) {
    const Answer& a = answers.at(name);
    const Digits100 off = abs(truth - Digits100(a.hi[i]) - Digits100(a.lo[i]));
    EXPECT_LE(off, Digits100(a.radius[i])) << name;
    EXPECT_LE(a.radius[i], 0x1p-12 * a.bound[i]) << name;
  };
  for (std::size_t row = 0; row < exact.y.size(); ++row) {
    check("y", row * 2 + 1, exact.y[row]);
    check("d_x", row * 2 + 1, exact.gradients.input[row]);
  }
  check("rstd", 1, exact.side_values.at("rstd"));
  check("d_weight", 1, exact.gradients.parameters.at("weight")[0]);
}

TEST(Evaluate, UpdatesRunningStatisticsAsPyTorch) {
  for (const std::int64_t rows : {2, 3}) {
    const Claim claim = make_claim({.rows = rows, .cols = 1});
    const Tensors inputs = make_inputs(claim, 4);
    const Answers answers = evaluate(claim, inputs, std::nullopt);
    double mean = 0;
    double squares = 0;
    const Tensor& x = get(inputs, "x");
    const auto n = static_cast<double>(rows);
    for (std::int64_t i = 0; i < rows; ++i) mean += x.at(i) / n;
    for (std::int64_t i = 0; i < rows; ++i) squares += (x.at(i) - mean) * (x.at(i) - mean);
    const double m = claim.graph.steps.back().number("momentum");
    const double old_mean = get(inputs, "running_mean").at(0);
    const double old_var = get(inputs, "running_var").at(0);
    expect_about(answers.at("running_mean"), 0, (1 - m) * old_mean + m * mean);
    expect_about(answers.at("running_var"), 0, (1 - m) * old_var + m * squares / (n - 1));
    EXPECT_EQ(answers.at("num_batches_tracked").hi[0], 8);
    EXPECT_EQ(answers.at("num_batches_tracked").bound[0], 0);
  }
}

TEST(Evaluate, WithoutMomentumAveragesAllBatches) {
  const Claim claim = make_claim({.rows = 5, .cols = 1, .momentum = kNoMomentum});
  const Tensors inputs = make_inputs(claim, 4);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  const double old_mean = get(inputs, "running_mean").at(0);
  expect_about(answers.at("running_mean"), 0,
               old_mean + (answers.at("mean").hi[0] - old_mean) / 8);  // 7 batches before
}

TEST(Evaluate, EvaluationModeTakesRunningStatisticsAndLeavesThem) {
  const Claim claim = make_claim({.rows = 4, .cols = 2, .training = false});
  const Tensors inputs = make_inputs(claim, 6);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  for (std::int64_t col = 0; col < 2; ++col) {
    const auto i = static_cast<std::size_t>(col);
    for (const char* name : {"running_mean", "running_var"}) {
      EXPECT_EQ(answers.at(name).hi[i], get(inputs, name).at(col));
      EXPECT_EQ(answers.at(name).bound[i], 0);
    }
    EXPECT_EQ(answers.at("mean").hi[i], get(inputs, "running_mean").at(col));
    const double eps = claim.graph.steps[0].number("eps");
    expect_about(answers.at("rstd"), i, 1 / std::sqrt(get(inputs, "running_var").at(col) + eps));
  }
  EXPECT_EQ(answers.at("num_batches_tracked").hi[0], 7);
  // dx has no correction terms: it is proportional to dbeta's summands.
  const double ratio = answers.at("d_x").hi[0] / answers.at("d_x").hi[2];
  EXPECT_NE(ratio, 0);
}

TEST(Evaluate, NoRowsLeaveEverythingButTheCount) {
  const Claim claim = make_claim({.rows = 0, .cols = 3});
  const Tensors inputs = make_inputs(claim, 6);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  EXPECT_EQ(answers.at("y").size(), 0);
  EXPECT_EQ(answers.at("num_batches_tracked").hi[0], 8);
  for (std::size_t col = 0; col < 3; ++col) {
    EXPECT_EQ(answers.at("running_var").hi[col],
              get(inputs, "running_var").at(static_cast<std::int64_t>(col)));
    EXPECT_EQ(answers.at("d_weight").hi[col], 0);
    EXPECT_EQ(answers.at("d_weight").bound[col], 0);
  }
  EXPECT_EQ(answers.at("d_bias").hi[0], 0);
}

TEST(Evaluate, GivenStatisticsCountAsExact) {
  const Claim claim = make_claim({.rows = 64, .cols = 2});
  const Tensors inputs = make_inputs(claim, 8, 1, 1e3);
  const Answers whole = evaluate(claim, inputs, std::nullopt);
  const Answers given = evaluate(claim, inputs, rounded_statistics(claim, whole));
  EXPECT_EQ(given.at("y").hi, whole.at("y").hi);
  EXPECT_EQ(given.at("y").bound, whole.at("y").bound);
  double narrower = 0;
  for (std::size_t i = 0; i < given.at("d_x").hi.size(); ++i) {
    // Within the end-to-end bound: float32 statistics are what a kernel may have.
    EXPECT_NEAR(given.at("d_x").hi[i], whole.at("d_x").hi[i], whole.at("d_x").bound[i]);
    narrower += given.at("d_x").bound[i] / whole.at("d_x").bound[i];
  }
  EXPECT_LT(narrower / static_cast<double>(given.at("d_x").hi.size()), 0.5);
  GivenStatistics wrong = rounded_statistics(claim, whole);
  wrong.rstd.set(0, 2 * wrong.rstd.at(0));
  EXPECT_GT(std::abs(evaluate(claim, inputs, wrong).at("d_x").hi[0] - whole.at("d_x").hi[0]),
            whole.at("d_x").bound[0]);
}

TEST(Evaluate, SharedBiasCountsEveryElementOnce) {
  ClaimOptions options{.rows = 9, .cols = 40};
  const Claim nested = make_claim(options);
  options.vector = VectorShape::cols;
  const Claim apart = make_claim(options);
  Claim flat = nested;
  flat.contract.reductions[3] = {"shared", 9 * 40, 9 * 40 - 1, "in any order"};
  Tensors inputs = make_inputs(nested, 9);
  const Answer one = evaluate(nested, inputs, std::nullopt).at("d_bias");
  const Answer any = evaluate(flat, inputs, std::nullopt).at("d_bias");
  const double bias = get(inputs, "bias").at(0);
  Tensor columns(DType::f32, {40});
  for (std::int64_t i = 0; i < 40; ++i) columns.set(i, bias);
  inputs.insert_or_assign("bias", columns);
  double total = 0;
  const Answers parts = evaluate(apart, inputs, std::nullopt);
  for (const double part : parts.at("d_bias").hi) total += part;
  expect_about(one, 0, total);
  EXPECT_EQ(any.hi, one.hi);
  EXPECT_GT(any.bound[0], one.bound[0]);
}

TEST(Evaluate, ConstantColumnsAreJudged) {
  const Claim claim = make_claim({.rows = 8, .cols = 1});
  const Answers answers = evaluate(claim, make_inputs(claim, 3, 0, 3), std::nullopt);
  EXPECT_TRUE(std::isfinite(answers.at("y").bound[0]));
  EXPECT_NEAR(answers.at("rstd").hi[0], 1 / std::sqrt(claim.graph.steps[0].number("eps")), 1e-9);
}

TEST(Evaluate, Float64ContractsAreTighter) {
  ClaimOptions options{.rows = 20, .cols = 2};
  const Claim single = make_claim(options);
  Claim in_double = single;
  in_double.contract.accumulation = DType::f64;
  const Tensors inputs = make_inputs(single, 3);
  const Answers a = evaluate(single, inputs, std::nullopt);
  const Answers b = evaluate(in_double, inputs, std::nullopt);
  EXPECT_EQ(a.at("y").hi, b.at("y").hi);
  for (std::size_t i = 0; i < a.at("y").hi.size(); ++i) {
    // The rounding to the stored float32 is all that is left.
    EXPECT_LT(b.at("y").bound[i], a.at("y").bound[i]);
    EXPECT_GE(b.at("y").bound[i], unit_roundoff(DType::f32) * std::abs(b.at("y").hi[i]));
  }
}

TEST(Evaluate, ColumnSumsOfDxVanishUnderBatchStatistics) {
  const Claim claim = make_claim({.rows = 33, .cols = 3});
  const Tensors inputs = make_inputs(claim, 3);
  const Answer sums = unit_sums_of_dx(claim, inputs);
  const Answers whole = evaluate(claim, inputs, std::nullopt);
  for (std::size_t col = 0; col < 3; ++col) {
    double triangle = 0;
    for (std::size_t row = 0; row < 33; ++row) triangle += whole.at("d_x").bound[row * 3 + col];
    EXPECT_LT(std::abs(sums.hi[col]), 1e-40);
    EXPECT_GT(sums.bound[col], 0);
    EXPECT_LT(sums.bound[col], triangle);  // shared errors cancel
  }
  const Claim eval = make_claim({.rows = 33, .cols = 3, .training = false});
  EXPECT_GT(std::abs(unit_sums_of_dx(eval, inputs).hi[0]), 1e-3);
}

TEST(Evaluate, RefusesAContractWithoutTheReduction) {
  Claim claim = make_claim({});
  claim.contract.reductions.clear();
  EXPECT_THROW(evaluate(claim, make_inputs(claim, 1), std::nullopt), InstrumentError);
}

}  // namespace
}  // namespace gradproof::oracle_tests
