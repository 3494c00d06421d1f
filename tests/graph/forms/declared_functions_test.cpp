// SPDX-License-Identifier: Apache-2.0
// Functions and quotients of right code that only a word permits, simulated: it passes under the
// word, is convicted without it, and a wrong program of the same kind is convicted under it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

using R = float;
using AllNumbers = std::map<std::string, Numbers<R>>;

/// 0.1/x as (1/x) 0.1, with the reciprocal's own adjoint.
TEST(DeclaredFunctions, ANumberTimesAReciprocal) {
  const Simulated<R> s("{y = divide(0.1, x)} rows=64 cols=61");
  const auto computed = [&](R number) {
    AllNumbers all;
    const Numbers<R> x = s.numbers("x"), dy = s.numbers("dy");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const R inverse = 1 / x[i];
      all["y"].push_back(inverse * number);
      all["d_x"].push_back(-(dy[i] * number) * (inverse * inverse));
    }
    return all;
  };
  EXPECT_EQ(s.all_bad("functions=rounded", computed(0.1F)), 0);
  EXPECT_GT(s.bad("functions=rounded division=divided", computed(0.1F)).at("y"), 0);
  EXPECT_GT(s.all_bad("", computed(0.10001F)), 0);
}

/// Eigen's and XLA's quotient of polynomials: x P(x^2)/Q(x^2).
TEST(DeclaredFunctions, AnErfByPolynomials) {
  Simulated<R> s("{y = erf(x)} rows=256 cols=61");
  Numbers<R> x;
  for (int k = 0; k < 256 * 61; ++k) x.push_back(static_cast<R>(k) / 4096);
  s.set("x", x);
  const auto computed = [&](R first) {
    AllNumbers all;
    for (const R of : x) {
      const R y = std::min(of, R(4)), z = y * y;
      R p = -2.72614225801306e-10F, q = -1.45660718464996e-05F;
      for (const R c : {2.77068142495902e-08F, -2.10102402082508e-06F, -5.69250639462346e-05F,
                        -7.34990630326855e-04F, -2.95459980854025e-03F, first})
        p = p * z + c;
      for (const R c : {-2.13374055278905e-04F, -1.68282697438203e-03F, -7.37332916720468e-03F,
                        -1.42647390514189e-02F})
        q = q * z + c;
      all["y"].push_back(y * p / q);
    }
    return all;
  };
  EXPECT_EQ(s.all_bad("functions=xla", computed(-1.60960333262415e-02F)), 0);
  EXPECT_EQ(s.all_bad("functions=any", computed(-1.60960333262415e-02F)), 0);
  EXPECT_GT(s.all_bad("functions=rounded", computed(-1.60960333262415e-02F)), 0);
  EXPECT_GT(s.all_bad("functions=xla", computed(-1.60965e-02F)), 0);
}

/// 1/2 + tanh(x/2)/2 has no digits left at -15.
TEST(DeclaredFunctions, ASigmoidByTanh) {
  Simulated<R> s("{y = sigmoid(x)} rows=8 cols=61");
  Simulated<R> swish("{y = silu(x)} rows=8 cols=61");
  Numbers<R> x;
  for (int k = 0; k < 8 * 61; ++k) x.push_back(static_cast<R>(k - 244) / 16);
  for (Simulated<R>* of : {&s, &swish}) of->set("x", x);
  const auto computed = [&](bool is_swish, R half) {
    AllNumbers all;
    const Numbers<R> dy = (is_swish ? swish : s).numbers("dy");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const R v = 0.5F + half * std::tanh(0.5F * x[i]);
      all["y"].push_back(is_swish ? x[i] * v : v);
      all["d_x"].push_back(is_swish ? dy[i] * (v * (1 + x[i] * (1 - v))) : dy[i] * (v * (1 - v)));
    }
    return all;
  };
  for (const bool is_swish : {false, true}) {
    const Simulated<R>& of = is_swish ? swish : s;
    EXPECT_EQ(of.all_bad("sigmoid=tanh", computed(is_swish, 0.5F)), 0) << is_swish;
    EXPECT_GT(of.all_bad("", computed(is_swish, 0.5F)), 0) << is_swish;
    EXPECT_GT(of.all_bad("sigmoid=tanh", computed(is_swish, 0.50001F)), 0) << is_swish;
  }
}

/// A result below 2^-126 is 0; one above it is not.
TEST(DeclaredFunctions, ASubnormalThatIsFlushed) {
  Simulated<R> s("{y = multiply(x, 0.5)} rows=8 cols=61");
  Numbers<R> x;
  for (int k = 1; k <= 8 * 61; ++k) x.push_back(std::ldexp(static_cast<R>(k), -133));
  s.set("x", x);
  const auto computed = [&](R least) {
    AllNumbers all;
    for (const R of : x) all["y"].push_back(of * 0.5F < least ? 0 : of * 0.5F);
    return all;
  };
  EXPECT_EQ(s.all_bad("subnormals=flushed", computed(0x1p-126F)), 0);
  EXPECT_GT(s.all_bad("", computed(0x1p-126F)), 0);
  EXPECT_GT(s.all_bad("subnormals=flushed", computed(0x1p-125F)), 0) << "a normal number";
}

}  // namespace
}  // namespace gradproof
