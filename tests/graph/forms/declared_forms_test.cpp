// SPDX-License-Identifier: Apache-2.0
// What right code does that only a word permits, simulated: it passes under the word, is convicted
// without it, and a wrong program of the same kind is convicted under it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

using R = float;
using AllNumbers = std::map<std::string, Numbers<R>>;

R in_bf16(R v) { return static_cast<R>(round_to(DType::bf16, static_cast<double>(v))); }

std::int64_t count(const Simulated<R>& s, const std::string& contract, const AllNumbers& computed) {
  std::int64_t sum = 0;
  for (const auto& [name, bad] : s.bad(contract, computed)) sum += bad;
  return sum;
}

/// LlamaRMSNorm of transformers in bfloat16, weight * xhat.to(dtype), by autograd; `n` is what the
/// squares are divided by.
AllNumbers llama_norm(const Simulated<R>& s, std::size_t cols, R n) {
  const Numbers<R> x = s.numbers("x"), weight = s.numbers("weight"), dy = s.numbers("dy");
  AllNumbers all{{"d_weight", Numbers<R>(cols)}};
  for (std::size_t first = 0; first < x.size(); first += cols) {
    R squares = 0, sum = 0;
    for (std::size_t k = 0; k < cols; ++k) squares += x[first + k] * x[first + k];
    const R rstd = 1 / std::sqrt(squares / n + 1e-6F);
    const auto g = [&](std::size_t k) { return in_bf16(dy[first + k] * weight[k]); };
    const auto xhat = [&](std::size_t k) { return x[first + k] * rstd; };
    for (std::size_t k = 0; k < cols; ++k) sum += g(k) * xhat(k);
    for (std::size_t k = 0; k < cols; ++k) {
      all["y"].push_back(weight[k] * in_bf16(xhat(k)));
      all["d_x"].push_back(rstd * (g(k) - xhat(k) * (sum / static_cast<R>(cols))));
      all["d_weight"][k] += in_bf16(dy[first + k] * in_bf16(xhat(k)));
    }
  }
  return all;
}

TEST(DeclaredForms, ANormThatRoundsXhatStoresEachValue) {
  const Simulated<R> s("{y = rms_norm(x, weight)} rows=16 cols=64 dtype=bf16 seed=3");
  const AllNumbers right = llama_norm(s, 64, 64);
  EXPECT_EQ(count(s, "stored=all", right), 0);
  EXPECT_GT(s.bad("stored=outputs", right).at("d_x"), 0);
  EXPECT_GT(s.bad("stored=all", llama_norm(s, 64, 60)).at("y"), 0) << "another count";
}

/// xhat = (y - beta)/weight, of a y that lost digits to a large beta.
TEST(DeclaredForms, ANormThatStartsFromItsOutput) {
  Simulated<R> s("{y = layer_norm(x, weight, beta)} rows=16 cols=64 seed=3");
  s.set("beta", {1000});
  const Numbers<R> x = s.numbers("x"), weight = s.numbers("weight"), dy = s.numbers("dy");
  const auto computed = [&](R beta) {
    AllNumbers all{{"d_weight", Numbers<R>(64)}};
    for (std::size_t first = 0; first < x.size(); first += 64) {
      R mean = 0, squares = 0;
      for (std::size_t k = 0; k < 64; ++k) mean += x[first + k] / 64;
      for (std::size_t k = 0; k < 64; ++k) squares += (x[first + k] - mean) * (x[first + k] - mean);
      const R rstd = 1 / std::sqrt(squares / 64 + 1e-5F);
      for (std::size_t k = 0; k < 64; ++k) {
        const R y = (x[first + k] - mean) * rstd * weight[k] + 1000;
        all["y"].push_back(y);
        all["d_weight"][k] += dy[first + k] * ((y - beta) / weight[k]);
      }
    }
    return all;
  };
  EXPECT_EQ(count(s, "backward=output", computed(1000)), 0);
  EXPECT_GT(s.bad("", computed(1000)).at("d_weight"), 0);
  EXPECT_GT(s.bad("backward=output", computed(999)).at("d_weight"), 0) << "another beta";
}

