// SPDX-License-Identifier: Apache-2.0
// The bound on trial: correct float32 kernels are never over it and come near it, wrong ones are.
#include <gtest/gtest.h>

#include "tests/support/oracle_trials.h"
#include "tests/support/parameter_name.h"

namespace gradproof::oracle_tests {
namespace {

constexpr int kRuns = 700;

/// A bound that no correct kernel comes near would prove nothing.
constexpr double kNear = 0.2;

const std::string kBatchNorm = "batchnorm_bias_divide_swish";
const std::string kGroupNorm = "groupnorm";

std::string summary(const Trial& r, const Ratios& ratios) {
  std::string text = r.options.system + " rows " + std::to_string(r.options.rows) + " cols " +
                     std::to_string(r.options.cols) + " groups " +
                     std::to_string(r.options.groups) + " lanes " +
                     std::to_string(r.options.lanes) + " backward " +
                     std::to_string(static_cast<int>(r.options.contract.backward)) + " " +
                     std::string(name_of(r.options.contract.storage)) +
                     (r.options.contract.affine_folded ? " folded" : "") +
                     (r.freedoms.fma ? " fma" : "") + (r.freedoms.noisy ? " noisy" : "");
  for (const auto& [name, ratio] : ratios.largest) text += " " + name + " " + std::to_string(ratio);
  return text;
}

using Tried = std::tuple<std::string, Variance>;
class CorrectKernel : public testing::TestWithParam<Tried> {};

TEST_P(CorrectKernel, IsNeverOverItsBound) {
  const auto& [system, variance] = GetParam();
  Draw draw(11 + static_cast<std::uint64_t>(variance));
  Ratios all;
  for (int k = 0; k < kRuns; ++k) {
    const Trial r = drawn_trial(draw, system, variance, 300);
    const Ratios ratios = run(r);
    ASSERT_LE(ratios.worst(), 1) << summary(r, ratios);
    // A rounding to 16 bits comes near its bound by itself.
    if (r.options.contract.storage == DType::f32)
      for (const auto& [name, ratio] : ratios.largest)
        all.largest[name] = std::max(all.largest[name], ratio);
    all.elements += ratios.elements;
    all.vacuous += ratios.vacuous;
  }
  for (const auto& [name, ratio] : all.largest) {
    if (name == "num_batches_tracked") continue;
    RecordProperty("largest_" + name, std::to_string(ratio));
    EXPECT_GT(ratio, kNear) << name;
  }
  EXPECT_LT(all.vacuous, all.elements / 3);
}

INSTANTIATE_TEST_SUITE_P(Variances, CorrectKernel,
                         testing::Combine(testing::ValuesIn(system_names()),
                                          testing::Values(Variance::two_pass, Variance::welford,
                                                          Variance::one_pass)),
                         parameter_name<Tried>);

/// The number of 200 random claims that convict a fault.
int convicted(const std::string& system, Fault fault, std::int64_t fill, double offset) {
  Draw draw(7);
  int count = 0;
  for (int k = 0; k < 200; ++k) {
    Trial r = drawn_forms(draw, system, Variance::two_pass, 300);
    ClaimOptions& o = r.options;
    if (has_group_norm(o))
      o.cols = o.groups * std::max<std::int64_t>(o.cols / o.groups, 8);
    else
      o.rows = std::max<std::int64_t>(o.rows, 8);
    o.eps = fault == Fault::no_eps ? 0x1.0624dep-10 : o.eps;  // 1e-3
    o.contract.storage = DType::f32;
    if (o.contract.backward == NormBackward::uncentered)
      o.contract.backward = NormBackward::standardized;  // the faults drop a term of this form
    r.freedoms.fault = fault;
    r.inputs = make_inputs(make_claim(o), static_cast<std::uint64_t>(k), fill == 0 ? 1 : 0, offset);
    count += run(r).worst() > 1;
  }
  return count;
}

class WrongKernel : public testing::TestWithParam<std::string> {};

TEST_P(WrongKernel, IsOverTheBound) {
  EXPECT_EQ(convicted(GetParam(), Fault::none, 0, 0), 0);
  EXPECT_GE(convicted(GetParam(), Fault::no_mean_of_g, 0, 0), 198);
  EXPECT_GE(convicted(GetParam(), Fault::no_division_by_n, 0, 0), 198);
  EXPECT_GE(convicted(GetParam(), Fault::no_eps, 0, 0), 198);
  EXPECT_GE(convicted(GetParam(), Fault::one_pass, 0, 1e3), 190);
}

INSTANTIATE_TEST_SUITE_P(Norms, WrongKernel, testing::Values(kBatchNorm, kGroupNorm),
                         parameter_name<std::string>);

TEST(WrongKernel, OnePassHidesInStandardNormalNumbers) {
  EXPECT_LT(convicted(kBatchNorm, Fault::one_pass, 0, 0), 100);
}

/// Moves numbers of a run a little or a lot.
Trial moved(Trial r, Draw& draw) {
  Tensor& x = r.inputs.at("x");
  Tensor& dy = r.inputs.at("dy");
  const std::int64_t i = draw.below(x.numel());
  switch (draw.below(4)) {
    case 0:
      x.set(i, within_range(r, x.at(i) * std::exp2(2 * draw.normal())));
      break;
    case 1:
      x.set(i, x.at(draw.below(x.numel())));
      break;
    case 2:
      dy.set(i, within_range(r, dy.at(i) * std::exp2(2 * draw.normal())));
      break;
    default:
      for (std::int64_t k = 0; k < x.numel(); ++k)
        x.set(k, within_range(r, std::nextafter(static_cast<float>(x.at(k)),
                                                draw.below(2) ? 1e30f : -1e30f)));
  }
  return r;
}

class HillClimb : public testing::TestWithParam<Tried> {};

TEST_P(HillClimb, ClimbsTowardsItsBoundAndNeverPassesIt) {
  const auto& [system, variance] = GetParam();
  Draw draw(23);
  Trial best = drawn_trial(draw, system, variance, 12, 2);
  double height = 0;  // of the climb that is going on
  double reached = 0;
  for (int k = 0; k < 2000; ++k) {
    const bool start = k % 200 == 0;
    const Trial next = start ? drawn_trial(draw, system, variance, 12, 2) : moved(best, draw);
    const Ratios ratios = run(next);
    ASSERT_LE(ratios.worst(), 1) << summary(next, ratios);
    if (!start && ratios.worst() < height) continue;
    best = next;
    height = ratios.worst();
    reached = std::max(reached, height);
  }
  RecordProperty("reached", std::to_string(reached));
  EXPECT_GT(reached, kNear);
}

INSTANTIATE_TEST_SUITE_P(Norms, HillClimb,
                         testing::Combine(testing::Values(kBatchNorm, kGroupNorm,
                                                          "swish_bias_groupnorm",
                                                          "scale_batchnorm"),
                                          testing::Values(Variance::two_pass, Variance::welford)),
                         parameter_name<Tried>);

}  // namespace
}  // namespace gradproof::oracle_tests
