// SPDX-License-Identifier: Apache-2.0
// At the end of float32's range a correct kernel that leaves it on its way is never wrong, and
// results that do not depend on what overflowed are still judged.
#include <bit>

#include <gtest/gtest.h>

#include "tests/support/oracle_trials.h"

namespace gradproof::oracle_tests {
namespace {

/// The number of tensors over their bound: as the answers are, and if no range ever ended.
struct Alarms {
  std::int64_t now = 0;
  std::int64_t without_range = 0;
};

Alarms& operator+=(Alarms& a, const Alarms& b) {
  a.now += b.now;
  a.without_range += b.without_range;
  return a;
}

Tensors scaled(const Tensors& inputs, float factor) {
  Tensors all = inputs;
  Tensor& x = all.at("x");
  for (std::int64_t i = 0; i < x.numel(); ++i)
    x.set(i, static_cast<float>(x.at(i)) * static_cast<double>(factor));
  return all;
}

/// Nearly the largest factor that leaves x finite; numbers beside it leave x finite too.
float largest_factor(const Tensor& x) {
  double largest = 1;
  for (std::int64_t i = 0; i < x.numel(); ++i) largest = std::max(largest, std::abs(x.at(i)));
  return static_cast<float>(largest_finite(DType::f32) / largest * (1 - 0x1p-12));
}

bool is_finite(const Tensor& tensor) {
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    if (!std::isfinite(tensor.at(i))) return false;
  return true;
}

Alarms alarms_of(const Claim& claim, const Tensors& inputs, const Tensors& got) {
  Alarms alarms;
  for (const auto& [name, answer] : evaluate(claim, inputs, std::nullopt)) {
    Answer endless = answer;
    endless.any_nonfinite.clear();
    alarms.now += compare(get(got, name), answer).bad > 0;
    alarms.without_range += compare(get(got, name), endless).bad > 0;
  }
  return alarms;
}

/// Bisects a factor of x to the two neighbours between which the kernel's tensor overflows, and
/// judges the kernel around them.
Alarms at_the_end(const Trial& r, const char* tensor) {
  const Claim claim = make_claim(r.options);
  const SimulatedKernel kernel(claim, r.freedoms);
  const auto got_of = [&](std::uint32_t bits) {
    return kernel.run(scaled(r.inputs, std::bit_cast<float>(bits)), std::nullopt);
  };
  std::uint32_t inside = std::bit_cast<std::uint32_t>(1.0f);
  auto beyond = std::bit_cast<std::uint32_t>(largest_factor(get(r.inputs, "x")));
  if (is_finite(get(got_of(beyond), tensor))) return {};
  while (beyond - inside > 1) {
    const std::uint32_t middle = inside + (beyond - inside) / 2;
    (is_finite(get(got_of(middle), tensor)) ? inside : beyond) = middle;
  }
  Alarms alarms;
  for (const std::int32_t away : {-100, -10, -1, 0, 1, 2, 10, 100}) {
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(inside) + away);
    alarms += alarms_of(claim, scaled(r.inputs, std::bit_cast<float>(bits)), got_of(bits));
  }
  return alarms;
}

class RangeTest : public testing::TestWithParam<std::tuple<std::string, Variance>> {};

TEST_P(RangeTest, IsNeverLeftBeforeTheBoundSaysSo) {
  const auto& [system, variance] = GetParam();
  Draw draw(5 + static_cast<std::uint64_t>(variance));
  Alarms all;
  for (int k = 0; k < 40; ++k) {
    Trial r = drawn_forms(draw, system, variance, k % 4 == 0 ? 4 : 150);
    r.options.contract.storage = DType::f32;
    draw_inputs(draw, r, k % 2 == 0 ? 4 : draw.below(kFills));  // constants, whose mean is all
    for (const char* tensor : {"mean", "rstd", "y"}) all += at_the_end(r, tensor);
  }
  EXPECT_EQ(all.now, 0);
  EXPECT_GT(all.without_range, 0) << "the control";
}

std::string range_test_name(const testing::TestParamInfo<RangeTest::ParamType>& info) {
  const auto& [system, variance] = info.param;
  if (variance == Variance::two_pass) return system + "_two_pass";
  return system + (variance == Variance::welford ? "_welford" : "_one_pass");
}

INSTANTIATE_TEST_SUITE_P(
    Variances, RangeTest,
    testing::Combine(testing::Values("batchnorm_bias_divide_swish", "groupnorm"),
                     testing::Values(Variance::two_pass, Variance::welford, Variance::one_pass)),
    range_test_name);

/// Two numbers of opposite sign: their difference is twice either, its square four times.
TEST(Range, WelfordsJoinSquaresADifference) {
  ClaimOptions options{.rows = 2, .cols = 1};
  options.contract.variance = Variance::welford;
  const Claim claim = make_claim(options);
  Tensors inputs = make_inputs(claim, 1);
  inputs.at("x").set(0, 1.2e19);
  inputs.at("x").set(1, -1.2e19);  // sum x^2 = 2.9e38, (2x)^2 = 5.8e38
  const Tensors got = SimulatedKernel(claim, {.lanes = 2}).run(inputs, std::nullopt);
  ASSERT_FALSE(is_finite(get(got, "running_var")));
  const Alarms alarms = alarms_of(claim, inputs, got);
  EXPECT_EQ(alarms.now, 0);
  EXPECT_GT(alarms.without_range, 0);
}

/// Each column's sum is 0; all large elements of two columns together are beyond float32.
TEST(Range, OfASumOverAllElementsCountsEveryColumn) {
  ClaimOptions options{.system = "bias", .rows = 2, .cols = 2};
  Claim claim = make_claim(options);
  for (Reduction& reduction : claim.contract.reductions)
    if (reduction.name == "shared") reduction = {"shared", 4, 3, "any order"};
  Tensors inputs = make_inputs(claim, 1);
  for (std::int64_t i = 0; i < 4; ++i) inputs.at("dy").set(i, i < 2 ? 1.5e38 : -1.5e38);
  EXPECT_TRUE(evaluate(claim, inputs, std::nullopt).at("d_bias").any_nonfinite[0]);
  for (std::int64_t i = 0; i < 4; ++i) inputs.at("dy").set(i, i < 2 ? 0.8e38 : -0.8e38);
  EXPECT_FALSE(evaluate(claim, inputs, std::nullopt).at("d_bias").any_nonfinite[0]);
}

/// Squares of 1e25 leave float32, sums of 1e25 do not.
TEST(Range, TheMeanIsJudgedWhereTheVarianceOverflows) {
  for (const Variance variance : {Variance::two_pass, Variance::welford, Variance::one_pass}) {
    ClaimOptions options{.rows = 8, .cols = 1};
    options.contract.variance = variance;
    const Claim claim = make_claim(options);
    const Answers answers = evaluate(claim, make_inputs(claim, 3, 1e25), std::nullopt);
    for (const char* name : {"mean", "running_mean"}) {
      EXPECT_LT(answers.at(name).bound[0], 1e-5 * 1e25) << name;
      EXPECT_FALSE(answers.at(name).any_nonfinite[0]) << name;
    }
    for (const char* name : {"rstd", "running_var", "y"}) {
      EXPECT_TRUE(std::isinf(answers.at(name).bound[0])) << name;
      EXPECT_TRUE(answers.at(name).any_nonfinite[0]) << name;
    }
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
