// SPDX-License-Identifier: Apache-2.0
// The audit of a user's function: numbers of different sizes, gradients of 0, edges of domains.
#include <gtest/gtest.h>

#include "tests/support/audit/function_support.h"

namespace gradproof::function_tests {
namespace {

struct Softmax {
  double factor = 1;  ///< on the gradient
  double offset = 0;  ///< on its first entry

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    T largest = in[0][0];
    for (const T& x : in[0]) largest = max(largest, x);
    std::vector<T> y;
    T sum = 0;
    for (const T& x : in[0]) y.push_back(exp(x - largest));
    for (const T& part : y) sum += part;
    for (T& part : y) part /= sum;
    return y;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    std::vector<T> dx = value(in);
    T mean = 0;
    for (std::size_t i = 0; i < dy.size(); ++i) mean += dy[i] * dx[i];
    for (std::size_t i = 0; i < dy.size(); ++i) dx[i] *= factor * (dy[i] - mean);
    dx[0] += offset;
    return {dx};
  }
};

/// A mask among logits, a saturated argument, a number below all range: each has its own width.
TEST(FunctionWidth, NumbersOfOtherSizesAreMovedByTheirOwn) {
  const Elementwise saturated{[](const auto& x) { return tanh(x); }};
  const Elementwise hill{[](const auto& x) { return 1 / (1 + x * x); }};
  for (const double large : {1e9, 1e30, 3.4e38}) {
    const std::vector<FunctionInput> logits{{"x", {4}, {0.3, -0.2, 1.1, -large}}};
    const AuditRow right = audit_function(Softmax{}, logits).at(0);
    EXPECT_EQ(right.verdict, Outcome::certified) << large << right.reason;
    EXPECT_GE(right.digits, 20);
    const AuditRow wrong = audit_function(Softmax{1 + 1e-12}, logits).at(0);
    EXPECT_EQ(wrong.verdict, Outcome::wrong) << large;
    EXPECT_EQ(wrong.wrong, 3) << "the masked one has no gradient";
    for (const double small : {0.0, 1e-310, 1e-20}) {
      const std::vector<FunctionInput> in{{"x", {3}, {small, 0.5, large}}};
      EXPECT_EQ(audit_function(saturated, in).at(0).verdict, Outcome::certified)
          << small << " " << large;
      EXPECT_EQ(audit_function(hill, in).at(0).verdict, Outcome::certified)
          << small << " " << large;
    }
  }
}

TEST(FunctionWidth, IsOfTheUsualSizeOrOfANumbersOwn) {
  const Widths mask = widths_of({0, 0.5, 0.75, -0x1p100});
  EXPECT_EQ(mask.most, mask.own[1]);
  EXPECT_LE(mask.most, 0);
  EXPECT_EQ(mask.own[3], 100);
  const Widths one_small = widths_of({0x1p99, 0x1p100, 3, 0});
  EXPECT_EQ(one_small.own[2], 1);
  EXPECT_EQ(one_small.own[3], 0);
  EXPECT_EQ(widths_of({0x1p-1070, 0}).most, -900);
  EXPECT_EQ(widths_of({0, 0}).own, (std::vector<int>{0, 0}));
}

/// Its roundings are relative to the terms that cancel, not to what is left of them.
TEST(FunctionZero, AGradientOfNothingAgrees) {
  const std::vector<FunctionInput> in{{"x", {3}, {0.3, -0.2, 1.7}}};
  FunctionOptions ones;
  ones.dy = {1, 1, 1};
  const AuditRow own = audit_function(Softmax{}, in, ones).at(0);
  EXPECT_EQ(own.verdict, Outcome::certified) << own.reason;
  EXPECT_EQ(witness(own).verdict, WitnessVerdict::agrees) << witness(own).text;
  const AuditRow offset = audit_function(Softmax{1, 1e-12}, in, ones).at(0);
  EXPECT_EQ(offset.verdict, Outcome::wrong);
  EXPECT_EQ(witness(offset).verdict, WitnessVerdict::wrong);
  for (const double given : {0.0, 1e-17}) {
    const AuditRow row = audit_numbers(Softmax{}, in, {{{0, given, -given}}, 14}, ones).at(0);
    EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
    EXPECT_EQ(witness(row).verdict, WitnessVerdict::agrees);
  }
  const AuditRow wrong = audit_numbers(Softmax{}, in, {{{0, 1e-3, 0}}, 14}, ones).at(0);
  EXPECT_EQ(witness(wrong).entries, std::vector<std::int64_t>{1});
}

struct Root {
  double factor = 1;

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> y;
    for (const T& x : in[0]) y.push_back(sqrt(x));
    return y;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    std::vector<T> dx;
    for (std::size_t i = 0; i < dy.size(); ++i) dx.push_back(factor * dy[i] / (2 * sqrt(in[0][i])));
    return {dx};
  }
};

/// An infinite slope is its own entry's only.
TEST(FunctionEdge, SaysNothingOfOneEntryAndJudgesTheOthers) {
  const std::vector<FunctionInput> in{{"x", {3}, {0, 0.25, 4}}};
  const AuditRow row = audit_function(Root{}, in).at(0);
  EXPECT_EQ(row.verdict, Outcome::inconclusive) << row.reason;
  EXPECT_EQ(count_of(row, "domain"), 1);
  EXPECT_EQ(witness(row).verdict, WitnessVerdict::agrees) << witness(row).text;
  EXPECT_EQ(witness(audit_function(Root{1.5}, in).at(0)).verdict, WitnessVerdict::wrong);
  FunctionOptions ones;
  ones.dy = {1, 1, 1};
  const AuditRow given = audit_numbers(Root{}, in, {{{0, 1, 0.25}}, 14}, ones).at(0);
  EXPECT_EQ(given.verdict, Outcome::inconclusive) << given.reason;
  EXPECT_EQ(witness(given).verdict, WitnessVerdict::agrees);
  const AuditRow wrong = audit_numbers(Root{}, in, {{{0, 1, 0.5}}, 14}, ones).at(0);
  EXPECT_EQ(witness(wrong).entries, std::vector<std::int64_t>{2});
}

/// |x| by a root has no derivative at 0 that dual numbers know: no numbers agree with it.
TEST(FunctionEdge, WithoutADerivativeNumbersAreNotJudged) {
  const Elementwise size{[](const auto& x) { return sqrt(x * x); }};
  const AuditRow row = audit_numbers(size, {{"x", {2}, {0, 0}}}, {{{7, -7}}, 6}).at(0);
  EXPECT_EQ(row.verdict, Outcome::inconclusive) << row.reason;
  EXPECT_EQ(row.wrong, 0);
  EXPECT_EQ(witness(row).verdict, WitnessVerdict::silent);
  EXPECT_FALSE(witness(row).text.empty());
}

}  // namespace
}  // namespace gradproof::function_tests
