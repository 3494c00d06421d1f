// SPDX-License-Identifier: Apache-2.0
// Each stage's adjoint against differences of its value, and the two 50-digit types against each
// other.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "oracles/arithmetic/plain.h"
#include "oracles/audit_gradients.h"
#include "oracles/evaluate_unit.h"
#include "tests/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

using PortableReal = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                                   boost::multiprecision::et_off>;

constexpr double kDigits = 30;

/// A pipeline of one step, with the gradients of x and of that step's parameters.
Claim claim_of_step(StageKind kind, bool training) {
  Claim claim = make_claim({.rows = 6, .cols = 2, .shared_bias = false, .training = training});
  std::erase_if(claim.pipeline.steps, [&](const Step& step) { return step.kind != kind; });
  const std::vector<std::string>& used = claim.pipeline.steps.at(0).parameters;
  std::erase_if(claim.tensors, [&](const TensorSpec& spec) {
    const std::string of = spec.name.substr(spec.role == Role::gradient ? 2 : 0);
    const bool parameter = of == "weight" || of == "beta" || of == "bias";
    return parameter && std::find(used.begin(), used.end(), of) == used.end();
  });
  return claim;
}

class StageTest : public testing::TestWithParam<std::pair<StageKind, bool>> {};

TEST_P(StageTest, AdjointIsTheDerivative) {
  const Claim claim = claim_of_step(GetParam().first, GetParam().second);
  const auto rows = audit(claim, make_inputs(claim, 3, 2, 1));
  ASSERT_FALSE(rows.empty());
  for (const AuditRow& row : rows) {
    EXPECT_GT(row.entries, 0);
    EXPECT_GE(row.digits, kDigits) << row.tensor << ": " << row.reason;
  }
}

TEST_P(StageTest, AnAdjointOffByOnePartInAMillionIsNot) {
  const Claim claim = claim_of_step(GetParam().first, GetParam().second);
  const Tensors inputs = make_inputs(claim, 3, 2, 1);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  for (auto& [name, values] : wrong)
    for (Real& v : values) v *= Real(1) + Real(1e-6);
  for (const AuditRow& row : audit_gradients(claim, inputs, wrong))
    EXPECT_LT(row.digits, 7) << row.tensor;
}

INSTANTIATE_TEST_SUITE_P(All, StageTest,
                         testing::Values(std::pair{StageKind::bias, true},
                                         std::pair{StageKind::divide, true},
                                         std::pair{StageKind::swish, true},
                                         std::pair{StageKind::batch_norm, true},
                                         std::pair{StageKind::batch_norm, false}));

/// Largest difference of y and d_x between 50 digits and another type, over the largest number.
template <class T>
double distance_to(const Claim& claim, const Tensors& inputs) {
  const auto a = evaluate_unit(claim, Plain<Real>(), gather<Real>(claim, inputs, 0), {}, 0);
  const auto b = evaluate_unit(claim, Plain<T>(), gather<T>(claim, inputs, 0), {}, 0);
  double worst = 0;
  const auto compare = [&](const Values<Real>& x, const Values<T>& y) {
    Real most(0);
    for (const Real& v : x) most = std::max(most, Real(abs(v)));
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Through 60 decimal digits, exact enough for either type.
      const Real other(PortableReal(y[i]).str(60, std::ios_base::scientific));
      worst = std::max(worst, Real(abs(x[i] - other) / most).convert_to<double>());
    }
  };
  compare(a.y, b.y);
  compare(a.gradients.input, b.gradients.input);
  return worst;
}

TEST(Real, AgreesWithPortableArithmetic) {
  const Claim claim = make_claim({.rows = 40, .cols = 1});
  EXPECT_LT(distance_to<PortableReal>(claim, make_inputs(claim, 5)), 1e-45);
  EXPECT_LT(distance_to<PortableReal>(claim, make_inputs(claim, 5, 1, 30)), 1e-45);
}

TEST(Real, DoubleIsNoSubstitute) {
  const Claim claim = make_claim({.rows = 40, .cols = 1});
  EXPECT_GT(distance_to<double>(claim, make_inputs(claim, 5)), 1e-20);
}

}  // namespace
}  // namespace gradproof::oracle_tests
