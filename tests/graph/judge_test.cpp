// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "tests/core/doubles.h"
#include "tests/graph/ran.h"
#include "tests/graph/stage_line.h"

namespace gradproof {
namespace {

class EachStage : public testing::TestWithParam<std::size_t> {};

TEST_P(EachStage, LibTorchIsWithinItsBoundAndAFaultIsNot) {
  const std::string line = line_of(graph_stages()[GetParam()]);
  for (const char* dtype : {"f32", "f64"}) {
    Ran ran(line + " dtype=" + dtype + " seed=3");
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(judged.discrepancy.bad, 0)
          << line << " " << name << " " << dtype << " " << judged.discrepancy.worst.got << " "
          << judged.discrepancy.worst.want << " ratio " << judged.discrepancy.max_ratio;
      EXPECT_EQ(judged.discrepancy.undecided, 0) << line << " " << name;
      Ran wrong = ran;
      Tensor& t = wrong.got.at(name);
      const std::int64_t at = t.numel() / 2;
      t.set(at, t.at(at) + 1e-2 * (1 + std::abs(t.at(at))));
      EXPECT_EQ(judge_graph(wrong.claim, wrong.inputs, wrong.got).at(name).discrepancy.bad, 1)
          << line << " " << name << " " << dtype;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graph, EachStage, testing::Range<std::size_t>(0, graph_stages().size()),
                         [](const auto& place) {
                           return std::string(graph_stages()[place.param].word);
                         });

TEST(JudgeGraph, AMissingMeanTermIsFound) {
  // The wrong dx of a softmax leaves out the sum: it is y dy.
  Ran ran("{y = softmax(x)} rows=4 cols=16");
  for (std::int64_t i = 0; i < 64; ++i)
    ran.got.at("d_x").set(i, ran.got.at("y").at(i) * ran.inputs.at("dy").at(i));
  EXPECT_GT(ran.judged().at("d_x").discrepancy.bad, 50);
}

/// exp reaches 2^87 here, and the other operand of the minimum is what counts.
TEST(JudgeGraph, AChoiceBesideAHugeNumberIsDecided) {
  const Ran ran(
      "{v1 = exp(x[rows,cols]); v2 = minimum(v1, t1[rows,cols]); v3 = sigmoid(v2)} rows=24 cols=39 "
      "fill=scaled:100 dy=normal seed=431");
  EXPECT_EQ(ran.judged().at("v3").discrepancy.undecided, 0);
}

/// Above 690 double-doubles do not know the exponential, and so not which one is the largest.
TEST(JudgeGraph, TheLargestOfUnknownNumbersIsUnknown) {
  Ran ran("{y = max_pool(exp(x[n,c,w]), window=2)} n=2 c=3 w=8 dtype=f64");
  ran.inputs.at("x").set(0, 695);
  ran.inputs.at("x").set(1, 689);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0);
}

/// The first of the two columns' logsumexp has no bound, so it may be the largest.
TEST(JudgeGraph, WhatHasNoBoundMayBeTheLargest) {
  Ran ran(
      "{v1 = multiply(x[n,w], 2000); v2 = logsumexp(v1, n); v3 = max(v2, w)} n=2 w=2 dtype=bf16");
  for (std::int64_t i = 0; i < 4; ++i) ran.inputs.at("x").set(i, i == 2 ? 1.0 : 0.9921875);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
  Ran other = ran;
  for (std::int64_t i = 0; i < 4; ++i)
    other.got.at("d_x").set(i, i % 2 == 1 ? ran.got.at("d_x").at(i - 1) : 0);
  EXPECT_EQ(other.judged().at("d_x").discrepancy.bad, 0);
}

/// LibTorch's softplus multiplies dy by e^x before it divides by e^x + 1: the product overflows.
TEST(JudgeGraph, SoftplusMayOverflowOnTheWay) {
  Ran ran("{y = softplus(x)} rows=2 cols=2");
  ran.inputs.at("x").set(0, 10);
  ran.inputs.at("dy").set(0, 1e38);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
  EXPECT_FALSE(std::isfinite(ran.got.at("d_x").at(0)));
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0);
  ran.got.at("d_x").set(1, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 1);
}

/// The result of oneDNN's GELU on AVX-512 is set by hand: other processors have other operators.
TEST(JudgeGraph, GeluMayOverflowBeforeItIsHalved) {
  Ran ran("{y = gelu(x)} rows=2 cols=2");
  ran.inputs.at("x").set(0, 2e38);
  ran.inputs.at("x").set(1, 1.6e38);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
  ran.got.at("y").set(0, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 0);
  ran.got.at("y").set(1, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 1) << "2 x is a finite number";
}

TEST(JudgeGraph, GeluMayGiveNoSubnormalBfloat16) {
  for (const char* dtype : {"bf16", "f32"}) {
    Ran ran(std::string("{y = gelu(x)} rows=2 cols=2 dtype=") + dtype);
    ran.inputs.at("x").set(0, 0x1p-127);
    ran.inputs.at("x").set(1, 0x1p-124);
    ran.inputs.at("dy").set(2, 0x1p-127);
    ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
    ran.got.at("y").set(0, 0);
    ran.got.at("d_x").set(2, 0);
    const bool narrow = ran.storage == DType::bf16;
    EXPECT_EQ(ran.judged().at("y").discrepancy.bad, narrow ? 0 : 1);
    EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, narrow ? 0 : 1);
    ran.got.at("y").set(1, 0);
    EXPECT_EQ(ran.judged().at("y").discrepancy.bad, narrow ? 1 : 2) << "a normal number";
  }
}

