// SPDX-License-Identifier: Apache-2.0
// Inputs that are not known exactly: kernels that meet other numbers than the claim's, and truths
// about numbers that are only known within a radius.
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/oracle_simulated_kernel.h"

namespace gradproof::oracle_tests {
namespace {

/// x and dy moved by `size` up or down, and how far each element went.
struct Moved {
  Tensors inputs;
  InexactInputs off;
};

Moved moved(const Claim& claim, const Tensors& inputs, double size, std::uint64_t seed) {
  Moved all{inputs, {}};
  for (const char* name : {"x", "dy"}) {
    const Stream stream(seed, name);
    Tensor& tensor = all.inputs.at(name);
    Inexact inexact{Tensor(), Tensor(DType::f64, {claim.rows(), claim.cols()})};
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double before = tensor.at(i);
      const bool up = stream.normal(static_cast<std::uint64_t>(i)) > 0;
      tensor.set(i, before + (up ? size : -size));
      inexact.error.set(i, std::abs(tensor.at(i) - before));
    }
    all.off.emplace(name, std::move(inexact));
  }
  return all;
}

Claim claim_of(const std::string& system) {
  return make_claim({.system = system, .rows = 37, .cols = 12, .groups = 2, .closed = true});
}

/// Elements over the bound, and the largest error over the bound, of a kernel that got the moved
/// numbers.
std::pair<std::int64_t, double> judged(const Claim& claim, const Tensors& inputs, const Moved& met,
                                       const InexactInputs& inexact) {
  const SimulatedKernel kernel(claim, {});
  const Tensors got = kernel.run(met.inputs, std::nullopt);
  std::pair<std::int64_t, double> found{0, 0};
  for (const auto& [name, one] : compare_with_truth(claim, inputs, std::nullopt, got, inexact)) {
    EXPECT_EQ(one.discrepancy.vacuous, 0) << name;
    found.first += one.discrepancy.bad;
    found.second = std::max(found.second, one.discrepancy.max_ratio);
  }
  return found;
}

class InexactTest : public testing::TestWithParam<std::string> {};

TEST_P(InexactTest, AKernelThatMeetsOtherNumbersIsInTheRight) {
  const Claim claim = claim_of(GetParam());
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Tensors inputs = make_inputs(claim, seed, 2, 1);
    const Moved met = moved(claim, inputs, 0x1p-13, seed);
    const auto [bad, ratio] = judged(claim, inputs, met, met.off);
    EXPECT_EQ(bad, 0) << "seed " << seed;
    largest = std::max(largest, ratio);
  }
  // Half of the largest permitted movement was made somewhere.
  EXPECT_GT(largest, 0.5);
}

TEST_P(InexactTest, WithoutTheErrorItIsNot) {
  const Claim claim = claim_of(GetParam());
  const Tensors inputs = make_inputs(claim, 1, 2, 1);
  const Moved met = moved(claim, inputs, 0x1p-13, 1);
  EXPECT_GT(judged(claim, inputs, met, {}).first, 0);
}

/// The claim's numbers are off, and their radius says so: the truth of the right ones is inside.
TEST_P(InexactTest, ARadiusHoldsTheTruthOfTheExactNumbers) {
  const Claim claim = claim_of(GetParam());
  const Tensors exact = make_inputs(claim, 3, 2, 1);
  const Moved near = moved(claim, exact, 0x1p-22, 3);
  InexactInputs radii;
  for (const auto& [name, off] : near.off) radii.emplace(name, Inexact{off.error, Tensor()});
  const Answers truth = evaluate(claim, exact, std::nullopt);
  const Answers held = evaluate(claim, near.inputs, std::nullopt, radii);
  const Answers bare = evaluate(claim, near.inputs, std::nullopt);
  std::int64_t outside_bare = 0;
  for (const auto& [name, answer] : truth)
    for (std::size_t i = 0; i < answer.hi.size(); ++i) {
      const double off =
          std::abs((held.at(name).hi[i] - answer.hi[i]) + (held.at(name).lo[i] - answer.lo[i]));
      EXPECT_TRUE(std::isfinite(held.at(name).radius[i]));
      EXPECT_LE(off, held.at(name).radius[i] + answer.radius[i]) << name << " " << i;
      outside_bare += off > bare.at(name).radius[i] + answer.radius[i];
    }
  EXPECT_GT(outside_bare, 0);
}

INSTANTIATE_TEST_SUITE_P(All, InexactTest, testing::ValuesIn(system_names()),
                         [](const auto& system) { return system.param; });

TEST(Inexact, NaNStaysInItsUnit) {
  const Claim claim = claim_of("groupnorm");
  Tensors inputs = make_inputs(claim, 1);
  const Moved met = moved(claim, inputs, 0x1p-13, 1);
  inputs.at("x").set(3 * 12 + 2, std::nan(""));  // row 3, group 0
  const Answer y = evaluate(claim, inputs, std::nullopt, met.off).at("y");
  for (std::size_t i = 0; i < y.hi.size(); ++i) {
    const bool hit = i / 6 == 6;
    EXPECT_EQ(std::isnan(y.hi[i]), hit) << i;
    EXPECT_EQ(y.bound[i] == 0, hit) << i;
  }
}

/// Nothing is known about a number whose radius is as large as double allows; nor about its unit.
TEST(Inexact, WhatStaysUndecidedIsCounted) {
  const Claim claim = claim_of("groupnorm");
  const Tensors inputs = make_inputs(claim, 1);
  Inexact x{Tensor(DType::f64, {claim.rows(), claim.cols()}), Tensor()};
  for (std::int64_t i = 0; i < x.radius.numel(); ++i) x.radius.set(i, i == 3 * 12 + 2 ? 1e300 : 0);
  const Tensors got = SimulatedKernel(claim, {}).run(inputs, std::nullopt);
  const auto unknown =
      compare_with_truth(claim, inputs, std::nullopt, got, {{"x", std::move(x)}}).at("y");
  EXPECT_EQ(unknown.too_coarse, 6);
  EXPECT_EQ(unknown.discrepancy.undecided, 6);
  EXPECT_EQ(unknown.discrepancy.bad, 0);
  EXPECT_EQ(compare_with_truth(claim, inputs, std::nullopt, got).at("y").too_coarse, 0);
}

TEST(Inexact, RefusesWhatDoesNotFit) {
  const Claim claim = claim_of("swish_bias");
  const Tensors inputs = make_inputs(claim, 1);
  InexactInputs wrong;
  wrong.emplace("x", Inexact{Tensor(), Tensor(DType::f64, {1, 12})});
  EXPECT_THROW(evaluate(claim, inputs, std::nullopt, wrong), InstrumentError);
  wrong.clear();
  wrong.emplace("bias", Inexact{});
  EXPECT_THROW(evaluate(claim, inputs, std::nullopt, wrong), InstrumentError);
}

}  // namespace
}  // namespace gradproof::oracle_tests