/// 1 - (y/cap)^2 and 1 - exp(-y) are 0 where y rounds to cap and to 0.
TEST(DeclaredForms, AFunctionWhoseAdjointStartsFromItsValue) {
  Simulated<R> cap("{y = softcap(x, cap=3)} rows=8 cols=61");
  Simulated<R> soft("{y = softplus(x)} rows=8 cols=61");
  Numbers<R> x;
  for (int k = 0; k < 8 * 61; ++k) x.push_back(static_cast<R>(k - 244) / 8);
  for (Simulated<R>* s : {&cap, &soft}) s->set("x", x);
  const auto computed = [&](const Simulated<R>& s, R factor) {
    AllNumbers all;
    const Numbers<R> dy = s.numbers("dy");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_cap = &s == &cap;
      const R y = is_cap ? 3 * std::tanh(x[i] / 3)
                         : std::max(x[i], R(0)) + std::log1p(std::exp(-std::abs(x[i])));
      const R t = y / 3;
      all["d_x"].push_back(dy[i] * (is_cap ? 1 - factor * t * t : 1 - std::exp(-factor * y)));
    }
    return all;
  };
  for (const Simulated<R>* s : {&cap, &soft}) {
    EXPECT_EQ(count(*s, "backward=output", computed(*s, 1)), 0) << (s == &cap);
    EXPECT_GT(count(*s, "backward=input complement=reflected", computed(*s, 1)), 0) << (s == &cap);
    EXPECT_GT(count(*s, "backward=output", computed(*s, 1.001F)), 0) << (s == &cap);
  }
}

/// 0.1 in bfloat16 is 0.10009765625.
TEST(DeclaredForms, ANumberOfTheTextThatIsRounded) {
  const Simulated<R> s("{y = multiply(x, 0.1)} rows=8 cols=61 dtype=bf16");
  const auto computed = [&](R factor) {
    AllNumbers all;
    for (const R x : s.numbers("x")) all["y"].push_back(x * in_bf16(factor));
    return all;
  };
  EXPECT_EQ(count(s, "literals=stored", computed(0.1F)), 0);
  EXPECT_EQ(count(s, "stored=all", computed(0.1F)), 0);
  EXPECT_GT(count(s, "literals=exact", computed(0.1F)), 0);
  EXPECT_GT(count(s, "literals=stored", computed(0.102F)), 0);
}

/// exp2(x L - m L) at logits of 3000, where both products are rounded at 4000.
TEST(DeclaredForms, AnExponentialInBase2) {
  Simulated<R> s("{y = softmax(x)} rows=8 cols=96 seed=5");
  Simulated<R> sum("{y = logsumexp(x[rows,cols], cols)} rows=8 cols=96 seed=5");
  Numbers<R> x;
  for (const R v : s.numbers("x")) x.push_back(3000 + v);
  s.set("x", x);
  sum.set("x", x);
  const auto computed = [&](R log2e) {
    std::pair<AllNumbers, AllNumbers> all;
    for (std::size_t first = 0; first < x.size(); first += 96) {
      const R m = *std::max_element(&x[first], &x[first] + 96) * log2e;
      R total = 0;
      for (std::size_t k = 0; k < 96; ++k) total += std::exp2(x[first + k] * log2e - m);
      for (std::size_t k = 0; k < 96; ++k)
        all.first["y"].push_back(std::exp2(x[first + k] * log2e - m) / total);
      all.second["y"].push_back((m + std::log2(total)) * 0.693147182F);
    }
    return all;
  };
  const auto [softmax, logsumexp] = computed(1.44269504F);
  const auto [wrong, wrong_sum] = computed(1.4427F * 1.001F);
  EXPECT_EQ(count(s, "", softmax), 0);
  EXPECT_EQ(count(s, "maximum=base2", softmax), 0);
  EXPECT_GT(count(s, "maximum=subtracted", softmax), 0);
  EXPECT_GT(count(s, "", wrong), 0);
  EXPECT_EQ(count(sum, "", logsumexp), 0);
  EXPECT_GT(count(sum, "", wrong_sum), 0);
}

