// SPDX-License-Identifier: Apache-2.0
// Numbers far larger than the differences between them: a norm takes off what they have in common,
// and few of an arithmetic's digits are left.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/oracle.h"
#include "properties/calibration/claimed_gradients.h"
#include "tests/support/oracle_support.h"
#include "tests/support/parameter_name.h"

namespace gradproof::oracle_tests {
namespace {

struct TestedClaim {
  Claim claim;
  Tensors inputs;
};

TestedClaim tested(const std::string& system, double constant) {
  ClaimOptions options{.system = system, .rows = 6, .cols = 6, .groups = 2};
  options.contract.storage = DType::f64;
  TestedClaim s{make_claim(options), {}};
  s.inputs = make_inputs(s.claim, 3);
  for (std::int64_t i = 0; i < 36; ++i) s.inputs.at("x").set(i, constant);
  return s;
}

using Constant = std::tuple<std::string, double>;
class Cancelled : public testing::TestWithParam<Constant> {};

TEST_P(Cancelled, ARightGradientIsNeverWrong) {
  const auto& [system, constant] = GetParam();
  const TestedClaim s = tested(system, constant);
  for (const int digits : {20, 33})
    for (const AuditRow& row : audit(s.claim, s.inputs, {.digits = digits})) {
      EXPECT_NE(row.verdict, Outcome::wrong) << row.tensor << ": " << row.reason;
      // Moving all x as one changes nothing: what a factor of them is claimed to do is a rounding.
      if (row.tensor == "d_scale") continue;
      EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << row.reason;
    }
}

TEST_P(Cancelled, AWrongOneIs) {
  const auto& [system, constant] = GetParam();
  const TestedClaim s = tested(system, constant);
  for (const int digits : {20, 33})
    for (const double factor : {0.0, 1 + 1e-6, -1.0}) {
      RealGradients claimed = adjoint_gradients(s.claim, s.inputs);
      Values<Real>& d_x = claimed.at("d_x");
      const auto smaller = [](const Real& a, const Real& b) { return abs(a) < abs(b); };
      *std::max_element(d_x.begin(), d_x.end(), smaller) *= factor;
      const AuditRow row = audit_gradients(s.claim, s.inputs, claimed, {.digits = digits}).at(0);
      EXPECT_EQ(row.verdict, Outcome::wrong) << factor << ": " << row.reason;
      EXPECT_EQ(row.wrong, 1) << factor;
    }
}

INSTANTIATE_TEST_SUITE_P(Constants, Cancelled,
                         testing::Combine(testing::Values("scale_batchnorm", "groupnorm",
                                                          "swish_bias_groupnorm",
                                                          "batchnorm_bias_divide_swish"),
                                          testing::Values(1000.0, 1e20, 1e30, 1e100)),
                         parameter_name<Constant>);

/// A claim that is no number, of an entry that several units feel.
TEST(CancelledUnit, ANaNIsWrongInASumToo) {
  const TestedClaim s = tested("groupnorm", 0.5);
  RealGradients claimed = adjoint_gradients(s.claim, s.inputs);
  claimed.at("d_beta")[1] = Real(std::nan(""));
  for (const AuditRow& row : audit_gradients(s.claim, s.inputs, claimed)) {
    EXPECT_EQ(row.verdict, row.tensor == "d_beta" ? Outcome::wrong : Outcome::certified)
        << row.tensor;
    EXPECT_EQ(row.wrong, row.tensor == "d_beta" ? 1 : 0);
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
