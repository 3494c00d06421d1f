// SPDX-License-Identifier: Apache-2.0
// Dual numbers against the adjoint, and the audit's three words.
#include <gtest/gtest.h>

#include "oracles/audit_gradients.h"
#include "oracles/directional.h"
#include "oracles/oracle.h"
#include "tests/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// A direction for x and all parameters.
Tensors direction_of(const Claim& claim, std::uint64_t seed) {
  Tensors direction;
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::input && spec.role != Role::parameter) continue;
    const Stream stream(seed, "direction " + spec.name);
    Tensor tensor(DType::f64, spec.layout.shape);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set(i, stream.normal(static_cast<std::uint64_t>(i)));
    direction.emplace(spec.name, std::move(tensor));
  }
  return direction;
}

/// <v, J^T dy> and the sum of the absolute terms.
std::pair<Real, Real> contraction(const RealGradients& gradients, const Tensors& direction) {
  Real total(0);
  Real magnitude(0);
  for (const auto& [name, gradient] : gradients)
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const Real v(get(direction, name.substr(2)).at(static_cast<std::int64_t>(i)));
      const Real term = v * gradient[i];
      total += term;
      magnitude += abs(term);
    }
  return {total, magnitude};
}

class DualNumbers : public testing::TestWithParam<bool> {};

TEST_P(DualNumbers, MeetTheAdjoint) {
  const Claim claim = make_claim({.rows = 12, .cols = 5, .training = GetParam()});
  const Tensors inputs = make_inputs(claim, 2, 3, 1);
  const Tensors direction = direction_of(claim, 3);
  const auto [adjoint, magnitude] = contraction(adjoint_gradients(claim, inputs), direction);
  const Real dual = real_directional_derivative(claim, inputs, direction);
  EXPECT_LT(abs(dual - adjoint), magnitude * Real("1e-40"));
  const HiLo split = directional_derivative(claim, inputs, direction);
  EXPECT_LT(abs(dual - Real(split.hi) - Real(split.lo)), magnitude * Real("1e-31"));
}

TEST_P(DualNumbers, MissAnAdjointWithOneEntryOff) {
  const Claim claim = make_claim({.rows = 12, .cols = 5, .training = GetParam()});
  const Tensors inputs = make_inputs(claim, 2, 3, 1);
  const Tensors direction = direction_of(claim, 3);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  wrong.at("d_x")[17] *= Real(1) + Real("1e-30");
  const auto [adjoint, magnitude] = contraction(wrong, direction);
  const Real dual = real_directional_derivative(claim, inputs, direction);
  EXPECT_GT(abs(dual - adjoint), magnitude * Real("1e-40"));
}

INSTANTIATE_TEST_SUITE_P(Modes, DualNumbers, testing::Values(true, false));

TEST(Audit, CertifiesTheAdjoint) {
  for (const bool training : {true, false}) {
    const Claim claim = make_claim({.rows = 9, .cols = 4, .training = training});
    const auto rows = audit(claim, make_inputs(claim, 5, 2, -3));
    ASSERT_EQ(rows.size(), 4u);
    for (const AuditRow& row : rows) {
      EXPECT_EQ(row.verdict, "certified") << row.tensor << ": " << row.reason;
      EXPECT_GE(row.digits, 33) << row.tensor;
      EXPECT_GE(row.median_digits, row.digits);
    }
    EXPECT_EQ(rows[0].entries, 36);
    EXPECT_EQ(rows[3].entries, 1);
  }
}

TEST(Audit, TheCurveIsAVAroundTheStep) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const AuditRow row = audit(claim, make_inputs(claim, 5)).at(0);
  const auto lowest =
      std::min_element(row.sweep.begin(), row.sweep.end(),
                       [](const SweepPoint& a, const SweepPoint& b) { return a.error < b.error; });
  ASSERT_NE(lowest, row.sweep.end());
  EXPECT_GT(row.sweep.front().error, 1e20 * lowest->error);
  EXPECT_GT(row.sweep.back().error, 1e4 * lowest->error);
  // The step was chosen without the adjoint, and still lies at the bottom.
  EXPECT_LE(std::abs(row.log2_step - lowest->log2_step), 6);
}

TEST(Audit, CallsAWrongAdjointWrongAndItsCurveFlat) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const Tensors inputs = make_inputs(claim, 5);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  for (auto& [name, values] : wrong)
    for (Real& v : values) v /= Real(claim.pipeline.steps[2].scalars[0]);  // 1/d once too often
  for (const AuditRow& row : audit_gradients(claim, inputs, wrong)) {
    EXPECT_EQ(row.verdict, "wrong") << row.tensor << ": " << row.reason;
    EXPECT_NE(row.reason.find("flat"), std::string::npos);
    EXPECT_LT(row.digits, 2);
    EXPECT_NEAR(row.worst_difference / row.worst_adjoint, claim.pipeline.steps[2].scalars[0], 1e-9);
    EXPECT_LT(row.sweep[4].error, 2 * row.sweep[12].error);
  }
}

TEST(Audit, FindsTheOneWrongEntry) {
  const Claim claim = make_claim({.rows = 9, .cols = 4});
  const Tensors inputs = make_inputs(claim, 5);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  wrong.at("d_x")[22] += Real("1e-6");
  const AuditRow row = audit_gradients(claim, inputs, wrong).at(0);
  EXPECT_EQ(row.verdict, "wrong");
  EXPECT_EQ(row.worst_index, 22);
}

TEST(Audit, SaysWhyItCannotTell) {
  const Claim empty = make_claim({.rows = 0, .cols = 2});
  EXPECT_EQ(audit(empty, make_inputs(empty, 1)).at(0).verdict, "inconclusive");
  const Claim claim = make_claim({.rows = 3, .cols = 2});
  Tensors inputs = make_inputs(claim, 1);
  inputs.at("x").set(0, std::nan(""));
  const AuditRow row = audit(claim, inputs).at(0);
  EXPECT_EQ(row.verdict, "inconclusive");
  EXPECT_NE(row.reason.find("not finite"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::oracle_tests
