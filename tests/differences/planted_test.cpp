// SPDX-License-Identifier: Apache-2.0
// The mistakes of examples/python/gradcheck_planted.py, in their order, at 50 digits: the audit
// calls every one of them wrong. Verdict and digits are recorded for the table in
// docs/gradcheck.md.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "oracles/pipeline/gather.h"
#include "properties/calibration/claimed_gradients.h"
#include "tests/support/oracle_support.h"
#include "tests/support/parameter_name.h"

namespace gradproof::oracle_tests {
namespace {

constexpr std::int64_t kRows = 1024;
constexpr double kN = kRows;

/// One wrong backward formula; what is not named here is as it should be.
struct Mistake {
  std::string name;
  std::string tensor = "d_x";
  double divide = 1.5;
  Real factor{1};     ///< on the whole tensor
  Real one_entry{1};  ///< on one entry of it
  Real mean_term{1};  ///< on S1/N
  Real xhat_term{1};  ///< on xhat S2/N
  bool forgets_divide = false;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.tensor << " " << mistake.name;
}

std::vector<Mistake> mistakes() {
  const Real fewer = Real(kN - 1) / kN;
  const auto one_and = [](const char* more) { return Real(1) + Real(more); };
  std::vector<Mistake> all(15);
  all[0] = {.name = "mean term missing", .mean_term = Real(0)};
  all[1] = {.name = "1/d missing, d = 1.5", .forgets_divide = true};
  all[2] = {.name = "one entry off by 1e-2", .one_entry = one_and("1e-2")};
  all[3] = {.name = "xhat term missing, d = 1.5", .xhat_term = Real(0)};
  all[4] = {.name = "xhat term missing, d = 1000", .divide = 1000, .xhat_term = Real(0)};
  all[5] = {.name = "mean term missing, d = 1000", .divide = 1000, .mean_term = Real(0)};
  all[6] = {.name = "1/d missing, d = 1.0001", .divide = 1.0001, .forgets_divide = true};
  all[7] = {.name = "mean term times (N-1)/N", .mean_term = fewer};
  all[8] = {.name = "xhat term times (N-1)/N", .xhat_term = fewer};
  all[9] = {.name = "times N/(N-1)", .tensor = "d_weight", .factor = 1 / fewer};
  all[10] = {.name = "one entry off by 1e-4", .one_entry = one_and("1e-4")};
  all[11] = {.name = "times 1 + 1e-4", .factor = one_and("1e-4")};
  all[12] = {.name = "times 1 + 1e-6", .factor = one_and("1e-6")};
  all[13] = {.name = "times 1 + 1e-6", .tensor = "d_bias", .factor = one_and("1e-6")};
  all[14] = {.name = "times 1 + 1e-9", .factor = one_and("1e-9")};
  return all;
}

Real mean_of(const Values<Real>& values) {
  return std::accumulate(values.begin(), values.end(), Real(0)) /
         static_cast<double>(values.size());
}

/// The formulas of the backward pass of batchnorm_bias_divide_swish in one column, with the mistake
/// in them, written here once more: d_x by row, then d_weight and d_beta.
struct Column {
  Values<Real> d_x;
  Real d_weight{0};
  Real d_beta{0};
};

Column column_of(const Claim& claim, const Tensors& inputs, std::int64_t index, const Mistake& m) {
  const auto unit = gather<Real>(claim, inputs, index);
  const auto parameter = [&](const char* name) {
    const Tensor& tensor = get(inputs, name);
    return Real(tensor.at(tensor.numel() == 1 ? 0 : index));
  };
  const Real mean = mean_of(unit.x);
  Values<Real> squares;
  for (const Real& x : unit.x) squares.push_back((x - mean) * (x - mean));
  const Real rstd = 1 / sqrt(mean_of(squares) + Real(claim.graph.steps[0].number("eps")));
  const double divide = round_to(DType::f32, m.divide);  // as the claim's scalars are
  const Real weight = parameter("weight");
  const Real shift = parameter("beta") + parameter("bias");
  Values<Real> xhat;
  Values<Real> g;         // the cotangent behind the norm
  Values<Real> products;  // g xhat
  for (std::size_t i = 0; i < unit.x.size(); ++i) {
    xhat.push_back((unit.x[i] - mean) * rstd);
    const Real z = (weight * xhat[i] + shift) / divide;
    const Real s = 1 / (1 + exp(-z));
    g.push_back(unit.dy[i] * s * (1 + z * (1 - s)) / divide);
    products.push_back(g[i] * xhat[i]);
  }
  const Real forgotten(m.forgets_divide ? divide : 1);
  const Real s1 = mean_of(g);
  const Real s2 = mean_of(products);
  Column column{{}, s2 * kN, s1 * kN};
  for (std::size_t i = 0; i < g.size(); ++i)
    column.d_x.push_back(forgotten * weight * rstd *
                         (g[i] - m.mean_term * s1 - m.xhat_term * xhat[i] * s2));
  return column;
}

RealGradients gradients_of(const Claim& claim, const Tensors& inputs, const Mistake& m) {
  RealGradients result;
  result["d_x"].resize(static_cast<std::size_t>(claim.rows() * claim.cols()));
  result["d_bias"].assign(1, Real(0));
  for (std::int64_t j = 0; j < claim.cols(); ++j) {
    const Column column = column_of(claim, inputs, j, m);
    for (std::size_t i = 0; i < column.d_x.size(); ++i)
      result["d_x"][i * static_cast<std::size_t>(claim.cols()) + static_cast<std::size_t>(j)] =
          column.d_x[i];
    result["d_weight"].push_back(column.d_weight);
    result["d_beta"].push_back(column.d_beta);
    result["d_bias"][0] += column.d_beta;
  }
  Values<Real>& named = result.at(m.tensor);
  for (Real& v : named) v *= m.factor;
  named[named.size() / 3] *= m.one_entry;
  return result;
}

/// The digits that a mistaken gradient keeps, over the largest entry that both have in a column.
double digits_kept(const Values<Real>& right, const Values<Real>& wrong, std::size_t cols) {
  Values<Real> error(cols);
  Values<Real> largest(cols);
  for (std::size_t i = 0; i < right.size(); ++i) {
    const std::size_t column = i % cols;
    error[column] = std::max(error[column], Real(abs(right[i] - wrong[i])));
    largest[column] = std::max(largest[column], std::min(Real(abs(right[i])), Real(abs(wrong[i]))));
  }
  Real worst(0);
  for (std::size_t column = 0; column < cols; ++column)
    if (error[column] > 0) worst = std::max(worst, Real(error[column] / largest[column]));
  return -Real(log10(worst)).convert_to<double>();
}

/// Differences of 20 digits leave 11 digits of the smallest mistake, 1e-9: its log10 is off by less
/// than this.
constexpr double kOfDifferences = 1e-10;

class Planted : public testing::TestWithParam<Mistake> {};

TEST_P(Planted, IsCalledWrongByItsOwnSize) {
  const Mistake& mistake = GetParam();
  const Claim claim = make_claim({.rows = kRows, .cols = 2, .divide = mistake.divide});
  const Tensors inputs = make_inputs(claim, 11);
  const RealGradients right = gradients_of(claim, inputs, {"none", "d_x", mistake.divide});
  const RealGradients wrong = gradients_of(claim, inputs, mistake);
  const double digits = digits_kept(right.at(mistake.tensor), wrong.at(mistake.tensor),
                                    static_cast<std::size_t>(claim.cols()));
  for (const AuditRow& row : audit_gradients(claim, inputs, wrong)) {
    if (row.tensor != mistake.tensor) {
      EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
      EXPECT_GE(row.digits, 20) << row.tensor;
      continue;
    }
    EXPECT_EQ(row.verdict, Outcome::wrong) << row.digits << " digits: " << row.reason;
    EXPECT_NEAR(row.digits, digits, kOfDifferences);
    if (mistake.one_entry != 1) {
      EXPECT_EQ(row.wrong, 1);
    }
    RecordProperty("mistake", mistake.name);
    RecordProperty("verdict", std::string(name_of(row.verdict)));
    RecordProperty("digits", std::to_string(row.digits));
    RecordProperty("wrong", std::to_string(row.wrong));
  }
}

INSTANTIATE_TEST_SUITE_P(Mistakes, Planted, testing::ValuesIn(mistakes()), parameter_name<Mistake>);

TEST(PlantedControl, TheFormulasWithoutAMistakeAreCertified) {
  const Claim claim = make_claim({.rows = kRows, .cols = 2, .divide = 1.5});
  const Tensors inputs = make_inputs(claim, 11);
  for (const AuditRow& row :
       audit_gradients(claim, inputs, gradients_of(claim, inputs, {"none"}))) {
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
    EXPECT_GE(row.digits, 20) << row.tensor;
  }
}

TEST(PlantedControl, AFactorInTheNineteenthDigitIsSeen) {
  const Claim claim = make_claim({.rows = kRows, .cols = 2, .divide = 1.5});
  const Tensors inputs = make_inputs(claim, 11);
  const Mistake mistake{.name = "times 1 + 1e-18", .factor = Real(1) + Real("1e-18")};
  const AuditRow row = audit_gradients(claim, inputs, gradients_of(claim, inputs, mistake)).at(0);
  EXPECT_EQ(row.verdict, Outcome::wrong) << row.digits << " digits: " << row.reason;
  EXPECT_NEAR(row.digits, 18, std::log10(1 + 1e-2));  // differences of 20 digits leave two
}

}  // namespace
}  // namespace gradproof::oracle_tests
