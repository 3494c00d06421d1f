// SPDX-License-Identifier: Apache-2.0
// Each stage's adjoint against differences of its value, and the two 50-digit types against each
// other.
#include <array>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "oracles/arithmetic/plain.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "properties/calibration/claimed_gradients.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

using PortableReal = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                                   boost::multiprecision::et_off>;

constexpr AuditOptions kBeyondDoubleDouble{.digits = 33};

/// 50 digits in one of the forms of a norm's backward pass.
class Formed : public Plain<Real> {
 public:
  explicit Formed(NormBackward backward) { forms_.backward = backward; }
  const Forms& forms() const { return forms_; }

 private:
  Forms forms_;
};

/// A pipeline, one stage long or a whole system, in one shape of its vectors.
struct Text {
  std::string system;
  VectorShape vector = VectorShape::cols;
  bool training = true;
  bool closed = false;
};

std::vector<Text> texts() {
  std::vector<Text> all;
  std::vector<std::string> systems{"bias", "scale", "divide", "swish", "batchnorm"};
  for (const std::string& system : system_names()) systems.push_back(system);
  for (const std::string& system : systems)
    for (const VectorShape vector : {VectorShape::one, VectorShape::cols, VectorShape::row})
      for (const bool training : {true, false}) all.push_back({system, vector, training});
  for (const VectorShape vector : {VectorShape::one, VectorShape::cols, VectorShape::row})
    all.push_back({"scale_batchnorm", vector, true, true});
  return all;
}

Claim claim_of(const Text& text) {
  return make_claim({.system = text.system,
                     .rows = 4,
                     .cols = 6,
                     .groups = 2,
                     .vector = text.vector,
                     .training = text.training,
                     .closed = text.closed});
}

class StageTest : public testing::TestWithParam<Text> {};

TEST_P(StageTest, AdjointIsTheDerivative) {
  const Claim claim = claim_of(GetParam());
  const auto rows = audit(claim, make_inputs(claim, 3, 2, 1), kBeyondDoubleDouble);
  ASSERT_FALSE(rows.empty());
  for (const AuditRow& row : rows) {
    EXPECT_GT(row.entries, 0);
    EXPECT_GE(row.digits, kBeyondDoubleDouble.digits) << row.tensor << ": " << row.reason;
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
  }
}

TEST_P(StageTest, AnAdjointOffByOnePartInAMillionIsNot) {
  const Claim claim = claim_of(GetParam());
  const Tensors inputs = make_inputs(claim, 3, 2, 1);
  RealGradients wrong = adjoint_gradients(claim, inputs);
  for (auto& [name, values] : wrong)
    for (Real& v : values) v *= Real(1) + Real(1e-6);
  for (const AuditRow& row : audit_gradients(claim, inputs, wrong)) {
    if (row.reason == "the gradient is 0, and differences say so too") continue;
    EXPECT_EQ(row.verdict, Outcome::wrong) << row.tensor;
    EXPECT_LT(row.digits, 7) << row.tensor;
  }
}

/// A number that is added to a whole group moves its mean and nothing else.
TEST(Stage, WhatIsNotFeltHasAGradientOfZero) {
  const Claim claim = claim_of({"swish_bias_groupnorm", VectorShape::one, true});
  const Tensors inputs = make_inputs(claim, 3, 2, 1);
  RealGradients gradients = adjoint_gradients(claim, inputs);
  const auto row_of_bias = [&] { return audit_gradients(claim, inputs, gradients).at(1); };
  ASSERT_EQ(row_of_bias().tensor, "d_bias");
  EXPECT_EQ(row_of_bias().verdict, Outcome::certified);
  EXPECT_NE(row_of_bias().reason.find("gradient is 0"), std::string::npos);
  gradients.at("d_bias")[0] = Real(1e-12);
  EXPECT_EQ(row_of_bias().verdict, Outcome::wrong);
}

/// The bound's forms of one mathematics: the truth must not depend on them.
TEST(Stage, FormsOfTheBackwardPassAreOneFunction) {
  Claim claim = make_claim(
      {.system = "groupnorm", .rows = 3, .cols = 12, .groups = 3, .vector = VectorShape::cols});
  const auto inputs = gather<Real>(claim, make_inputs(claim, 4, 2, 1), 1);
  const auto standard = evaluate_unit(claim, Formed(NormBackward::standardized), inputs, {}, 1);
  for (const NormBackward form : {NormBackward::centered, NormBackward::uncentered}) {
    const auto other = evaluate_unit(claim, Formed(form), inputs, {}, 1);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT(abs(other.gradients.input[i] - standard.gradients.input[i]), Real("1e-45"));
      EXPECT_LT(abs(other.gradients.parameters.at("weight")[i] -
                    standard.gradients.parameters.at("weight")[i]),
                Real("1e-45"));
    }
  }
}

/// The scale's gradient in closed form is the sum of x dz, end to end. Given statistics that are
/// not the unit's own are numbers like others: then only the closed form hangs on rstd as little as
/// on any other factor.
TEST(Stage, ClosedFormOfAScaleInFrontIsOneFunction) {
  const Claim claim = claim_of({"scale_batchnorm", VectorShape::cols, true, false});
  const Claim closed = claim_of({"scale_batchnorm", VectorShape::cols, true, true});
  const auto inputs = gather<Real>(claim, make_inputs(claim, 4, 2, 1), 1);
  const auto scale_gradient = [&](const Claim& pipeline,
                                  const std::optional<GivenStatistics>& given) {
    return evaluate_unit(pipeline, Plain<Real>(), inputs, given, 1)
        .gradients.parameters.at("scale")
        .front();
  };
  const Real right = scale_gradient(claim, {});
  EXPECT_LT(abs(scale_gradient(closed, {}) - right), Real("1e-45"));

  const auto own = evaluate_unit(claim, Plain<Real>(), inputs, {}, 1).side_values;
  const auto one = [&](const Real& value) {
    Tensor all(DType::f64, Layout::contiguous({claim.cols()}));
    for (std::int64_t i = 0; i < claim.cols(); ++i) all.set(i, value.convert_to<double>());
    return all;
  };
  const GivenStatistics given{one(own.at("mean")), one(own.at("rstd") * (1 + Real(0x1p-24)))};
  const auto moved = [&](const Claim& pipeline) {
    return Real(abs(scale_gradient(pipeline, given) / right - 1)).convert_to<double>();
  };
  EXPECT_LT(moved(closed), 4 * 0x1p-24);
  EXPECT_GT(moved(claim), 1e3 * 0x1p-24);
}

std::string name_of_text(const testing::TestParamInfo<Text>& info) {
  const Text& text = info.param;
  constexpr std::array kShapes{"one", "cols", "row"};
  return text.system + "_" + kShapes[static_cast<std::size_t>(text.vector)] +
         (text.training ? "_training" : "_evaluation") + (text.closed ? "_closed" : "");
}

INSTANTIATE_TEST_SUITE_P(All, StageTest, testing::ValuesIn(texts()), name_of_text);

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
