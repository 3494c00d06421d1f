// SPDX-License-Identifier: Apache-2.0
// All elements of a unit moved in turn, through its mean and variance: the same numbers as when the
// unit is evaluated again for each of them.
#include <gtest/gtest.h>

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/evaluate/numeric_loss.h"
#include "oracles/differences/pipeline_target.h"
#include "tests/support/audit/statistics_support.h"

namespace gradproof::oracle_tests {
namespace {

/// No operation is off by more.
constexpr double worst_of(const WideErrors& errors) {
  return errors.unit * std::max({errors.sum, errors.product, errors.quotient, errors.root,
                                 errors.exponential + errors.sum + errors.quotient});
}
constexpr double kDoubleDouble = worst_of(kDoubledErrors);
constexpr double kTripleDouble = worst_of(kTripledErrors);

Values<Real> packed_changes(const PackedLossCompilation& compilation, AuditArithmetic type,
                            const NormUnit& norm_unit, const Movable& tensor, double move) {
  const auto losses = compilation.make(norm_unit.compiled, type);
  losses->take_unit(norm_unit.unit);
  std::vector<Wide> wide(norm_unit.unit.x.size());
  EXPECT_TRUE(losses->allows(tensor, Method::statistics));
  losses->changes(tensor, Method::statistics, move, wide.data());
  Values<Real> result;
  for (const Wide& w : wide) result.push_back(Real(w.hi) + (Real(w.mid) + Real(w.lo)));
  return result;
}

class ThroughStatistics
    : public testing::TestWithParam<std::tuple<std::string, std::int64_t, Data>> {};

/// Every way to compute them, and what rounding may do to each.
std::vector<std::pair<Values<Real>, Real>> all_changes(Exact& exact, const NormUnit& norm_unit,
                                                       const Movable& tensor, double move) {
  std::vector<std::pair<Values<Real>, Real>> result;
  result.emplace_back(exact.through_statistics(tensor, move), exact.rounding(norm_unit, kRealUnit));
  for (const PackedLossCompilation& compilation : packed_loss_compilations()) {
    if (!runs_here(compilation.set)) continue;
    result.emplace_back(
        packed_changes(compilation, AuditArithmetic::double_double, norm_unit, tensor, move),
        exact.rounding(norm_unit, kDoubleDouble));
    result.emplace_back(
        packed_changes(compilation, AuditArithmetic::triple_double, norm_unit, tensor, move),
        exact.rounding(norm_unit, kTripleDouble));
  }
  return result;
}

TEST_P(ThroughStatistics, IsWhatEvaluatingAgainSays) {
  const auto& [system, n, data] = GetParam();
  const NormUnit norm_unit(system, n, data);
  Exact exact(norm_unit);
  for (const Movable& tensor : norm_unit.movables())
    for (const double step : {0x1p-16, -0x1p-22}) {
      const double move = step * exact.scale() / (tensor.input ? 1 : exact.largest_x());
      const auto found = all_changes(exact, norm_unit, tensor, move);
      for (const std::int64_t i : places(n)) {
        const Real truth = exact.change(tensor, i, move);
        for (std::size_t k = 0; k < found.size(); ++k) {
          const auto& [changes, bound] = found[k];
          ASSERT_LE(abs(changes[static_cast<std::size_t>(i)] - truth), bound)
              << "place " << i << ", arithmetic " << k;
        }
      }
    }
}

std::string name_of_trial(const testing::TestParamInfo<ThroughStatistics::ParamType>& info) {
  const auto& [system, n, data] = info.param;
  return system + "_" + std::to_string(n) + "_" + data.name;
}

INSTANTIATE_TEST_SUITE_P(Units, ThroughStatistics,
                         testing::Combine(testing::ValuesIn(norm_systems()),
                                          testing::Values(1, 2, 3, 7, 8, 9, 33, 128, 129),
                                          testing::ValuesIn(data_sets())),
                         name_of_trial);
INSTANTIATE_TEST_SUITE_P(LargeUnits, ThroughStatistics,
                         testing::Combine(testing::Values("scale_batchnorm",
                                                          "swish_bias_groupnorm"),
                                          testing::Values(1000), testing::ValuesIn(data_sets())),
                         name_of_trial);

/// Control: h instead of h/N in the new mean and variance.
TEST(ThroughStatisticsControl, AWrongUpdateOfTheStatisticsMisses) {
  for (const std::string& system : norm_systems()) {
    const NormUnit norm_unit(system, 33, {});
    Exact exact(norm_unit);
    const double move = 0x1p-16 * exact.scale();
    for (const double count : {33.0, 1.0}) {
      Unit<Real> unit;
      fill(unit.x, exact.unit.x);
      fill(unit.dy, exact.unit.dy);
      for (const Values<double>& numbers : exact.unit.numbers)
        fill(unit.numbers.emplace_back(), numbers);
      Plain<Real> plain;  // in 50 digits its count is not what the unit's own statistics take
      plain.take_count(static_cast<std::int64_t>(count));
      NormLoss<Real> losses(norm_unit.compiled, plain, unit);
      const Values<Real>& found = losses.changes(kX, {0, unit.x.size()}, move);
      int missed = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Real truth = exact.change(kX, static_cast<std::int64_t>(i), move);
        if (!(abs(found[i] - truth) <= exact.rounding(norm_unit, kDoubleDouble))) ++missed;
      }
      EXPECT_EQ(missed, count > 1 ? 0 : 33) << system;
    }
  }
}

/// Control: the bound is not so wide that a truncated interpolation would pass.
TEST(ThroughStatisticsControl, FewerNodesMiss) {
  Surface<Real> surface;
  const auto value = [](double v, double g) { return Real(exp(Real(v) + 2 * Real(g)) - 1); };
  const Real truth = value(0x1p-13, 0x1p-14);
  surface.fit(8, 0x1p-12, value);
  EXPECT_LT(abs(surface(Real(0x1p-13), Real(0x1p-14)) - truth), kDoubleDouble);
  EXPECT_LT(surface.highest_terms(), kDoubleDouble);
  surface.fit(4, 0x1p-12, value);
  EXPECT_GT(abs(surface(Real(0x1p-13), Real(0x1p-14)) - truth), kDoubleDouble);
  EXPECT_GT(surface.highest_terms(), kDoubleDouble);
}

/// A step so wide that the interpolation does not cover it is answered by evaluating again.
TEST(ThroughStatistics, GivesUpWhereTheStatisticsMoveFar) {
  const NormUnit norm_unit("batchnorm_bias_divide_swish", 7, {});
  Exact exact(norm_unit);
  const Values<Real> far = exact.through_statistics(kX, exact.scale() / 4);
  for (const Real& change : far) EXPECT_TRUE(isnan(change));
  const Claim claim = make_claim({.rows = 40, .cols = 2});
  const Tensors inputs = make_inputs(claim, 3);
  const PipelineTarget target(claim, inputs);
  const auto losses = target.losses(AuditArithmetic::digits400);
  losses->take_unit(1);
  const Values<Digits400> changes = losses->changes(0, {}, {0.25}, Method::statistics)[0];
  for (std::int64_t i = 0; i < losses->count(0); ++i)
    EXPECT_EQ(changes[static_cast<std::size_t>(i)], losses->change(0, i, 0.25));
}

/// A function that is steep within the usual box of statistics, where most moves leave its own box.
TEST(ThroughStatistics, NarrowsTheBoxForASteepFunction) {
  NormUnit norm_unit("batchnorm_bias_divide_swish", 33, {});
  norm_unit.unit.numbers[norm_unit.compiled.number("weight")][0] = 0x1p20;
  Exact exact(norm_unit);
  const Real bound = exact.rounding(norm_unit, kRealUnit);
  int changes = 0;
  for (const double step : {0x1p-16, 0x1p-36}) {
    const double move = step * exact.scale();
    const Values<Real> found = exact.through_statistics(kX, move);
    for (const std::int64_t i : places(33)) {
      const Real& change = found[static_cast<std::size_t>(i)];
      if (isnan(change)) continue;
      ++changes;
      EXPECT_LE(abs(change - exact.change(kX, i, move)), bound);
    }
  }
  EXPECT_GE(changes, 12);  // all at the small step
}

TEST(ThroughStatistics, IsTakenWhereItIsQuicker) {
  const auto method = [](const ClaimOptions& options) {
    const Claim claim = make_claim(options);
    const Tensors inputs = make_inputs(claim, 3);
    return PipelineTarget(claim, inputs).losses(AuditArithmetic::double_double)->quickest(0);
  };
  EXPECT_EQ(method({.rows = 1024, .cols = 1}), Method::statistics);
  EXPECT_EQ(method({.rows = 4, .cols = 1}), Method::direct);
  EXPECT_EQ(method({.rows = 1024, .cols = 1, .training = false}), Method::together);
  EXPECT_EQ(method({.system = "groupnorm", .rows = 1, .cols = 512}), Method::statistics);
}

TEST(StatisticsPipeline, AllowsWhatIsFeltThroughOneNormOnly) {
  const auto allows = [](const Claim& claim, const std::string& tensor) {
    const CompiledPipeline compiled(claim);
    const bool input = tensor == "x";
    return StatisticsPipeline(compiled).allows({input, input ? 0 : compiled.number(tensor)});
  };
  Claim claim = make_claim({.system = "swish_bias_groupnorm", .vector = VectorShape::cols});
  EXPECT_TRUE(allows(claim, "x"));
  EXPECT_TRUE(allows(claim, "bias"));
  EXPECT_FALSE(allows(claim, "weight"));
  const std::string text = to_string(claim.graph);
  claim.graph = parse_graph(text + "; again = bias(y, bias)");
  EXPECT_FALSE(allows(claim, "bias"));
  EXPECT_TRUE(allows(claim, "x"));
  claim.graph = parse_graph(text + "; again = bias(v0, bias); outputs again y");
  EXPECT_FALSE(allows(claim, "x"));
  EXPECT_FALSE(allows(make_claim({.training = false}), "x"));
  EXPECT_FALSE(allows(make_claim({.system = "swish_bias"}), "x"));
  EXPECT_FALSE(allows(make_claim({.system = "groupnorm_swish_groupnorm"}), "x"));
  EXPECT_FALSE(allows(make_claim({.system = "swish_bias_groupnorm"}), "bias"));  // one for all
}

}  // namespace
}  // namespace gradproof::oracle_tests