/// e^x - 1 of a tiny x is as small as its error: its logarithm may be NaN.
TEST(JudgeGraph, AnArgumentThatMayLeaveTheDomainHasNoBound) {
  Ran ran("{y = log(subtract(exp(x), 1))} rows=1 cols=2");
  ran.inputs.at("x").set(0, 1e-9);
  ran.inputs.at("x").set(1, 2);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, types_of(ran.graph, ran.c));
  ran.got.at("y").set(0, std::nan(""));
  EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 0);
  ran.got.at("y").set(1, std::nan(""));
  EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 1);
}

/// A number that a rounding may move is exactly 0, where log and the slope of sqrt are infinite.
TEST(JudgeGraph, ARoundingDecidesBetweenInfiniteAndFinite) {
  for (const char* line :
       {"{v = layer_norm(x[rows,cols]); w = sum(v, cols); u = abs(w); y = log(u)} rows=19 cols=27 "
        "fill=scaled:0.001 dy=dyadic seed=37",
        "{v = scale(x[n,c,h,w], t); w = sum(v, n); u = abs(w); y = sqrt(u)} n=5 c=4 h=4 w=6 "
        "dtype=f64 fill=dyadic seed=94",
        "{v = geglu(x[n,c,h,w], t[n,c,h,w]); w = softmax(v); u = group_norm(w, groups=4); "
        "a = abs(u); y = sqrt(a)} n=2 c=4 h=6 w=3 dtype=f64 fill=offset:1000 dy=dyadic seed=75"}) {
    const Ran ran(line);
    std::int64_t vacuous = 0;
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(judged.discrepancy.bad, 0) << line << " " << name;
      vacuous += judged.discrepancy.vacuous;
    }
    EXPECT_GT(vacuous, 0) << line;
  }
}

/// The control: where no rounding comes in between, 0 is 0 in every computation. Outside of the
/// domain all give NaN.
TEST(JudgeGraph, AnExactZeroLeavesNoChoice) {
  Ran ran("{y = log(abs(x[rows,cols]))} rows=2 cols=3");
  ran.inputs.at("x").set(1, 0);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, types_of(ran.graph, ran.c));
  EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 0);
  for (const double wrong : {-100.0, kInf, kNan}) {
    ran.got.at("y").set(1, wrong);
    EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 1) << wrong;
  }
  for (const char* line : {"{y = log(x)} rows=1 cols=2", "{y = sqrt(x)} rows=1 cols=2"}) {
    Ran outside(line);
    outside.inputs.at("x").set(0, -2);
    outside.inputs.at("x").set(1, 2);
    outside.got =
        graph_in_libtorch(outside.graph, outside.inputs, types_of(outside.graph, outside.c));
    EXPECT_EQ(outside.judged().at("y").discrepancy.bad, 0) << line;
    outside.got.at("y").set(0, -kInf);
    EXPECT_EQ(outside.judged().at("y").discrepancy.bad, 1) << line;
  }
}

TEST(JudgeGraph, LabelsOutOfRangeAreRefused) {
  Ran ran("{y = nll_loss(x, labels)} rows=4 cols=16");
  ran.inputs.at("labels").set(2, 16);
  EXPECT_THROW(ran.judged(), UsageError);
  try {  // before LibTorch, whose message names neither tensor nor choices
    Ran("{y = nll_loss(x, labels)} rows=4 cols=16 set=labels@2:16");
    ADD_FAILURE() << "a label of 16 was taken";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "label 16 of 'labels' at [2] is no class: 0 to 15");
  }
}

TEST(JudgeGraph, GroupsThatDoNotDivideAreRefused) {
  EXPECT_THROW(Ran("{y = group_norm(x, groups=3)} cols=8"), UsageError);
}

// cos and sin lack an axis in the middle of x, as in attention with heads.
TEST(Graph, RotaryRepeatsCosAndSinAlongAnyAxis) {
  Ran ran("{y = rotary(x[t,h,d], cos[t,d], sin[t,d])} t=3 h=2 d=4 seed=3");
  for (const auto& [name, judged] : ran.judged())
    EXPECT_EQ(judged.discrepancy.bad, 0) << name << " " << judged.discrepancy.worst.want;
  const auto at = [&](const char* name, std::int64_t i) { return ran.inputs.at(name).at(i); };
  // The element is [2,1,0] of x, whose other half is [2,1,2].
  EXPECT_NEAR(ran.got.at("y").at(20), at("x", 20) * at("cos", 8) - at("x", 22) * at("sin", 8),
              1e-5 * (std::abs(at("x", 20)) + std::abs(at("x", 22))));
  // The control takes cos and sin of the heads, as if these were tokens.
  const Graph of_heads = parse_graph("y = rotary(x[t,h,d], cos[h,d], sin[h,d])");
  Tensors inputs = ran.inputs;
  for (const char* name : {"cos", "sin"}) {
    Tensor rows(DType::f32, Shape{2, 4});
    for (std::int64_t i = 0; i < rows.numel(); ++i) rows.set(i, at(name, i));
    inputs.insert_or_assign(name, rows);
  }
  ran.got = {{"y", graph_in_libtorch(of_heads, inputs, {of_heads, DType::f32}).at("y")}};
  EXPECT_GT(ran.judged().at("y").discrepancy.bad, 0);
}

}  // namespace
}  // namespace gradproof
