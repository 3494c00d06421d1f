// SPDX-License-Identifier: Apache-2.0
// Right code that only a word permits is simulated: it passes under the word, is convicted without
// it, and a wrong program of the same kind is convicted under it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

using R = float;
using AllNumbers = std::map<std::string, Numbers<R>>;

R in_bf16(R v) { return static_cast<R>(round_to(DType::bf16, static_cast<double>(v))); }

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
  EXPECT_EQ(s.all_bad("stored=all", right), 0);
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
  EXPECT_EQ(s.all_bad("backward=output", computed(1000)), 0);
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
    EXPECT_EQ(s->all_bad("backward=output", computed(*s, 1)), 0) << (s == &cap);
    EXPECT_GT(s->all_bad("backward=input complement=reflected", computed(*s, 1)), 0) << (s == &cap);
    EXPECT_GT(s->all_bad("backward=output", computed(*s, 1.001F)), 0) << (s == &cap);
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
  EXPECT_EQ(s.all_bad("literals=stored", computed(0.1F)), 0);
  EXPECT_EQ(s.all_bad("stored=all", computed(0.1F)), 0);
  EXPECT_GT(s.all_bad("literals=exact", computed(0.1F)), 0);
  EXPECT_GT(s.all_bad("literals=stored", computed(0.102F)), 0);
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
  EXPECT_EQ(s.all_bad("", softmax), 0);
  EXPECT_EQ(s.all_bad("maximum=base2", softmax), 0);
  EXPECT_GT(s.all_bad("maximum=subtracted", softmax), 0);
  EXPECT_GT(s.all_bad("", wrong), 0);
  EXPECT_EQ(sum.all_bad("", logsumexp), 0);
  EXPECT_GT(sum.all_bad("", wrong_sum), 0);
}

/// A logarithm keeps the exponent's error as it is, so of a log_softmax the form counts only where
/// it is declared, beside others too.
TEST(DeclaredForms, ALogSoftmaxInBase2IsNotUsual) {
  Simulated<R> s("{y = log_softmax(x)} rows=8 cols=96 seed=5");
  Numbers<R> x;
  for (const R v : s.numbers("x")) x.push_back(3000 + v);
  s.set("x", x);
  const auto computed = [&](R log2e) {
    AllNumbers all;
    for (std::size_t first = 0; first < x.size(); first += 96) {
      const R m = *std::max_element(&x[first], &x[first] + 96);
      R total = 0;
      for (std::size_t k = 0; k < 96; ++k) total += std::exp2(x[first + k] * log2e - m * log2e);
      for (std::size_t k = 0; k < 96; ++k) all["y"].push_back((x[first + k] - m) - std::log(total));
    }
    return all;
  };
  const AllNumbers right = computed(1.44269504F);
  // A logarithm that is joined with the maximum is rounded at 3000, too.
  const std::string apart = "logarithm=apart maximum=";
  EXPECT_EQ(s.all_bad(apart + "base2", right), 0);
  EXPECT_EQ(s.all_bad(apart + "subtracted+base2", right), 0);
  EXPECT_GT(s.all_bad("logarithm=apart", right), 0);
  EXPECT_GT(s.all_bad(apart + "any", right), 0);
  EXPECT_GT(s.all_bad(apart + "base2", computed(1.4427F * 1.01F)), 0);
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
  EXPECT_EQ(s.all_bad("functions=rounded", computed(6)), 0);
  EXPECT_GT(s.all_bad("functions=rounded hardswish=joined", computed(6)), 0);
  EXPECT_GT(s.all_bad("", computed(6.001F)), 0);
}

}  // namespace
}  // namespace gradproof
