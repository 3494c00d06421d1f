// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/known_blocks.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/graph/contract/declared_contract.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

using AllJudged = std::map<std::string, Judged, std::less<>>;

/// Results of LibTorch that are judged by contracts one after the other.
struct Series {
  explicit Series(const std::string& line) : ran(line) {
    for (const auto& [name, tensor] : ran.got) got.emplace(name, &tensor);
  }
  AllJudged judged(const std::string& words, KnownBlocks* known) const {
    GraphClaim claim = ran.claim;
    claim.contract = graph_contract(ran.graph, types_of(ran.graph, ran.c),
                                    parse_declared_contract(words, ran.graph));
    return judge_graph(claim, ran.inputs, got, {.known = known});
  }

  Ran ran;
  JudgedTensors got;
};

void expect_same_figures(const AllJudged& found, const AllJudged& want, const std::string& what) {
  ASSERT_EQ(found.size(), want.size()) << what;
  for (const auto& [name, one] : want) {
    const Judged& same = found.at(name);
    EXPECT_EQ(same.discrepancy.bad, one.discrepancy.bad) << what << " " << name;
    EXPECT_EQ(same.discrepancy.max_ratio, one.discrepancy.max_ratio) << what << " " << name;
    EXPECT_EQ(same.discrepancy.resolution.whole, one.discrepancy.resolution.whole)
        << what << " " << name;
    EXPECT_EQ(same.escalated, one.escalated) << what << " " << name;
  }
}

const std::vector<std::string> kSeriesLines{
    "{y = gelu(x)} rows=70 cols=300",
    "{y = layer_norm(x, weight, bias)} rows=40 cols=33 fill=outlier:1e4",
    "{y = softmax(x)} rows=9 cols=17 fill=common:-1e4",
    "{y = batch_norm(scale(x, s[cols]), weight, bias)} rows=24 cols=5 dtype=f64",
    "{y = silu(linear(x, weight, bias))} rows=12 cols=20 out=7 dtype=bf16",
    "{h = add(x, residual); y = rms_norm(h, weight); outputs y h} rows=11 cols=19 dtype=f16"};
const std::vector<std::string> kSeriesContracts{"",
                                                "functions=any",
                                                "subnormals=flushed",
                                                "accumulation=f64",
                                                "stored=all functions=any",
                                                "scale_gradient=closed",
                                                ""};

/// The figures are those of an evaluation for each contract, also where an input is not finite.
TEST(KnownBlocks, ChangeNoFigure) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::string& line : kSeriesLines)
    for (const double planted : {0.5, kInfinity}) {
      Series series(line);
      Tensor& x = series.ran.inputs.at("x");
      x.set(x.numel() / 2, planted);
      KnownBlocks known;
      for (const std::string& words : kSeriesContracts)
        expect_same_figures(series.judged(words, &known), series.judged(words, nullptr),
                            line + " " + words);
    }
}

/// An infinite weight is multiplied in where the contract has it.
TEST(KnownBlocks, AreOfOnePlan) {
  Series series("{y = batch_norm(x, weight, bias)} rows=16 cols=6");
  series.ran.inputs.at("weight").set(2, std::numeric_limits<double>::infinity());
  KnownBlocks known;
  for (const std::string words : {"weighting=first", "weighting=last", "weighting=first"})
    expect_same_figures(series.judged(words, &known), series.judged(words, nullptr), words);
}

/// The control: with other inputs, which nobody may ask about, they still say the truths of the
/// first.
TEST(KnownBlocks, AreNotEvaluatedAgain) {
  Series series("{y = multiply(x, x)} rows=8 cols=8");
  KnownBlocks known;
  EXPECT_EQ(series.judged("", &known).at("y").discrepancy.bad, 0);
  Tensor& x = series.ran.inputs.at("x");
  for (std::int64_t i = 0; i < x.numel(); ++i) x.set(i, 2 * x.at(i));
  EXPECT_EQ(series.judged("", &known).at("y").discrepancy.bad, 0);
  EXPECT_GT(series.judged("", nullptr).at("y").discrepancy.bad, 0);
}

}  // namespace
}  // namespace gradproof
