// SPDX-License-Identifier: Apache-2.0
// Dual numbers against the adjoint.
#include <gtest/gtest.h>

#include "oracles/oracle.h"
#include "properties/calibration/claimed_gradients.h"
#include "tests/support/oracle_support.h"

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
  const HiLo dual = directional_derivative(claim, inputs, direction);
  EXPECT_LT(abs(Real(dual.hi) + Real(dual.lo) - adjoint), magnitude * Real("1e-31"));
}

TEST_P(DualNumbers, MissAnAdjointWithOneEntryOff) {
  const Claim claim = make_claim({.rows = 12, .cols = 5, .training = GetParam()});
  const Tensors inputs = make_inputs(claim, 2, 3, 1);
  const Tensors direction = direction_of(claim, 3);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  wrong.at("d_x")[17] *= Real(1) + Real("1e-25");
  const auto [adjoint, magnitude] = contraction(wrong, direction);
  const HiLo dual = directional_derivative(claim, inputs, direction);
  EXPECT_GT(abs(Real(dual.hi) + Real(dual.lo) - adjoint), magnitude * Real("1e-31"));
}

INSTANTIATE_TEST_SUITE_P(Modes, DualNumbers, testing::Values(true, false),
                         [](const auto& training) { return training.param ? "train" : "eval"; });

}  // namespace
}  // namespace gradproof::oracle_tests
