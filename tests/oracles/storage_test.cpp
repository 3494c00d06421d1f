// SPDX-License-Identifier: Apache-2.0
// 16-bit storage, and the edges of GroupNorm.
#include <gtest/gtest.h>

#include "oracles/oracle.h"
#include "tests/core/doubles.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

TEST(Storage, AnOverflowOfFloat16IsAnInfinity) {
  ClaimOptions options{.system = "scale", .rows = 4, .cols = 1};
  options.contract.storage = DType::f16;
  const Claim claim = make_claim(options);
  Tensors inputs = make_inputs(claim, 1);
  inputs.at("scale").set(0, 2);
  const double half_way = 32760;  // twice that is 65520, the tie between 65504 and what is beyond
  for (const auto& [row, x] : {std::pair{0, half_way - 8}, {1, half_way + 24}, {2, -6e4}, {3, 1.0}})
    inputs.at("x").set(row, x);
  const Answer y = evaluate(claim, inputs, std::nullopt).at("y");
  EXPECT_EQ(y.hi[0], 65504);
  EXPECT_EQ(y.hi[1], kInf);
  EXPECT_EQ(y.bound[1], 0);
  EXPECT_EQ(y.hi[2], -kInf);
  EXPECT_LT(y.bound[3], 0x1p-9);
}

TEST(Storage, EachTensorHasItsOwnRounding) {
  ClaimOptions options{.rows = 40, .cols = 2};
  const Claim in_f32 = make_claim(options);
  options.contract.storage = DType::f16;
  options.parameters = DType::f32;
  const Claim mixed = make_claim(options);
  options.parameters = DType::i64;
  const Claim in_f16 = make_claim(options);
  const Tensors inputs = make_inputs(in_f16, 4);
  const auto bound = [&](const Claim& claim, const char* name) {
    return evaluate(claim, inputs, std::nullopt).at(name).bound[0];
  };
  for (const char* name : {"y", "d_x"}) {
    EXPECT_GT(bound(mixed, name), 2 * bound(in_f32, name)) << name;
    EXPECT_EQ(bound(mixed, name), bound(in_f16, name)) << name;
  }
  for (const char* name : {"d_weight", "d_beta", "running_mean"}) {
    EXPECT_EQ(bound(mixed, name), bound(in_f32, name)) << name;
    EXPECT_GT(bound(in_f16, name), bound(mixed, name)) << name;
  }
  EXPECT_EQ(bound(mixed, "mean"), bound(in_f32, "mean"));
  options.training = false;
  const Claim resting = make_claim(options);
  EXPECT_EQ(bound(resting, "running_mean"), 0);  // stored as it was
}

TEST(GroupNorm, OfOneChannelIsItsBeta) {
  ClaimOptions options{.system = "groupnorm", .rows = 3, .cols = 4, .groups = 4};
  const Claim claim = make_claim(options);
  const Tensors inputs = make_inputs(claim, 4);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(answers.at("y").hi[i], get(inputs, "beta").at(static_cast<std::int64_t>(i % 4)));
    EXPECT_EQ(answers.at("d_x").hi[i], 0);
    EXPECT_EQ(answers.at("mean").hi[i], get(inputs, "x").at(static_cast<std::int64_t>(i)));
    EXPECT_NEAR(answers.at("rstd").hi[i], 1 / std::sqrt(options.eps), 1e-9);
  }
}

TEST(GroupNorm, SumsOfDxVanishInEachUnit) {
  const Claim claim = make_claim({.system = "groupnorm", .rows = 5, .cols = 12, .groups = 3});
  const Tensors inputs = make_inputs(claim, 3);
  const Answer sums = unit_sums_of_dx(claim, inputs);
  ASSERT_EQ(sums.size(), 15);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_LT(std::abs(sums.hi[i]), 1e-40);
    EXPECT_GT(sums.bound[i], 0);
    EXPECT_LT(sums.bound[i], 1e-5);
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
