// SPDX-License-Identifier: Apache-2.0
// Each form of a softmax, of a logsumexp, of means and of a product's bias, simulated in float32,
// under the contract that declares it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

using R = float;
using enum FormPart;

constexpr std::size_t kSoftmaxRows = 8;
constexpr std::size_t kSoftmaxCols = 96;

struct Exponentials {
  R shift = 0;  ///< what was taken off
  R sum = 0;
};

Exponentials exponentials(const R* x, int form) {
  Exponentials e;
  if (form == 2) {
    for (std::size_t k = 0; k < kSoftmaxCols; ++k) e.sum += std::exp(x[k]);
    return e;
  }
  e.shift = form == 0 ? *std::max_element(x, x + kSoftmaxCols) : x[0];
  for (std::size_t k = 0; k < kSoftmaxCols; ++k) {
    if (x[k] > e.shift) {
      e.sum *= std::exp(e.shift - x[k]);
      e.shift = x[k];
    }
    e.sum += std::exp(x[k] - e.shift);
  }
  return e;
}

struct Computed {
  std::map<FormPart, int> forms;
  Numbers<R> y, d_x;
};

/// Softmax forward and backward.
Computed softmax(const Simulated<R>& s, int maximum_form, int quotient_form, int projection_form) {
  Computed c{
      {{maximum, maximum_form}, {quotient, quotient_form}, {projection, projection_form}}, {}, {}};
  const Numbers<R> x = s.numbers("x"), dy = s.numbers("dy");
  for (std::size_t row = 0; row < kSoftmaxRows; ++row) {
    const R* const of = &x[row * kSoftmaxCols];
    const Exponentials e = exponentials(of, maximum_form);
    const R inverse = 1 / e.sum;
    for (std::size_t k = 0; k < kSoftmaxCols; ++k) {
      const R t = std::exp(of[k] - e.shift);
      c.y.push_back(quotient_form == 0 ? t / e.sum : t * inverse);
    }
    R sum = 0;
    for (std::size_t k = 0; k < kSoftmaxCols; ++k)
      sum += dy[row * kSoftmaxCols + k] * c.y[row * kSoftmaxCols + k];
    for (std::size_t i = row * kSoftmaxCols; i < (row + 1) * kSoftmaxCols; ++i)
      c.d_x.push_back(projection_form == 0 ? c.y[i] * (dy[i] - sum)
                                           : dy[i] * c.y[i] - c.y[i] * sum);
  }
  return c;
}

Computed log_softmax(const Simulated<R>& s, int maximum_form, int logarithm_form) {
  Computed c{{{maximum, maximum_form}, {logarithm, logarithm_form}}, {}, {}};
  const Numbers<R> x = s.numbers("x");
  for (std::size_t row = 0; row < kSoftmaxRows; ++row) {
    const Exponentials e = exponentials(&x[row * kSoftmaxCols], maximum_form);
    const R log = std::log(e.sum);
    for (std::size_t k = row * kSoftmaxCols; k < (row + 1) * kSoftmaxCols; ++k)
      c.y.push_back(logarithm_form == 0 ? (x[k] - e.shift) - log : x[k] - (e.shift + log));
  }
  return c;
}

Simulated<R> drawn(const std::string& stage, const std::string& fill) {
  return Simulated<R>("{y = " + stage + "(x)} rows=8 cols=96 seed=5 fill=" + fill);
}

TEST(SoftmaxForms, EachIsWithinTheBoundOfItsContract) {
  for (const char* fill : {"normal", "uniform", "scaled:10", "scaled:0.001"}) {
    const Simulated<R> s = drawn("softmax", fill);
    const Simulated<R> l = drawn("log_softmax", fill);
    for (int m : {0, 1, 2})
      for (int q : {0, 1}) {
        for (int p : {0, 1}) {
          const Computed c = softmax(s, m, q, p);
          for (const auto& [name, bad] : s.bad(contract_of(c.forms), {{"y", c.y}, {"d_x", c.d_x}}))
            EXPECT_EQ(bad, 0) << fill << " " << name << " " << contract_of(c.forms);
        }
        const Computed c = log_softmax(l, m, q);
        EXPECT_EQ(l.bad(contract_of(c.forms), {{"y", c.y}}).at("y"), 0)
            << fill << " " << contract_of(c.forms);
      }
  }
}

