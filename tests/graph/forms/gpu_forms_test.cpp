// SPDX-License-Identifier: Apache-2.0
// Functions as kernels for a GPU write them, simulated under the contract of code that declares
// nothing, or that rounds each operator's result.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

/// A result as it is stored.
struct Rounded {
  DType type;
  float operator()(float number) const {
    return static_cast<float>(round_to(type, static_cast<double>(number)));
  }
};

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

/// The adjoint of a function of one number as LibTorch's kernel for a GPU computes it where the
/// operators of its type round each result, from dy and what the forward pass stored.
struct StoredAdjoint {
  const char* call;
  float (*value)(float x, const Rounded& r);
  float (*adjoint)(float dy, float x, const Rounded& r);
  float (*wrong)(float dy, float x, const Rounded& r);
};

float tanh_slope(float t, const Rounded& r, float wrong = 1) { return r(1 - r(t * r(t * wrong))); }
float sigmoid_of(float x, const Rounded& r) { return r(1 / (1 + std::exp(-x))); }
float softcap_of(float x, const Rounded& r) { return r(std::tanh(r(x / 3))); }

const StoredAdjoint kStoredAdjoints[] = {
    {"tanh(x)", [](float x, const Rounded& r) { return r(std::tanh(x)); },
     [](float dy, float x, const Rounded& r) { return r(dy * tanh_slope(r(std::tanh(x)), r)); },
     [](float dy, float x, const Rounded& r) { return r(dy * r(1 - r(std::tanh(x)))); }},
    {"tanh(x)", [](float x, const Rounded& r) { return r(std::tanh(x)); },
     [](float dy, float x, const Rounded& r) { return r(dy * tanh_slope(r(std::tanh(x)), r)); },
     [](float dy, float x, const Rounded& r) {
       return r(dy * tanh_slope(r(std::tanh(x)), r, 1.02F));
     }},
    {"sigmoid(x)", sigmoid_of,
     [](float dy, float x, const Rounded& r) {
       return r(r(dy * r(1 - sigmoid_of(x, r))) * sigmoid_of(x, r));
     },
     [](float dy, float x, const Rounded& r) {
       return r(r(dy * r(1 - sigmoid_of(x, r))) * r(1.02F * sigmoid_of(x, r)));
     }},
    {"softcap(x, cap=3)", [](float x, const Rounded& r) { return r(softcap_of(x, r) * 3); },
     [](float dy, float x, const Rounded& r) {
       return r(r(r(dy * 3) * tanh_slope(softcap_of(x, r), r)) / 3);
     },
     [](float dy, float x, const Rounded& r) {
       return r(r(r(dy * 3) * r(1 - softcap_of(x, r))) / 3);
     }}};

/// sigmoid_backward and tanh_backward round each of their operations to float16 or bfloat16
/// (aten/src/ATen/native/cuda/BinaryMiscBackwardOpsKernels.cu).
TEST(GpuForms, AnAdjointInTheStorageTypeIsOneOfAnOperatorAtATime) {
  for (const DType type : {DType::f16, DType::bf16})
    for (const StoredAdjoint& stage : kStoredAdjoints) {
      const Rounded r{type};
      Simulated<float> s(fmt::format("{{y = {}}} rows=64 cols=61 fill=scaled:1.5 dtype={}",
                                     stage.call, name_of(type)));
      const Numbers<float> x = s.numbers("x"), dy = s.numbers("dy");
      std::map<std::string, Numbers<float>> right, wrong;
      for (std::size_t i = 0; i < x.size(); ++i) {
        right["y"].push_back(stage.value(x[i], r));
        right["d_x"].push_back(stage.adjoint(dy[i], x[i], r));
        wrong["d_x"].push_back(stage.wrong(dy[i], x[i], r));
      }
      EXPECT_EQ(s.all_bad("stored=all", right), 0) << stage.call << " " << name_of(type);
      EXPECT_GT(s.bad("", right).at("d_x"), 0) << stage.call << " " << name_of(type);
      EXPECT_GT(s.bad("stored=all", wrong).at("d_x"), 0) << stage.call << " " << name_of(type);
    }
}

/// softmax_backward_cuda_out multiplies dy and y in an operator of its own. One that subtracts 2%
/// too much is convicted.
TEST(GpuForms, ASoftmaxWhoseProductsAreStoredIsOneOfAnOperatorAtATime) {
  constexpr std::size_t kCols = 96;
  const Rounded r{DType::f16};
  Simulated<float> s("{y = softmax(x)} rows=64 cols=96 fill=scaled:4 dtype=f16");
  const Numbers<float> x = s.numbers("x"), dy = s.numbers("dy");
  Numbers<float> y, right, wrong;
  for (std::size_t first = 0; first < x.size(); first += kCols) {
    const float m = *std::max_element(&x[first], &x[first] + kCols);
    float total = 0, product = 0;
    for (std::size_t i = first; i < first + kCols; ++i) total += std::exp(x[i] - m);
    for (std::size_t i = first; i < first + kCols; ++i) {
      y.push_back(r(std::exp(x[i] - m) / total));
      product += r(dy[i] * y[i]);
    }
    for (std::size_t i = first; i < first + kCols; ++i) {
      right.push_back(r(r(dy[i] * y[i]) - y[i] * product));
      wrong.push_back(r(r(dy[i] * y[i]) - y[i] * product * 1.02F));
    }
  }
  EXPECT_EQ(s.all_bad("stored=all", {{"y", y}, {"d_x", right}}), 0);
  EXPECT_GT(s.bad("", {{"d_x", right}}).at("d_x"), 0);
  EXPECT_GT(s.bad("stored=all", {{"d_x", wrong}}).at("d_x"), 0);
}

}  // namespace
}  // namespace gradproof
