// SPDX-License-Identifier: Apache-2.0
// Branches, kinks and domains of a user's function.
#include <gtest/gtest.h>

#include "tests/support/audit/function_support.h"

namespace gradproof::function_tests {
namespace {

struct Relu {
  double at_zero = 0;
  double sign = 1;

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> y;
    for (const T& x : in[0]) y.push_back(x > 0 ? x : T(0));
    return y;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    std::vector<T> dx;
    for (std::size_t i = 0; i < dy.size(); ++i)
      dx.push_back(in[0][i] > 0 ? sign * dy[i] : in[0][i] == 0 ? at_zero * dy[i] : T(0));
    return {dx};
  }
};

TEST(FunctionKink, OnItNothingIsSaidAndNearItSmallerStepsAre) {
  for (const double at_zero : {0.0, 0.5, 1.0}) {  // every subgradient is a choice
    const AuditRow row = audit_function(Relu{at_zero}, {{"x", {4}, {-1, 0, 0x1p-30, 2}}}).at(0);
    EXPECT_EQ(row.verdict, Outcome::inconclusive) << row.reason;
    EXPECT_EQ(row.wrong, 0);
    EXPECT_EQ(count_of(row, "kink"), 1);
    EXPECT_EQ(row.inconclusive.at(0).first, 1);
    EXPECT_EQ(witness(row).verdict, WitnessVerdict::agrees) << "of the three others";
    EXPECT_GE(row.digits, 20);
  }
}

TEST(FunctionKink, AWrongFormulaBesideItIsWrong) {
  const AuditRow row = audit_function(Relu{0, -1}, {{"x", {4}, {-1, 0, 0x1p-30, 2}}}).at(0);
  EXPECT_EQ(row.verdict, Outcome::wrong);
  EXPECT_EQ(row.wrong_entries, (std::vector<std::int64_t>{2, 3}));
}

TEST(FunctionDomain, WithoutAValueNothingIsSaid) {
  const Elementwise log_of_x{[](const auto& x) { return log(x); }};
  const AuditRow row = audit_function(log_of_x, {{"x", {2}, {-1, 2}}}).at(0);
  EXPECT_EQ(row.verdict, Outcome::inconclusive);
  EXPECT_EQ(row.wrong, 0);
  EXPECT_EQ(count_of(row, "domain"), 2) << "the sum has no value";
  const AuditRow inside = audit_function(log_of_x, {{"x", {2}, {0x1p-40, 2}}}).at(0);
  EXPECT_EQ(inside.verdict, Outcome::certified) << inside.reason;
}

/// The result of PerturbedLoss::irregular().
template <class F>
Irregularity says(const F& function, double x, double move) {
  const std::vector<FunctionInput> inputs{{"x", {1}, {x}}};
  const FunctionOf<F> subject(function, inputs, {});
  const auto losses = subject.losses(AuditArithmetic::double_double);
  losses->take_unit(0);
  return losses->irregular(0, 0, move);
}

TEST(FunctionHook, KnowsHowFarTheKinkIs) {
  EXPECT_EQ(says(Relu{}, 0x1p-30, 0x1p-20), Irregularity::kink);
  EXPECT_EQ(says(Relu{}, 0x1p-30, 0x1p-31), Irregularity::none);
  EXPECT_EQ(says(Relu{}, 0, 0x1p-60), Irregularity::kink);
}

/// A branch that only saves accuracy is no kink: the value is that of x's own branch continued.
TEST(FunctionHook, TwoBranchesOfOneFunctionAreNoKink) {
  const auto softplus = [](const auto& x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); };
  EXPECT_EQ(says(Elementwise{softplus}, 0, 0x1p-3), Irregularity::none);
  const auto bent = [](const auto& x) {
    return x > 0 ? x + x * 0x1p-60 + log1p(exp(-x)) : log1p(exp(x));
  };
  EXPECT_EQ(says(Elementwise{bent}, 0, 0x1p-3), Irregularity::kink);
}

TEST(FunctionHook, KnowsWhereThereIsNoValue) {
  const Elementwise root{[](const auto& x) { return sqrt(x); }};
  EXPECT_EQ(says(root, 0x1p-10, 0x1p-9), Irregularity::domain);
  EXPECT_EQ(says(root, -1, 0x1p-9), Irregularity::domain);
  EXPECT_EQ(says(root, 0x1p-10, 0x1p-11), Irregularity::none);
}

}  // namespace
}  // namespace gradproof::function_tests
