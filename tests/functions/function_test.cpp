// SPDX-License-Identifier: Apache-2.0
// The audit of a user's function: right and wrong formulas, kinks, domains, invalid requests.
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/audit/function_support.h"

namespace gradproof::function_tests {
namespace {

/// log(1 + exp(beta x)) / beta, as it is written for large arguments: two branches, one function.
struct Softplus {
  double factor = 1;      ///< on d_x
  double only_entry = 1;  ///< on its second entry

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    const T& beta = in[1][0];
    std::vector<T> y;
    for (const T& x : in[0]) {
      const T z = beta * x;
      y.push_back((z > 0 ? z + log1p(exp(-z)) : log1p(exp(z))) / beta);
    }
    return y;
  }

  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    const T& beta = in[1][0];
    const std::vector<T> y = value(in);
    std::vector<T> dx;
    T dbeta = 0;
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const T sigmoid = 1 / (1 + exp(-beta * in[0][i]));
      dx.push_back(factor * (i == 1 ? only_entry : 1.0) * dy[i] * sigmoid);
      dbeta += dy[i] * (in[0][i] * sigmoid - y[i]) / beta;
    }
    return {dx, {dbeta}};
  }
};

const std::vector<FunctionInput> kSoftplusInputs{{"x", {2, 3}, {-3, -1, 0, 0.5, 2, 30}},
                                                 {"beta", {1}, {1.5}}};

TEST(Function, ARightFormulaIsCertified) {
  for (const AuditRow& row : audit_function(Softplus{}, kSoftplusInputs)) {
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
    EXPECT_GE(row.digits, 20) << row.tensor;
    EXPECT_EQ(witness(row).name, Witness::dual_numbers);
    EXPECT_EQ(witness(row).verdict, WitnessVerdict::agrees);
    EXPECT_GE(witness(row).digits, 40) << row.tensor;
  }
}

TEST(Function, ThirtyThreeDigits) {
  FunctionOptions options;
  options.digits = 33;
  for (const AuditRow& row : audit_function(Softplus{}, kSoftplusInputs, options)) {
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
    EXPECT_GE(row.digits, 33) << row.tensor;
  }
}

TEST(Function, AWrongFormulaIsWrongToBothWitnesses) {
  const auto rows = audit_function(Softplus{1 + 1e-6}, kSoftplusInputs);
  EXPECT_EQ(rows.at(0).verdict, Outcome::wrong);
  EXPECT_EQ(rows[0].wrong, 6);
  EXPECT_EQ(witness(rows[0]).verdict, WitnessVerdict::wrong);
  EXPECT_EQ(rows.at(1).verdict, Outcome::certified) << "d_beta is right";
}

TEST(Function, TheOneWrongEntryIsNamed) {
  const AuditRow row = audit_function(Softplus{1, 1 + 1e-12}, kSoftplusInputs).at(0);
  EXPECT_EQ(row.verdict, Outcome::wrong);
  EXPECT_EQ(row.wrong_entries, std::vector<std::int64_t>{1});
  EXPECT_EQ(witness(row).verdict, WitnessVerdict::wrong);
}

TEST(Function, AFormulaWithoutANumberIsWrong) {
  const AuditRow row = audit_function(Softplus{1, std::nan("")}, kSoftplusInputs).at(0);
  EXPECT_EQ(row.verdict, Outcome::wrong);
  EXPECT_EQ(row.wrong_entries, std::vector<std::int64_t>{1});
  EXPECT_EQ(witness(row).verdict, WitnessVerdict::wrong);
}

TEST(Function, DualNumbersClaimWhereThereIsNoFormula) {
  const Elementwise gelu{[](const auto& x) { return x * (1 + erf(x / sqrt(2 + 0 * x))) / 2; }};
  const AuditRow row = audit_function(gelu, {{"x", {4}, {-3, -0.25, 0.5, 2}}}).at(0);
  EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
  EXPECT_GE(row.digits, 20);
  EXPECT_NE(row.reason.find("by dual numbers"), std::string::npos);
  EXPECT_TRUE(row.witnesses.empty()) << "they cannot be their own witness";
}

/// 1 - tanh^2 cancels 69 digits at 80.
TEST(Function, DualNumbersClaimWhatIsSaturated) {
  const Elementwise saturated{[](const auto& x) { return tanh(x); }};
  for (const double x : {20.0, 40.0, 60.0, 80.0, 300.0}) {
    const AuditRow row = audit_function(saturated, {{"x", {2}, {x, -x}}}).at(0);
    EXPECT_EQ(row.verdict, Outcome::certified) << x << ": " << row.reason;
    EXPECT_GE(row.digits, 33);
  }
}