/// Either summand is rounded before they cancel at x = -1.5.
TEST(DeclaredForms, AHardswishByAutodiff) {
  Simulated<R> s("{y = hardswish(x)} rows=64 cols=61");
  Numbers<R> x;
  for (int k = 0; k < 64 * 61; ++k) x.push_back(-1.5F + static_cast<R>(k - 1952) / 1024);
  s.set("x", x);
  const auto computed = [&](R six) {
    AllNumbers all;
    const Numbers<R> dy = s.numbers("dy");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const R gate = std::min(std::max(x[i] + 3, R(0)), R(6)) / six;
      const R other = x[i] > -3 && x[i] < 3 ? (dy[i] * x[i]) / 6 : 0;
      all["d_x"].push_back(dy[i] * gate + other);
    }
    return all;
  };
  EXPECT_EQ(count(s, "functions=rounded", computed(6)), 0);
  EXPECT_GT(count(s, "functions=rounded hardswish=joined", computed(6)), 0);
  EXPECT_GT(count(s, "", computed(6.001F)), 0);
}

/// 0.1/x as (1/x) 0.1, with the reciprocal's own adjoint.
TEST(DeclaredForms, ANumberTimesAReciprocal) {
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
  EXPECT_EQ(count(s, "functions=rounded", computed(0.1F)), 0);
  EXPECT_GT(s.bad("functions=rounded division=divided", computed(0.1F)).at("y"), 0);
  EXPECT_GT(count(s, "", computed(0.10001F)), 0);
}

/// Eigen's and XLA's quotient of polynomials: x P(x^2)/Q(x^2).
TEST(DeclaredForms, AnErfByPolynomials) {
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
  EXPECT_EQ(count(s, "functions=xla", computed(-1.60960333262415e-02F)), 0);
  EXPECT_EQ(count(s, "functions=any", computed(-1.60960333262415e-02F)), 0);
  EXPECT_GT(count(s, "functions=rounded", computed(-1.60960333262415e-02F)), 0);
  EXPECT_GT(count(s, "functions=xla", computed(-1.60965e-02F)), 0);
}

/// 1/2 + tanh(x/2)/2 has no digits left at -15.
TEST(DeclaredForms, ASigmoidByTanh) {
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
    EXPECT_EQ(count(of, "sigmoid=tanh", computed(is_swish, 0.5F)), 0) << is_swish;
    EXPECT_GT(count(of, "", computed(is_swish, 0.5F)), 0) << is_swish;
    EXPECT_GT(count(of, "sigmoid=tanh", computed(is_swish, 0.50001F)), 0) << is_swish;
  }
}

/// A result below 2^-126 is 0; one above it is not.
TEST(DeclaredForms, ASubnormalThatIsFlushed) {
  Simulated<R> s("{y = multiply(x, 0.5)} rows=8 cols=61");
  Numbers<R> x;
  for (int k = 1; k <= 8 * 61; ++k) x.push_back(std::ldexp(static_cast<R>(k), -133));
  s.set("x", x);
  const auto computed = [&](R least) {
    AllNumbers all;
    for (const R of : x) all["y"].push_back(of * 0.5F < least ? 0 : of * 0.5F);
    return all;
  };
  EXPECT_EQ(count(s, "subnormals=flushed", computed(0x1p-126F)), 0);
  EXPECT_GT(count(s, "", computed(0x1p-126F)), 0);
  EXPECT_GT(count(s, "subnormals=flushed", computed(0x1p-125F)), 0) << "a normal number";
}

}  // namespace
}  // namespace gradproof
