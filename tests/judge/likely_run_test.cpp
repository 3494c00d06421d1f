// SPDX-License-Identifier: Apache-2.0
// Tensors between the likely and the certain error are Improbable, whole tensors too, and what is
// declared changes it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"
#include "judge/graph/judged_run.h"
#include "oracles/graph/likely/whole_tensor.h"

namespace gradproof {
namespace {

Tensor tensor_of(const Shape& shape, const std::vector<float>& numbers) {
  Tensor t(DType::f32, shape);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    t.set(static_cast<std::int64_t>(i), static_cast<double>(numbers[i]));
  return t;
}

std::vector<float> normal(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::normal_distribution<float> number;
  std::vector<float> all(count);
  for (float& x : all) x = number(draw);
  return all;
}

/// The verdict on an output or a gradient of a line, computed by somebody who declares `contract`.
Verdict verdict_on(const std::string& line, const Tensors& inputs, const std::string& name,
                   const Tensor& got, const std::string& contract = "") {
  const Case c = parse_case(
      line + " inputs=none outputs=none" + (contract.empty() ? "" : " contract=" + contract), {});
  const Graph graph = graph_of(c);
  const GraphRun run{
      {graph, extents_of(graph, c), graph_contract(graph, types_of(graph, c), *declared_of(c))},
      inputs,
      {{name, got}},
      "somebody"};
  return verdict_of(judged_run(c, run).at(name));
}

float in_tf32(float x) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & 0xffffe000U);
}

/// The product x weight^T over K = 4096, 8 by 8, in sums of 64 lanes that are added in a row.
class LikelyProduct : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 8, kLength = 4096;

  template <class Round>
  Tensor product(const Round& round) const {
    std::vector<float> y;
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t out = 0; out < kRows; ++out) {
        float lanes[64] = {};
        for (std::size_t k = 0; k < kLength; ++k)
          lanes[k % 64] += round(x_[row * kLength + k]) * round(w_[out * kLength + k]);
        float sum = 0;
        for (const float lane : lanes) sum += lane;
        y.push_back(sum);
      }
    return tensor_of({kRows, kRows}, y);
  }
  Verdict verdict(const Tensor& y, const std::string& contract = "") const {
    return verdict_on("{y = linear(x, w[out,cols])} rows=8 cols=4096 out=8 dtype=f32", inputs_, "y",
                      y, contract);
  }

  std::vector<float> x_ = normal(kRows * kLength, 1);
  std::vector<float> w_ = normal(kRows * kLength, 2);
  Tensors inputs_{{"x", tensor_of({kRows, kLength}, x_)}, {"w", tensor_of({kRows, kLength}, w_)}};
};

TEST_F(LikelyProduct, PassesInFloat32) {
  const Tensor y = product([](float x) { return x; });
  EXPECT_EQ(verdict(y).outcome, Outcome::passed);
  EXPECT_EQ(verdict(y, "bound=certain").outcome, Outcome::passed);
}

TEST_F(LikelyProduct, IsImprobableInTf32) {
  const Tensor y = product(in_tf32);
  const Verdict found = verdict(y);
  EXPECT_EQ(found.outcome, Outcome::improbable);
  EXPECT_NE(found.reason.find("times; that is 0."), std::string::npos) << found.reason;
  EXPECT_TRUE(is_wrong(found.outcome));
  EXPECT_FALSE(is_wrong(verdict(y, "bound=certain").outcome));
}

TEST_F(LikelyProduct, FailsInTf32WhereItsSumsAreDeclared) {
  EXPECT_EQ(verdict(product(in_tf32), "sums=chain:127").outcome, Outcome::failed);
  EXPECT_EQ(verdict(product([](float x) { return x; }), "sums=chain:127").outcome, Outcome::passed);
}

/// The RMSNorm of the rows of x, with 32 lanes in each sum.
Tensor rms_norm(const std::vector<float>& x, std::size_t rows, float eps) {
  const std::size_t length = x.size() / rows;
  std::vector<float> y(x.size());
  for (std::size_t row = 0; row < rows; ++row) {
    float lanes[32] = {};
    for (std::size_t k = 0; k < length; ++k)
      lanes[k % 32] += x[row * length + k] * x[row * length + k];
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    const float rstd = 1 / std::sqrt(sum / static_cast<float>(length) + eps);
    for (std::size_t k = 0; k < length; ++k) y[row * length + k] = x[row * length + k] * rstd;
  }
  return tensor_of({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(length)}, y);
}