/// Every function that docs/audit_function.md names, at smooth points.
TEST(Function, AllScalarFunctionsAreDifferentiated) {
  const Elementwise all{[](const auto& x) {
    return exp(x) + expm1(x / 8) + log(x) + log1p(x) + sqrt(x) + tanh(x) + erf(x) + pow(x, 3) +
           pow(x, -2) + pow(x, 0.5) + pow(x, x) + abs(x) + fabs(-x) + max(x, 0) * min(x, 1000.0);
  }};
  const auto rows = audit_function(all, {{"x", {4}, {0.01, 0.99, 1.7, 6.5}}});
  EXPECT_EQ(rows.at(0).verdict, Outcome::certified) << rows[0].reason;
  EXPECT_GE(rows[0].digits, 20);
}

TEST(Function, GivenNumbersAreJudged) {
  const std::vector<FunctionInput>& in = kSoftplusInputs;
  FunctionOptions options;
  options.dy = {1, -1, 2, 0.5, -2, 1};
  std::vector<double> dx;
  double dbeta = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double z = 1.5 * in[0].numbers[i];
    dx.push_back(options.dy[i] / (1 + std::exp(-z)));
    dbeta += options.dy[i] * (z / (1 + std::exp(-z)) - std::log1p(std::exp(z))) / (1.5 * 1.5);
  }
  for (const AuditRow& row : audit_numbers(Softplus{}, in, {{dx, {dbeta}}, 14}, options)) {
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
    EXPECT_EQ(witness(row).verdict, WitnessVerdict::agrees);
    EXPECT_GE(witness(row).digits, 14);
    EXPECT_LE(witness(row).digits, 18) << "doubles hold no more";
  }
  dx[4] *= 1 + 1e-8;
  const auto rows = audit_numbers(Softplus{}, in, {{dx, {dbeta}}, 14}, options);
  EXPECT_EQ(rows.at(0).verdict, Outcome::wrong);
  EXPECT_EQ(witness(rows[0]).entries, std::vector<std::int64_t>{4});
  dx[4] = std::nan("");
  EXPECT_EQ(witness(audit_numbers(Softplus{}, in, {{dx, {dbeta}}, 14}, options).at(0)).wrong, 1);
}

/// The message of the UsageError.
template <class F>
std::string refusal(const F& function, const std::vector<FunctionInput>& inputs,
                    const FunctionOptions& options = {}) {
  try {
    audit_function(function, inputs, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

struct ShortGradient : Softplus {
  template <class T>
  Arrays<T> gradient(const Arrays<T>&, const std::vector<T>& dy) const {
    return {{dy[0]}, {dy[0]}};
  }
};

TEST(FunctionRefusal, NamesTheKeyAndWhatItHolds) {
  EXPECT_EQ(refusal(Softplus{}, {}), "inputs: none was given; each is a {name, shape, numbers}");
  EXPECT_EQ(refusal(Softplus{}, {{"x", {2, 3}, {1, 2}}}),
            "input 'x': shape [2,3] takes 6 numbers, 2 were given");
  EXPECT_EQ(refusal(Softplus{}, {{"x", {2}, {1, std::nan("")}}}),
            "input 'x': [1] is nan, and only finite numbers can be audited");
  EXPECT_EQ(refusal(Softplus{}, {{"x", {1}, {1}}, {"x", {1}, {1}}}),
            "input 'x': each input has a name of its own");
  EXPECT_EQ(refusal(ShortGradient{}, kSoftplusInputs),
            "gradient(): 1 numbers for input 'x' of shape [2,3], which has 6");
  FunctionOptions options;
  options.dy = {1, 2};
  EXPECT_EQ(refusal(Softplus{}, kSoftplusInputs, options),
            "dy: 2 numbers were given, value() returned 6 outputs");
}

TEST(FunctionRefusal, GivenGradientsThatDoNotFit) {
  EXPECT_THROW(audit_numbers(Softplus{}, kSoftplusInputs, {{{1, 2}, {1}}, 6}), UsageError);
  EXPECT_THROW(audit_numbers(Softplus{}, kSoftplusInputs, {{{1, 2}}, 6}), UsageError);
}

TEST(FunctionRefusal, DigitsThatDoublesDoNotHold) {
  const GivenGradients given{{{1, 2, 3, 4, 5, 6}, {1}}, 0};
  for (const double digits : {-5.0, 0.0, 17.0, std::nan("")}) {
    GivenGradients changed = given;
    changed.digits = digits;
    EXPECT_THROW(audit_numbers(Softplus{}, kSoftplusInputs, changed), UsageError) << digits;
  }
  GivenGradients changed = given;
  changed.digits = 16;
  EXPECT_NO_THROW(audit_numbers(Softplus{}, kSoftplusInputs, changed));
}

struct Counting {
  mutable int calls = 0;

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    return {in[0][0] + ++calls};
  }
};

TEST(FunctionRefusal, AValueThatIsNotTheSameAgain) {
  EXPECT_EQ(refusal(Counting{}, {{"x", {1}, {2}}}),
            "value(): output 0 is 3, then 4 at the same numbers: only a function that gives the "
            "same again can be audited");
}

}  // namespace
}  // namespace gradproof::function_tests
