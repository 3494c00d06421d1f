// SPDX-License-Identifier: Apache-2.0
// How kernels for a GPU write functions, simulated under the contract of code that declares
// nothing.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

/// exp(x) as Triton makes it on a GPU, a product with log2 e and an exp2. One whose constant has a
/// wrong digit is convicted.
TEST(GpuForms, AnExponentialByPowersOfTwoIsUsual) {
  Simulated<float> s("{y = exp(x)} rows=64 cols=61 fill=scaled:20");
  Simulated<float> swish("{y = silu(x)} rows=64 cols=61 fill=scaled:20");
  const auto powers = [](const Simulated<float>& of, float log2e, bool is_exp) {
    std::map<std::string, Numbers<float>> all;
    for (const float x : of.numbers("x"))
      all["y"].push_back(is_exp ? std::exp2(x * log2e) : x / (1 + std::exp2(-x * log2e)));
    return all;
  };
  constexpr float kRight = 1.44269504F;
  constexpr float kWrong = 1.442696F;
  for (const bool is_exp : {true, false}) {
    const Simulated<float>& of = is_exp ? s : swish;
    EXPECT_EQ(of.bad("", powers(of, kRight, is_exp)).at("y"), 0) << is_exp;
    EXPECT_GT(of.bad("functions=rounded", powers(of, kRight, is_exp)).at("y"), 0) << is_exp;
    EXPECT_GT(of.bad("", powers(of, kWrong, is_exp)).at("y"), 0) << is_exp;
  }
}

/// (1 + tanh(z))/2 as sigmoid(2 z). One without the cubic term's factor 3 is convicted.
TEST(GpuForms, AGeluBySigmoidIsUsual) {
  Simulated<float> s("{y = gelu(x, approximate=tanh)} rows=256 cols=61 fill=scaled:2");
  const auto computed = [&](float factor) {
    std::map<std::string, Numbers<float>> all;
    const Numbers<float> dy = s.numbers("dy");
    std::size_t i = 0;
    for (const float x : s.numbers("x")) {
      const float z = 0.7978845608F * (x + 0.044715F * x * x * x);
      const float sigmoid = 1 / (1 + std::exp(-2 * z));
      const float slope = 2 * 0.7978845608F * (1 + factor * 0.044715F * x * x);
      all["y"].push_back(x * sigmoid);
      all["d_x"].push_back(dy[i++] * (sigmoid + x * (sigmoid * (1 - sigmoid) * slope)));
    }
    return all;
  };
  EXPECT_EQ(s.bad("", computed(3)), (std::map<std::string, std::int64_t>{{"y", 0}, {"d_x", 0}}));
  EXPECT_GT(s.bad("", computed(1)).at("d_x"), 0);
}

}  // namespace
}  // namespace gradproof
