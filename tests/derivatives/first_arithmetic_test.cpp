// SPDX-License-Identifier: Apache-2.0
// The witnesses in triple-doubles beside 400 digits: the same word on the same unit, nothing let
// through that is wrong, and what lies beyond them is left to more digits.
#include <gtest/gtest.h>

#include "tests/support/audit/witness_support.h"

namespace gradproof::oracle_tests {
namespace {

const double kAllowed = std::pow(10.0, -kDualDigits);

ClaimOptions of_f64(const std::string& system) {
  ClaimOptions options{.system = system, .rows = 5, .cols = 6, .groups = 2};
  options.vector = VectorShape::cols;
  options.contract.storage = DType::f64;
  return options;
}

TestedClaim tested_claim(const ClaimOptions& options, double scale = 1, double offset = 0) {
  const Claim claim = twice(options);
  return TestedClaim(claim, make_inputs(claim, 7, scale, offset));
}

/// Every tensor that has a gradient, and dy.
std::vector<Moved> all_moved(const PipelineTarget& target) {
  std::vector<Moved> result;
  for (std::size_t t = 0; t < target.tensors().size(); ++t) result.push_back({t, false});
  result.push_back({0, true});
  return result;
}

TEST(FirstArithmetic, SaysOfTheSameUnitWhat400DigitsSay) {
  for (const std::string& system : system_names()) {
    const TestedClaim tested = tested_claim(of_f64(system), 2, 0.5);
    for (std::int64_t unit = 0; unit < Geometry(tested.claim).units(); ++unit) {
      const auto first = first_meetings(tested.target, unit);
      const auto last = last_meetings(tested.target, unit);
      for (std::size_t t = 0; t < last.size(); ++t) {
        const std::string where = system + ", " + tested.target.tensors()[t].name;
        EXPECT_TRUE(first[t].agrees()) << where;
        EXPECT_LE(first[t].error, kAllowed) << where;
        EXPECT_TRUE(last[t].agrees()) << where;
        EXPECT_LE(last[t].error, kAllowed) << where;
      }
    }
  }
}

TEST(FirstArithmetic, SecondOrderOfTheSameEntriesIsTheSame) {
  const Real permitted = pow(Real(10), -Real(kSecondOrderDigits));
  for (const std::string& system : system_names()) {
    const TestedClaim tested = tested_claim(of_f64(system), 2, 0.5);
    const auto moved = all_moved(tested.target);
    const Entries first = first_entries(tested.target, moved);
    const Entries last = last_entries(tested.target, moved);
    std::size_t agreeing = 0;
    for (std::size_t m = 0; m < moved.size(); ++m) {
      const AuditWitness w = second_order_witness(tested.target, moved[m], first[m]);
      if (w.verdict != WitnessVerdict::agrees) continue;
      ++agreeing;
      ASSERT_EQ(first[m].size(), last[m].size());
      const Real largest = largest_of(last[m]);
      for (std::size_t k = 0; k < last[m].size(); ++k) {
        const SecondOrderEntry& a = first[m][k];
        const SecondOrderEntry& b = last[m][k];
        EXPECT_EQ(a.entry, b.entry);
        EXPECT_LE(abs(a.product - b.product), largest * permitted) << system << m;
        // Each difference is as near to its product.
        EXPECT_LE(abs(a.difference - b.difference), 3 * largest * permitted) << system << m;
      }
    }
    EXPECT_GE(agreeing, moved.size() - 1) << system;
  }
}

TEST(FirstArithmetic, LetsNoSmallFactorThrough) {
  const TestedClaim tested = tested_claim(of_f64("batchnorm_bias_divide_swish"));
  for (const DualMeeting& meeting : first_meetings(tested.target, 0, kSwishBarelyOff))
    EXPECT_FALSE(meeting.agrees());
  for (const AuditedTensor& tensor : tested.target.tensors()) {
    const AuditWitness w = dual_of(tested.claim, tested.inputs, tensor.name, kSwishBarelyOff);
    EXPECT_EQ(w.verdict, WitnessVerdict::wrong) << tensor.name << ": " << w.text;
    EXPECT_GT(w.digits, 26) << tensor.name;  // 2^-90
  }
}

TEST(FirstArithmetic, ASmallTensorIsNotHiddenByALargeOne) {
  // d_x and what belongs to it are 2^-66 of d_multiply.
  TestedClaim tested = tested_claim(of_f64("swish_multiply_swish"));
  for (std::int64_t i = 0; i < 6; ++i) tested.inputs.at("multiply").set(i, 0x1p-66);
  const auto right = dual_of(tested.claim, tested.inputs, "x");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
  const auto wrong = dual_of(tested.claim, tested.inputs, "x", kSwishBarelyOff);
  EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << wrong.text;
}

TEST(FirstArithmetic, BeyondTheRangeOfDoubleMoreDigitsDecide) {
  const TestedClaim tested = tested_claim(of_f64("batchnorm_bias_divide_swish"), 1e200);
  for (const DualMeeting& meeting : first_meetings(tested.target, 0))
    EXPECT_FALSE(meeting.agrees());
  const AuditWitness right = dual_of(tested.claim, tested.inputs, "weight");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
  EXPECT_EQ(dual_of(tested.claim, tested.inputs, "weight", kSwishBarelyOff).verdict,
            WitnessVerdict::wrong);
}

TEST(FirstArithmetic, AZeroThatMayHaveUnderflowedIsNotTaken) {
  // e^-600 dy is below double's range: the second derivatives are exactly 0 there.
  TestedClaim far = tested_claim(of_f64("swish_bias"), 1e-3, -600);
  Tensor& dy = far.inputs.at("dy");
  for (std::int64_t i = 0; i < dy.numel(); ++i) dy.set(i, dy.at(i) * 1e-300);
  const std::vector<SecondOrderEntry> zero = first_entries(far.target, {{0, false}}).front();
  ASSERT_FALSE(zero.empty());
  EXPECT_EQ(zero.front().product, 0);
  EXPECT_EQ(zero.front().difference, 0);
  const AuditWitness w = second_order_of(far.claim, far.inputs, "x");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_EQ(w.text.find("0 everywhere"), std::string::npos) << w.text;
  EXPECT_EQ(second_order_of(far.claim, far.inputs, "x", kSwishBarelyOff).verdict,
            WitnessVerdict::agrees);
  // The control: the bias is only added, and 0 is right.
  const AuditWitness bias = second_order_of(far.claim, far.inputs, "bias");
  EXPECT_EQ(bias.verdict, WitnessVerdict::agrees) << bias.text;
  EXPECT_NE(bias.text.find("0 everywhere"), std::string::npos) << bias.text;
}

}  // namespace
}  // namespace gradproof::oracle_tests
