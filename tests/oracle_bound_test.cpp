// SPDX-License-Identifier: Apache-2.0
// The bound on trial: correct float32 kernels are never over it and come near it, wrong ones are.
#include <gtest/gtest.h>

#include "tests/oracle_trials.h"

namespace gradproof::oracle_tests {
namespace {

constexpr int kRuns = 1500;

/// A bound that no correct kernel comes near would prove nothing.
constexpr double kNear = 0.2;

std::string summary(const Trial& r, const Ratios& ratios) {
  std::string text = "rows " + std::to_string(r.options.rows) + " lanes " +
                     std::to_string(r.options.lanes) + (r.freedoms.fma ? " fma" : "") +
                     (r.freedoms.noisy ? " noisy" : "");
  for (const auto& [name, ratio] : ratios.largest) text += " " + name + " " + std::to_string(ratio);
  return text;
}

class CorrectKernel : public testing::TestWithParam<Variance> {};

TEST_P(CorrectKernel, IsNeverOverItsBound) {
  Draw draw(11 + static_cast<std::uint64_t>(GetParam()));
  Ratios all;
  for (int k = 0; k < kRuns; ++k) {
    const Trial r = drawn_trial(draw, GetParam(), 300);
    const Ratios ratios = run<Binary32>(r);
    ASSERT_LE(ratios.worst(), 1) << summary(r, ratios);
    for (const auto& [name, ratio] : ratios.largest)
      all.largest[name] = std::max(all.largest[name], ratio);
    all.elements += ratios.elements;
    all.vacuous += ratios.vacuous;
  }
  for (const auto& [name, ratio] : all.largest) {
    RecordProperty("largest_" + name, std::to_string(ratio));
    EXPECT_GT(ratio, kNear) << name;
  }
  EXPECT_LT(all.vacuous, all.elements / 4);
}

INSTANTIATE_TEST_SUITE_P(Variances, CorrectKernel,
                         testing::Values(Variance::two_pass, Variance::welford,
                                         Variance::one_pass));

/// How many of 200 random columns convict a fault.
int convicted(Fault fault, std::int64_t fill, double offset) {
  Draw draw(7);
  int count = 0;
  for (int k = 0; k < 200; ++k) {
    Trial r = drawn_trial(draw, Variance::two_pass, 300, fill);
    r.options.rows = std::max<std::int64_t>(r.options.rows, 8);
    r.options.eps = fault == Fault::no_eps ? 0x1.0624dep-10 : r.options.eps;  // 1e-3
    r.freedoms.fault = fault;
    const Claim claim = make_claim(r.options);
    r.inputs = make_inputs(claim, static_cast<std::uint64_t>(k), 1, offset);
    count += run<Binary32>(r).worst() > 1;
  }
  return count;
}

TEST(WrongKernel, IsOverTheBound) {
  EXPECT_EQ(convicted(Fault::none, 0, 0), 0);
  EXPECT_GE(convicted(Fault::no_mean_of_g, 0, 0), 198);
  EXPECT_GE(convicted(Fault::no_division_by_n, 0, 0), 198);
  EXPECT_GE(convicted(Fault::no_eps, 0, 0), 198);
  EXPECT_GE(convicted(Fault::one_pass, 0, 1e3), 190);
}

TEST(WrongKernel, OnePassHidesInStandardNormalNumbers) {
  EXPECT_LT(convicted(Fault::one_pass, 0, 0), 100);
}

/// Moves numbers of a run a little or a lot.
Trial moved(Trial r, Draw& draw) {
  Tensor& x = r.inputs.at("x");
  Tensor& dy = r.inputs.at("dy");
  const std::int64_t i = draw.below(r.options.rows);
  switch (draw.below(4)) {
    case 0:
      x.set(i, x.at(i) * std::exp2(2 * draw.normal()));
      break;
    case 1:
      x.set(i, x.at(draw.below(r.options.rows)));
      break;
    case 2:
      dy.set(i, dy.at(i) * std::exp2(2 * draw.normal()));
      break;
    default:
      for (std::int64_t k = 0; k < r.options.rows; ++k)
        x.set(k, std::nextafter(static_cast<float>(x.at(k)), draw.below(2) ? 1e30f : -1e30f));
  }
  return r;
}

TEST(HillClimb, ClimbsTowardsItsBoundAndNeverPassesIt) {
  for (const Variance variance : {Variance::two_pass, Variance::welford}) {
    Draw draw(23);
    Trial best = drawn_trial(draw, variance, 12, 2);
    double height = 0;  // of the climb that is going on
    double reached = 0;
    for (int k = 0; k < 8000; ++k) {
      const bool start = k % 400 == 0;
      const Trial next = start ? drawn_trial(draw, variance, 12, 2) : moved(best, draw);
      const Ratios ratios = run<Binary32>(next);
      ASSERT_LE(ratios.worst(), 1) << summary(next, ratios);
      if (!start && ratios.worst() < height) continue;
      best = next;
      height = ratios.worst();
      reached = std::max(reached, height);
    }
    RecordProperty(variance == Variance::welford ? "welford" : "two_pass", std::to_string(reached));
    EXPECT_GT(reached, kNear);
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
