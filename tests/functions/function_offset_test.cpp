// SPDX-License-Identifier: Apache-2.0
// The audit of a user's function whose numbers, or whose insides, lie far from zero: a right
// gradient is never called wrong because digits cancel, a wrong one still is.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/audit/function_support.h"

namespace gradproof::function_tests {
namespace {

/// Factors on the claimed gradient: on all entries, and on the second entry.
struct Fault {
  double all = 1;
  double second = 1;

  double on(std::size_t entry) const { return entry == 1 ? all * second : all; }
};

/// (x + offset) - offset.
template <class T>
std::vector<T> there_and_back(const std::vector<T>& numbers, double offset) {
  std::vector<T> result;
  for (const T& x : numbers) result.push_back((x + offset) - offset);
  return result;
}

struct Square {
  double offset = 0;
  Fault fault;

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> y = there_and_back(in[0], offset);
    for (T& z : y) z *= z;
    return y;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    std::vector<T> dx;
    for (std::size_t i = 0; i < dy.size(); ++i) dx.push_back(fault.on(i) * 2 * in[0][i] * dy[i]);
    return {dx};
  }
};

/// A norm over all numbers, moved by an offset first; its variance may be that of squares.
struct Norm {
  double offset = 0;
  Fault fault;
  bool of_squares = false;

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> x = in[0];
    for (T& number : x) number += offset;
    return standardized(x, of_squares).first;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    auto [dx, root] = standardized(in[0], false);
    const auto n = static_cast<double>(dx.size());
    T g = 0;
    T g_xhat = 0;
    for (std::size_t i = 0; i < dx.size(); ++i) {
      g += dy[i] / n;
      g_xhat += dy[i] * dx[i] / n;
    }
    for (std::size_t i = 0; i < dx.size(); ++i)
      dx[i] = fault.on(i) * (dy[i] - g - dx[i] * g_xhat) / root;
    return {dx};
  }

 private:
  template <class T>
  static std::pair<std::vector<T>, T> standardized(std::vector<T> x, bool of_squares) {
    const auto n = static_cast<double>(x.size());
    T mean = 0;
    T variance = 0;
    for (const T& number : x) mean += number / n;
    for (const T& number : x)
      variance += (of_squares ? number * number : (number - mean) * (number - mean)) / n;
    if (of_squares) variance -= mean * mean;
    const T root = sqrt(variance + 1e-5);
    for (T& number : x) number = (number - mean) / root;
    return {x, root};
  }
};

const std::vector<double> kNumbers{0.3125, -1.25, 2.1, 0.7, -0.4};

class FunctionOffset : public testing::TestWithParam<double> {};

/// Expects the right gradient certified, and those off by 1e-6 everywhere or in one entry wrong.
template <class F>
void expect_told_apart(F function, const std::vector<double>& numbers) {
  const std::vector<FunctionInput> in{{"x", {std::ssize(numbers)}, numbers}};
  const AuditRow right = audit_function(function, in).at(0);
  EXPECT_EQ(right.verdict, Outcome::certified) << right.reason;
  EXPECT_EQ(witness(right).verdict, WitnessVerdict::agrees) << witness(right).text;
  function.fault = {1 + 1e-6, 1};
  const AuditRow wrong = audit_function(function, in).at(0);
  EXPECT_EQ(wrong.verdict, Outcome::wrong);
  EXPECT_EQ(wrong.wrong, std::ssize(numbers)) << "by differences";
  EXPECT_EQ(witness(wrong).verdict, WitnessVerdict::wrong);
  function.fault = {1, 1 + 1e-6};
  const AuditRow one = audit_function(function, in).at(0);
  EXPECT_EQ(one.wrong_entries, std::vector<std::int64_t>{1});
  EXPECT_EQ(witness(one).verdict, WitnessVerdict::wrong);
}

TEST_P(FunctionOffset, InsideTheFunction) {
  expect_told_apart(Square{GetParam(), {}}, kNumbers);
  expect_told_apart(Norm{GetParam(), {}, false}, kNumbers);
  expect_told_apart(Norm{GetParam(), {}, true}, kNumbers);
}

