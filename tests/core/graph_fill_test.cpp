// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "core/case/case.h"
#include "core/graph/graph_case.h"

namespace gradproof {
namespace {

Tensor x_of(const std::string& text) {
  const Case c = parse_case(text, {});
  return make_graph_inputs(graph_of(c), c).at("x");
}

/// Mean over standard deviation, the least of all groups that a norm standardises.
double least_offset(const Tensor& x, std::int64_t groups,
                    const std::function<std::int64_t(std::int64_t)>& group_of) {
  std::vector<double> sums(static_cast<std::size_t>(groups));
  std::vector<double> squares(sums.size());
  std::vector<double> counts(sums.size());
  const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(group_of(i)); };
  for (std::int64_t i = 0; i < x.numel(); ++i) sums[at(i)] += x.at(i);
  for (std::int64_t i = 0; i < x.numel(); ++i) ++counts[at(i)];
  for (std::int64_t i = 0; i < x.numel(); ++i)
    squares[at(i)] += std::pow(x.at(i) - sums[at(i)] / counts[at(i)], 2);
  double least = INFINITY;
  for (std::size_t g = 0; g < sums.size(); ++g)
    least = std::min(least, std::abs(sums[g] / counts[g]) / std::sqrt(squares[g] / counts[g]));
  return least;
}

constexpr const char* kImages = " n=4 c=6 h=5 w=3 fill=offset:1e3 dtype=f64";

TEST(GraphFill, AnOffsetIsOneWithinWhatTheNormStandardises) {
  const Tensor batch = x_of(std::string("{y = batch_norm(x[n,c,h,w])}") + kImages);
  const auto channel = [](std::int64_t i) { return i / 15 % 6; };
  const auto sample = [](std::int64_t i) { return i / 90; };
  EXPECT_GT(least_offset(batch, 6, channel), 500);
  EXPECT_LT(least_offset(batch, 4, sample), 10);  // and channels have their own, of either sign

  const Tensor group = x_of(std::string("{y = group_norm(x[n,c,h,w], groups=2)}") + kImages);
  EXPECT_GT(least_offset(group, 8, [](std::int64_t i) { return i / 45; }), 500);

  const Tensor layer = x_of(std::string("{y = layer_norm(x[n,c,h,w], c, h, w)}") + kImages);
  EXPECT_GT(least_offset(layer, 4, sample), 500);

  const Tensor instance = x_of(std::string("{y = instance_norm(x[n,c,h,w])}") + kImages);
  EXPECT_GT(least_offset(instance, 24, [](std::int64_t i) { return i / 15; }), 500);
}

TEST(GraphFill, AnOffsetOfRowsAndColumnsIsWhatItWas) {
  const Tensor columns = x_of("{y = batch_norm(x)} rows=64 cols=5 fill=offset:1e3 dtype=f64");
  EXPECT_GT(least_offset(columns, 5, [](std::int64_t i) { return i % 5; }), 500);
  const Tensor rows = x_of("{y = layer_norm(x)} rows=5 cols=64 fill=offset:1e3 dtype=f64");
  EXPECT_GT(least_offset(rows, 5, [](std::int64_t i) { return i / 64; }), 500);
  const Tensor bits = x_of("{y = layer_norm(x)} fill=offset:10");
  EXPECT_EQ(bits.at(0), 0x1.c08dd4p+3) << "every replay line would change";
}

TEST(GraphFill, ACommonOffsetIsOneWithinEverything) {
  const auto all = [](std::int64_t) { return std::int64_t{0}; };
  const std::string line = "{y = softmax(x)} rows=7 cols=11 dtype=f64 fill=";
  EXPECT_GT(least_offset(x_of(line + "common:1e4"), 1, all), 5000);
  EXPECT_LT(least_offset(x_of(line + "offset:1e4"), 1, all), 10);
}

}  // namespace
}  // namespace gradproof