TEST(LikelyNorm, AnEpsThatNoElementShowsIsSeenInAllOfThem) {
  const std::vector<float> x = normal(16 * 8192, 3);
  const Tensors inputs{{"x", tensor_of({16, 8192}, x)}};
  const std::string line = "{y = rms_norm(x, eps=1e-6)} rows=16 cols=8192 dtype=f32";
  EXPECT_EQ(verdict_on(line, inputs, "y", rms_norm(x, 16, 1e-6F)).outcome, Outcome::passed);
  const Verdict wrong = verdict_on(line, inputs, "y", rms_norm(x, 16, 1e-5F));
  EXPECT_EQ(wrong.outcome, Outcome::improbable);
  EXPECT_NE(wrong.reason.find("typical errors off in root mean square"), std::string::npos)
      << wrong.reason;
}

constexpr std::size_t kLogits = 4096;

/// Appends the d_x that autograd gives for a row's exp(x - amax(x)) over its sum, amax included.
void add_gradients(const float* x, const float* dy, std::vector<float>& d_x) {
  const float* const largest = std::max_element(x, x + kLogits);
  std::vector<float> t;
  float sum = 0, with_dy = 0, back = 0;
  for (std::size_t k = 0; k < kLogits; ++k) sum += t.emplace_back(std::exp(x[k] - *largest));
  for (std::size_t k = 0; k < kLogits; ++k) with_dy += dy[k] * (t[k] / sum) / sum;
  for (std::size_t k = 0; k < kLogits; ++k)
    back -= d_x.emplace_back((dy[k] / sum - with_dy) * t[k]);
  d_x[d_x.size() - kLogits + static_cast<std::size_t>(largest - x)] += back;
}

/// The roundings of a whole row stand at its largest number.
TEST(LikelySoftmax, PassesWhereItsMaximumIsDifferentiated) {
  std::vector<float> x = normal(16 * kLogits, 4), d_x;
  const std::vector<float> dy = normal(16 * kLogits, 5);
  for (float& number : x) number = 1 / (1 + number * number);
  for (std::size_t first = 0; first < x.size(); first += kLogits)
    add_gradients(&x[first], &dy[first], d_x);
  const Shape shape{16, kLogits};
  const Tensors inputs{{"x", tensor_of(shape, x)}, {"dy", tensor_of(shape, dy)}};
  const auto outcome = [&](const std::string& contract) {
    return verdict_on("{y = softmax(x)} rows=16 cols=4096 dtype=f32", inputs, "d_x",
                      tensor_of(shape, d_x), contract)
        .outcome;
  };
  EXPECT_EQ(outcome(""), Outcome::passed);
  EXPECT_EQ(outcome("maximum_gradient=followed"), Outcome::passed);
  EXPECT_EQ(outcome("maximum_gradient=none"), Outcome::improbable);
}

TEST(WholeTensor, CountsElementsThatMayShareAnErrorOnce) {
  const auto groups = [](const std::string& line, const std::string& tensor) {
    const Case c = parse_case(line, {});
    const Graph graph = graph_of(c);
    return independent_groups({graph, extents_of(graph, c), {}}, tensor);
  };
  const std::string norm = "{y = rms_norm(x, w)} rows=16 cols=64 dtype=f32";
  EXPECT_EQ(groups(norm, "y"), 16);
  EXPECT_EQ(groups(norm, "d_x"), 16);
  EXPECT_EQ(groups(norm, "d_w"), 1);
  EXPECT_EQ(groups("{y = tanh(x)} rows=16 cols=64 dtype=f32", "y"), 16 * 64);
  const std::string product = "{h = linear(x, w[out,cols]); y = tanh(h)} rows=16 cols=64 out=8";
  EXPECT_EQ(groups(product, "y"), 16);
  EXPECT_EQ(groups(product, "d_w"), 1);
}

TEST(WholeTensor, HasTheQuantilesOfChiSquare) {
  // For one number 7.13 would be enough: the approximation is wide there.
  EXPECT_NEAR(most_root_mean_square(1), 8.28, 0.01);
  EXPECT_NEAR(most_root_mean_square(16), 2.45, 0.01);
  EXPECT_NEAR(most_root_mean_square(1000000), 1.005, 0.001);
}

}  // namespace
}  // namespace gradproof
