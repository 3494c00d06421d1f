// SPDX-License-Identifier: Apache-2.0
// The shortest chain of additions that a run's tensors are consistent with.
#include "judge/graph/chains/consistent_chains.h"

#include <random>

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"

namespace gradproof {
namespace {

constexpr std::int64_t kHeight = 8, kWidth = 2048;

/// 8 rows of 2048 numbers between 0 and 1, which roundings of one sign accumulate in.
std::vector<float> numbers() {
  std::mt19937_64 draw(3);
  std::uniform_real_distribution<float> number;
  std::vector<float> all(kHeight * kWidth);
  for (float& x : all) x = number(draw);
  return all;
}

Tensor tensor_of(const Shape& shape, const std::vector<float>& from) {
  Tensor t(DType::f32, shape);
  for (std::size_t i = 0; i < from.size(); ++i)
    t.set(static_cast<std::int64_t>(i), static_cast<double>(from[i]));
  return t;
}

/// The row's sum by so many lanes, which are then added one after the other.
float sum_in_lanes(const float* row, std::int64_t count) {
  std::vector<float> lanes(static_cast<std::size_t>(count));
  for (std::int64_t j = 0; j < kWidth; ++j) lanes[static_cast<std::size_t>(j % count)] += row[j];
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

/// y = sum(x, cols) by somebody who says `contract`.
class SumOfRows {
 public:
  explicit SumOfRows(std::int64_t lanes, float factor = 1) {
    const std::vector<float> x = numbers();
    std::vector<float> y;
    for (std::int64_t row = 0; row < kHeight; ++row)
      y.push_back(factor * sum_in_lanes(x.data() + row * kWidth, lanes));
    x_ = tensor_of({kHeight, kWidth}, x);
    y_ = tensor_of({kHeight}, y);
  }

  GraphRun run(const Case& c) const {
    const Graph graph = graph_of(c);
    return {
        {graph, extents_of(graph, c), graph_contract(graph, types_of(graph, c), *declared_of(c))},
        {{"x", x_}},
        {{"y", y_}},
        "somebody"};
  }
  static Case case_of(const std::string& contract) {
    return parse_case("{y = sum(x[rows,cols], cols)} rows=8 cols=2048 inputs=none outputs=none" +
                          (contract.empty() ? "" : " contract=" + contract),
                      {});
  }

  SumChains chains(const std::string& contract = "") const {
    const Case c = case_of(contract);
    const GraphRun all = run(c);
    return consistent_chains(c, all, judged_run(c, all));
  }
  std::int64_t over_certain(std::int64_t chain) const {
    const Case c = case_of("bound=certain,sums=chain:" + std::to_string(chain));
    const GraphRun all = run(c);
    return judged_run(c, all).at("y").judged.discrepancy.bad;
  }

 private:
  Tensor x_, y_;
};

TEST(ConsistentChains, OneAfterTheOtherIsLongerThanInLanes) {
  const SumChain lanes = SumOfRows(64).chains().at("y");
  EXPECT_EQ(lanes, (SumChain{ChainSource::consistent, 11, kWidth - 1})) << "a binary tree's";
  const SumOfRows chain(1);
  const SumChain found = chain.chains().at("y");
  EXPECT_GT(found.additions, lanes.additions);
  EXPECT_LT(found.additions, kWidth - 1);
  EXPECT_EQ(chain.over_certain(found.additions), 0);
  EXPECT_GT(chain.over_certain(found.additions * 3 / 4), 0) << "control: a shorter one convicts";
}

// 2^-17 of the sum is 128 roundings at its own size: the certain bound counts a chain so long.
TEST(ConsistentChains, IsLongWhereTheErrorIsLarge) {
  const SumChain found = SumOfRows(64, 1 + 0x1p-17F).chains("bound=certain").at("y");
  EXPECT_GT(found.additions, 100);
  EXPECT_LT(found.additions, 160);
}

TEST(ConsistentChains, AreOfPassesInAnyOrder) {
  EXPECT_TRUE(SumOfRows(64).chains().contains("y"));
  EXPECT_TRUE(SumOfRows(64).chains("sums=lanes:64").empty()) << "its order is declared";
  EXPECT_TRUE(SumOfRows(64, 1.01F).chains("bound=certain").empty()) << "it is Failed";
  EXPECT_FALSE(SumOfRows(64, 1 + 0x1p-17F).chains().empty()) << "it is Improbable";
}

TEST(ConsistentChains, AreAskedForInRunsOfModerateSizeAlone) {
  const Case c =
      parse_case("{y = sum(x[rows,cols], cols)} rows=65537 cols=4 inputs=none outputs=none", {});
  const Graph graph = graph_of(c);
  const auto chains_of_rows = [&](std::int64_t rows) {
    const std::vector<float> ones(static_cast<std::size_t>(rows * 4), 1);
    const std::vector<float> fours(static_cast<std::size_t>(rows), 4);
    const GraphRun run{{graph,
                        {{"rows", rows}, {"cols", 4}},
                        graph_contract(graph, types_of(graph, c), *declared_of(c))},
                       {{"x", tensor_of({rows, 4}, ones)}},
                       {{"y", tensor_of({rows}, fours)}},
                       "somebody"};
    return consistent_chains(c, run, judged_run(c, run));
  };
  EXPECT_TRUE(chains_of_rows(65537).empty());
  EXPECT_TRUE(chains_of_rows(65536).contains("y"));
}

TEST(ConsistentChains, TextSaysWhatItIs) {
  EXPECT_EQ(chain_text({ChainSource::consistent, 24, 4095}),
            "consistent with chains of 24 additions or more of 4095");
  EXPECT_EQ(chain_text({ChainSource::consistent, 63, 63}),
            "consistent with no chain shorter than 63 additions");
  EXPECT_EQ(chain_text({ChainSource::measured, 40, 767}), "sums: 40 additions at most, measured");
}

}  // namespace
}  // namespace gradproof