TEST_P(FunctionOffset, OfTheNumbers) {
  for (const double apart : {0x1p-10, 0x1p-30, 0x1p-44}) {
    std::vector<double> numbers;
    for (const double x : kNumbers) numbers.push_back(GetParam() * (1 + apart * x));
    expect_told_apart(Norm{}, numbers);
  }
  // From 1e17 on all these numbers are equal: only steps far below their size show the norm's
  // slope.
  std::vector<double> numbers;
  for (const double x : kNumbers) numbers.push_back(GetParam() + 8 * x);
  expect_told_apart(Norm{}, numbers);
}

/// Without a formula the derivative by dual numbers is claimed, and judges given numbers.
TEST_P(FunctionOffset, ByDualNumbers) {
  const double offset = GetParam();
  const Elementwise square{[offset](const auto& x) {
    const auto z = (x + offset) - offset;
    return z * z;
  }};
  FunctionOptions ones;
  ones.dy = {1, 1, 1};
  const std::vector<FunctionInput> in{{"x", {3}, {0.75, -1.5, 3}}};
  EXPECT_EQ(audit_function(square, in, ones).at(0).verdict, Outcome::certified);
  EXPECT_EQ(audit_numbers(square, in, {{{1.5, -3, 6}}, 14}, ones).at(0).verdict,
            Outcome::certified);
  const AuditRow wrong = audit_numbers(square, in, {{{1.5, -3, 6 + 1e-9}}, 14}, ones).at(0);
  EXPECT_EQ(witness(wrong).entries, std::vector<std::int64_t>{2});
}

INSTANTIATE_TEST_SUITE_P(All, FunctionOffset, testing::Values(1e0, 1e8, 1e16, 1e30, 1e60, 1e150),
                         [](const auto& offset) {
                           return "offset_1e" +
                                  std::to_string(std::lround(std::log10(offset.param)));
                         });

/// With equal dy the gradient is 0, and what cancels inside the function is no gradient.
TEST_P(FunctionOffset, NothingIsLeftOfAGradientOfNothing) {
  FunctionOptions ones;
  ones.dy = {1, 1, 1, 1, 1};
  const std::vector<FunctionInput> in{{"x", {5}, kNumbers}};
  const AuditRow own = audit_function(Norm{GetParam(), {}, false}, in, ones).at(0);
  EXPECT_EQ(own.verdict, Outcome::certified) << own.reason;
  EXPECT_EQ(witness(own).verdict, WitnessVerdict::agrees) << witness(own).text;
  const Norm norm{GetParam(), {}, false};
  EXPECT_EQ(audit_numbers(norm, in, {{{0, 0, 0, 0, 0}}, 14}, ones).at(0).verdict,
            Outcome::certified);
  const AuditRow wrong = audit_numbers(norm, in, {{{0, 1e-3, 0, 0, 0}}, 14}, ones).at(0);
  EXPECT_EQ(witness(wrong).entries, std::vector<std::int64_t>{1});
}

/// An offset that is added to the value hides it from 50 digits, and not from 400.
TEST(FunctionBeyond, AnOffsetOfTheValueHidesNothing) {
  for (const double offset : {1e30, 1e60, 1e150, 1e300}) {
    const Elementwise above{[offset](const auto& x) { return exp(x) + offset; }};
    const AuditRow row = audit_function(above, {{"x", {5}, kNumbers}}).at(0);
    EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
    EXPECT_GE(row.digits, 20);
  }
}

/// Squares of 1e250 cancel to nothing even at 400 digits.
TEST(FunctionBeyond, WhatNoDigitsHoldIsInconclusive) {
  for (const double offset : {1e250, 1e300}) {
    const AuditRow row = audit_function(Norm{offset, {}, true}, {{"x", {5}, kNumbers}}).at(0);
    EXPECT_EQ(row.verdict, Outcome::inconclusive) << row.reason << " " << witness(row).text;
    EXPECT_EQ(row.wrong, 0) << row.reason;
    EXPECT_EQ(witness(row).verdict, WitnessVerdict::silent);
    EXPECT_NE(witness(row).text.find("cancels"), std::string::npos);
  }
}

}  // namespace
}  // namespace gradproof::function_tests