/// A rising row: an online softmax multiplies its sum at each number.
TEST(SoftmaxForms, OnlineInItsHardestOrder) {
  Simulated<R> s = drawn("softmax", "normal");
  Numbers<R> rising;
  for (std::size_t k = 0; k < kSoftmaxCols; ++k) rising.push_back(static_cast<R>(k) * 0.01F);
  s.set("x", rising);
  const Computed c = softmax(s, 1, 0, 0);
  EXPECT_EQ(s.bad("maximum=online", {{"y", c.y}}).at("y"), 0);
}

/// Beyond 88.7 an exponential that nothing was taken off overflows, and 96 of them from 84.2 on.
TEST(SoftmaxForms, WhatOverflowsIsConvicted) {
  Simulated<R> s = drawn("softmax", "normal");
  s.set("x", {100, 1, 2});
  const Computed c = softmax(s, 2, 0, 0);
  EXPECT_GT(s.bad("", {{"y", c.y}}).at("y"), 0) << "it is no usual form";
  EXPECT_EQ(s.bad("maximum=unsubtracted", {{"y", c.y}}).at("y"), 0);
}

/// m + log sum rounds to the type at m, of 1e4 here.
TEST(SoftmaxForms, ALogarithmThatIsJoinedIsConvicted) {
  Simulated<R> s = drawn("log_softmax", "normal");
  s.set("x", {10000, 9999.5F, 9998.25F});
  const Computed c = log_softmax(s, 0, 1);
  EXPECT_EQ(s.bad("", {{"y", c.y}}).at("y"), 0);
  EXPECT_GT(s.bad("logarithm=apart", {{"y", c.y}}).at("y"), 0);
}

TEST(SoftmaxForms, OfALogsumexp) {
  const Simulated<R> s("{y = logsumexp(x[rows,cols], cols)} rows=8 cols=96 seed=5");
  for (int m : {0, 1, 2}) {
    Numbers<R> y;
    const Numbers<R> x = s.numbers("x");
    for (std::size_t row = 0; row < kSoftmaxRows; ++row) {
      const Exponentials e = exponentials(&x[row * kSoftmaxCols], m);
      y.push_back(m == 2 ? std::log(e.sum) : std::log(e.sum) + e.shift);
    }
    EXPECT_EQ(s.bad(contract_of({{maximum, m}}), {{"y", y}}).at("y"), 0) << m;
  }
}

/// A mean of three times the reciprocal of 3.
TEST(SoftmaxForms, OfAMean) {
  const Simulated<R> s("{y = mean(x[rows,cols], cols)} rows=512 cols=3 fill=uniform");
  Numbers<R> y[2];
  const Numbers<R> x = s.numbers("x");
  for (std::size_t row = 0; row < 512; ++row) {
    const R sum = (x[3 * row] + x[3 * row + 1]) + x[3 * row + 2];
    y[0].push_back(sum / 3);
    y[1].push_back(sum * (R(1) / 3));
  }
  for (int form : {0, 1})
    EXPECT_EQ(s.bad(contract_of({{division, form}}), {{"y", y[form]}}).at("y"), 0) << form;
}

/// A bias of 1e4 as the first summand, and added to the product.
TEST(SoftmaxForms, OfAProductsBias) {
  Simulated<R> s("{y = linear(x, weight[out,cols], bias)} rows=8 cols=96 out=1 seed=5");
  s.set("bias", {10000});
  const Numbers<R> x = s.numbers("x"), weight = s.numbers("weight");
  Numbers<R> y[2];
  for (std::size_t row = 0; row < kSoftmaxRows; ++row) {
    R summed = 10000, product = 0;
    for (std::size_t k = 0; k < kSoftmaxCols; ++k) {
      summed += x[row * kSoftmaxCols + k] * weight[k];
      product += x[row * kSoftmaxCols + k] * weight[k];
    }
    y[0].push_back(summed);
    y[1].push_back(product + 10000);
  }
  for (int form : {0, 1})
    EXPECT_EQ(s.bad(contract_of({{bias, form}}), {{"y", y[form]}}).at("y"), 0) << form;
  EXPECT_GT(s.bad("bias=added", {{"y", y[0]}}).at("y"), 0);
}

}  // namespace
}  // namespace gradproof
