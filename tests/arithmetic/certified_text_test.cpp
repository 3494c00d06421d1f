// SPDX-License-Identifier: Apache-2.0
// The whole text of the stages in certified numbers holds the 50-digit truth.
#include <gtest/gtest.h>

#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

struct Fill {
  std::string name;
  double scale;
  double offset;
  double first = 1;  ///< factor on the first row
};

struct Enclosures {
  std::int64_t outside = 0;
  std::int64_t control = 0;  ///< outside 2^-20 of the radius
  std::int64_t numbers = 0;
  double widest = 0;  ///< radius over float32's rounding error, u |value| + eta/2
};

/// The truth's own error is the same text's with a unit of 2^-166 in place of one of 2^-106 or
/// more, and the radius bounds that error from above, scaled: at most 2^-60 of the radius.
void compare(Enclosures& all, const Real& truth, const Certified& got) {
  ++all.numbers;
  const Real error = abs(truth - Real(got.hi) - Real(got.lo));
  const Real radius = Real(got.radius) * (1 - Real(0x1p-60));
  if (!got.decided() || !(error <= radius)) ++all.outside;
  if (!(error <= radius * 0x1p-20)) ++all.control;
  all.widest =
      std::max(all.widest, Real(radius / (0x1p-24 * abs(truth) + 0x1p-150)).convert_to<double>());
}

void compare(Enclosures& all, const Values<Real>& truth, const Values<Certified>& got) {
  ASSERT_EQ(truth.size(), got.size());
  for (std::size_t i = 0; i < truth.size(); ++i) compare(all, truth[i], got[i]);
}

void compare(Enclosures& all, const Named<Real>& truth, const Named<Certified>& got) {
  ASSERT_EQ(truth.size(), got.size());
  for (const auto& [name, value] : truth) compare(all, value, got.at(name));
}

void compare(Enclosures& all, const Named<Values<Real>>& truth,
             const Named<Values<Certified>>& got) {
  ASSERT_EQ(truth.size(), got.size());
  for (const auto& [name, values] : truth) compare(all, values, got.at(name));
}

Enclosures compared(const Fill& fill, bool training, std::uint64_t seed) {
  const Claim claim = make_claim({.rows = 257, .cols = 1, .training = training});
  Tensors inputs = make_inputs(claim, seed, fill.scale, fill.offset);
  Tensor& x = inputs.at("x");
  x.set(0, x.at(0) * fill.first);
  const auto truth = evaluate_unit(claim, Plain<Real>(), gather<Real>(claim, inputs, 0), {}, 0);
  const auto got =
      evaluate_unit(claim, Plain<Certified>(), gather<Certified>(claim, inputs, 0), {}, 0);
  Enclosures all;
  compare(all, truth.y, got.y);
  compare(all, truth.gradients.input, got.gradients.input);
  compare(all, truth.gradients.parameters, got.gradients.parameters);
  compare(all, truth.side_values, got.side_values);
  return all;
}

class CertifiedText : public testing::TestWithParam<Fill> {};

TEST_P(CertifiedText, HoldsTheTruth) {
  for (const bool training : {true, false})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Enclosures all = compared(GetParam(), training, seed);
      EXPECT_EQ(all.outside, 0);
      EXPECT_GT(all.numbers, 2 * 257);
      EXPECT_GT(all.control, 0) << "the control: radii made too small were not caught";
      EXPECT_LT(all.widest, 1) << "no narrower than a float32's rounding";
      RecordProperty(training ? "widest_training" : "widest_evaluation",
                     std::to_string(std::log2(all.widest)));
    }
}

INSTANTIATE_TEST_SUITE_P(All, CertifiedText,
                         testing::Values(Fill{"normal", 1, 0}, Fill{"offset_1e3", 1, 1e3},
                                         Fill{"offset_1e6", 1, 1e6}, Fill{"subnormal", 1e-39, 0},
                                         Fill{"outlier", 1, 0, 1e5}),
                         [](const auto& fill) { return fill.param.name; });

}  // namespace
}  // namespace gradproof::oracle_tests
