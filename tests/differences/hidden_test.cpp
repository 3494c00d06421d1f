// SPDX-License-Identifier: Apache-2.0
// Gradients that the value's own size or roundings hide: neither certified nor wrong by them.
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/differences/tally.h"
#include "oracles/oracle.h"
#include "properties/calibration/claimed_gradients.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// y is far larger than what moves it. Beyond the range of a number nothing is seen of a gradient,
/// nor of its absence.
TEST(AuditHidden, BeneathALargeValueNothingIsZero) {
  ClaimOptions options{.system = "groupnorm", .rows = 3, .cols = 4, .groups = 2};
  options.contract.storage = DType::f64;
  const Claim claim = make_claim(options);
  for (const double beta : {0.5, 1e46, 1e200, HUGE_VAL}) {
    Tensors inputs = make_inputs(claim, 3);
    for (std::int64_t i = 0; i < 4; ++i) inputs.at("beta").set(i, beta);
    const RealGradients right = adjoint_gradients(claim, inputs);
    for (const double factor : {0.0, -1.0, 1.0, 2.0}) {
      RealGradients claimed = right;
      for (Real& v : claimed.at("d_weight")) v *= factor;
      for (Real& v : claimed.at("d_x")) v *= factor;
      for (const AuditRow& row : audit_gradients(claim, inputs, claimed)) {
        if (row.tensor != "d_weight" && row.tensor != "d_x") continue;
        EXPECT_EQ(row.verdict, std::isinf(beta) ? Outcome::inconclusive
                               : factor == 1    ? Outcome::certified
                                                : Outcome::wrong)
            << row.tensor << " " << beta << " " << factor << " " << row.reason;
      }
    }
  }
}

/// Roundings that are exact in the step make two differences agree on a wrong number in one
/// arithmetic; 400 digits do not.
TEST(AuditHidden, NothingIsWrongByOneArithmeticsWord) {
  const Claim claim = make_claim({.system = "groupnorm", .rows = 1, .cols = 3, .groups = 1});
  for (const double constant : {100.0, 3e6, 1e12}) {
    Tensors inputs = make_inputs(claim, 3);
    for (std::int64_t i = 0; i < 3; ++i) inputs.at("x").set(i, constant);
    for (const int digits : {20, 33})
      for (const AuditRow& row : audit(claim, inputs, {.digits = digits}))
        EXPECT_NE(row.verdict, Outcome::wrong)
            << constant << " " << row.tensor << ": " << row.reason;
    RealGradients wrong = adjoint_gradients(claim, inputs);
    for (Real& v : wrong.at("d_x")) v *= Real(1) + Real("1e-12");
    EXPECT_EQ(audit_gradients(claim, inputs, wrong).at(0).verdict, Outcome::wrong) << constant;
  }
}

/// A parameter that affects several units, one of them with a NaN.
TEST(AuditHidden, ASumWithANaNIsNotFinite) {
  const Claim claim = make_claim({.system = "groupnorm", .rows = 3, .cols = 4, .groups = 2});
  Tensors inputs = make_inputs(claim, 3);
  inputs.at("x").set(1, std::nan(""));
  const AuditRow row = audit(claim, inputs).at(1);
  EXPECT_EQ(row.tensor, "d_weight");
  ASSERT_EQ(row.inconclusive.size(), 1u);
  EXPECT_EQ(row.inconclusive[0].reason, OpenReason::not_finite);
  EXPECT_EQ(row.inconclusive[0].entries, 2);  // of the NaN's group
}

TEST(AuditHidden, DoesNotDependOnThreads) {
  const Claim claim = make_claim({.rows = 20, .cols = 9});
  const Tensors inputs = make_inputs(claim, 6);
  const auto first = audit(claim, inputs);
  const auto again = audit(claim, inputs);
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_EQ(first[k].digits, again[k].digits);
    EXPECT_EQ(first[k].estimate, again[k].estimate);
    EXPECT_EQ(first[k].worst_index, again[k].worst_index);
    EXPECT_EQ(first[k].worst_difference, again[k].worst_difference);
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
