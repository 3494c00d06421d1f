// SPDX-License-Identifier: Apache-2.0
// Passes that say nothing about a parameter: which tensors are doubted, and that no others are.
#include "judge/trust.h"

#include <set>

#include <gtest/gtest.h>

#include "core/case/case.h"
#include "core/graph/graph_case.h"
#include "judge/check_case.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

using Names = std::set<std::string>;

/// The tensors that are Mistrusted for this reason; all others passed, but for those that are one
/// constant.
Names doubted(const std::string& text, const std::string& reason) {
  Names names;
  for (const Record& r : check_case(test_systems(), read_case(text))) {
    if (r.verdict.outcome == Outcome::passed || r.discrepancy().constant_would_pass) continue;
    EXPECT_EQ(r.verdict.outcome, Outcome::mistrusted) << r.tensor << ": " << r.verdict.reason;
    EXPECT_EQ(r.verdict.reason, reason) << r.tensor;
    names.insert(r.tensor);
  }
  return names;
}

constexpr const char* kNone = "none is expected";

TEST(Variation, AnAffineWeightThatIsTheSameForAllChannels) {
  const std::string keys = "batchnorm_bias_divide_swish rows=9 cols=2 set=weight@0:0.75;weight@1:";
  EXPECT_EQ(doubted(keys + "0.75", "weight is 0.75 everywhere: a wrong index would pass"),
            (Names{"y", "d_x", "d_weight", "d_beta", "d_bias"}));
  EXPECT_EQ(doubted(keys + "0.875", kNone), Names{});
}

TEST(Variation, WhatIsAddedShowsInGradientsOnlyWhereSomethingBends) {
  const std::string last = "scale_batchnorm rows=9 cols=2 eps=1 set=beta@0:0.5;beta@1:";
  EXPECT_EQ(doubted(last + "0.5", "beta is 0.5 everywhere: a wrong index would pass"), Names{"y"});
  EXPECT_EQ(doubted(last + "0.25", kNone), Names{});
  const std::string bent = "batchnorm_bias_divide_swish rows=9 cols=2 set=beta@0:0.5;beta@1:";
  EXPECT_EQ(doubted(bent + "0.5", "beta is 0.5 everywhere: a wrong index would pass"),
            (Names{"y", "d_x", "d_weight", "d_beta", "d_bias"}));
}

TEST(Variation, AnIdentity) {
  const std::string keys = "scale_batchnorm rows=9 cols=2 eps=1 set=scale@0:1;scale@1:";
  EXPECT_EQ(
      doubted(keys + "1", "scale is 1 everywhere: a kernel without it would pass"),
      (Names{"y", "mean", "rstd", "running_mean", "running_var", "d_x", "d_scale", "d_weight"}));
  EXPECT_EQ(doubted(keys + "2", kNone), Names{});
  const std::string bias = "swish_bias rows=9 cols=1 set=bias@0:";
  EXPECT_EQ(doubted(bias + "0", "bias is 0 everywhere: a kernel without it would pass"),
            Names{"y"});
  EXPECT_EQ(doubted(bias + "0.5", kNone), Names{});  // of one channel: no index
}

TEST(Variation, ADivisionByOne) {
  const std::string keys = "bias_divide_swish rows=9 cols=3 divide=";
  EXPECT_EQ(doubted(keys + "1", "divide is 1: a kernel without it would pass"),
            (Names{"y", "d_x", "d_bias"}));
  EXPECT_EQ(doubted(keys + "2", kNone), Names{});
}

TEST(Variation, RunningStatisticsInEvalAndInTraining) {
  const std::string keys = " rows=9 cols=2 set=running_mean@0:0.5;running_mean@1:";
  const std::string reason = "running_mean is 0.5 everywhere: a wrong index would pass";
  // mean is the constant itself, and says so.
  EXPECT_EQ(doubted("scale_batchnorm mode=eval" + keys + "0.5", reason), (Names{"y", "d_weight"}));
  EXPECT_EQ(doubted("scale_batchnorm mode=train" + keys + "0.5", reason), Names{"running_mean"});
  EXPECT_EQ(doubted("scale_batchnorm mode=eval" + keys + "1", kNone), Names{});
  EXPECT_EQ(doubted("scale_batchnorm mode=train" + keys + "1", kNone), Names{});
}

TEST(Variation, AMomentumThatHidesAWrongUpdate) {
  const Names buffers{"running_mean", "running_var"};
  const std::string keys = "scale_batchnorm rows=9 cols=3 momentum=";
  EXPECT_EQ(doubted(keys + "0", "momentum is 0: a kernel that never updates would pass"), buffers);
  EXPECT_EQ(doubted(keys + "0.5", "momentum is 0.5: a kernel that exchanges the shares would pass"),
            buffers);
  EXPECT_EQ(doubted(keys + "1", "momentum is 1: a kernel that forgets the old number would pass"),
            buffers);
  EXPECT_EQ(doubted(keys + "0.75", kNone), Names{});
  EXPECT_EQ(doubted(keys + "none", kNone), Names{});
  EXPECT_EQ(doubted("scale_batchnorm mode=eval rows=9 cols=3 momentum=1", kNone), Names{});
}

/// Outputs and gradients of a graph of which this is said where they are somebody's own; of others
/// nothing.
Names doubted_of(const std::string& text, const std::string& reason) {
  const Case c = parse_case(text, {});
  const Graph graph = graph_of(c);
  const Tensors inputs = make_graph_inputs(graph, c);
  Names judged(graph.outputs.begin(), graph.outputs.end());
  for (const GraphTensor& t : graph.tensors) judged.insert("d_" + t.name);
  Names names;
  for (const std::string& tensor : judged) {
    const std::string lack = reason_to_mistrust_given(graph, inputs, tensor);
    if (lack.find(reason) != std::string::npos)
      names.insert(tensor);
    else
      EXPECT_EQ(lack, "") << tensor;
  }
  return names;
}

TEST(Variation, ACotangentThatIsTheSameEverywhere) {
  const std::string reason = "dy is 1 everywhere: a wrong index would pass";
  // d_bias is one constant then, which is said of it.
  EXPECT_EQ(doubted("swish_bias rows=9 cols=3 dy=ones", reason), Names{"d_x"});
  EXPECT_EQ(doubted("swish_bias rows=9 cols=3 dy=normal", kNone), Names{});
  EXPECT_EQ(doubted_of("{y = multiply(a[n], b[n])} n=5 dy=ones", reason), (Names{"d_a", "d_b"}));
  EXPECT_EQ(doubted_of("{y = multiply(a[n], b[n])} n=1 dy=ones", kNone), Names{});  // no index
  const std::string pair = "{y = tanh(a[n])} n=2 set=dy@0:0.5;dy@1:";
  EXPECT_EQ(doubted_of(pair + "0.5", "dy is 0.5 everywhere: a wrong index would pass"),
            Names{"d_a"});
  EXPECT_EQ(doubted_of(pair + "0.25", kNone), Names{});
}

/// Gradients that do not take it are not doubted for it, and zeros are of an output without a loss.
TEST(Variation, ACotangentOfAnotherOutput) {
  const std::string keys = "{y = tanh(a[n]); z = multiply(a, b[n]); outputs y z} n=2 set=dy@0:";
  EXPECT_EQ(doubted_of(keys + "1;dy@1:1", "dy is 1 everywhere: a wrong index would pass"),
            Names{"d_a"});
  EXPECT_EQ(doubted_of(keys + "1;dy@1:2", kNone), Names{});
  EXPECT_EQ(doubted_of(keys + "0;dy@1:0", kNone), Names{});
}

TEST(Variation, TwoOperandsWithTheSameNumbers) {
  const std::string reason = "a kernel that confuses them would pass";
  const std::string set = "(a[n], b[n])} n=2 set=a@0:0.5;a@1:0.25;b@0:0.5;b@1:";
  EXPECT_EQ(doubted_of("{y = multiply" + set + "0.25", reason), (Names{"y", "d_a", "d_b"}));
  EXPECT_EQ(doubted_of("{y = multiply" + set + "0.75", kNone), Names{});
  EXPECT_EQ(doubted_of("{y = add" + set + "0.25", reason), Names{"y"});  // gradients are dy alone
  const std::string product =
      "{y = sum(multiply(q[m,d], k[n,d]), d)} m=1 n=1 d=2 set=q@0,0:2;q@0,1:3;k@0,0:2;k@0,1:";
  EXPECT_EQ(doubted_of(product + "3", reason), (Names{"y", "d_q", "d_k"}));
  EXPECT_EQ(doubted_of(product + "4", kNone), Names{});
}

/// A factor of the line and a bias of zeros are what the code has that was run, and no doubt of it.
TEST(Variation, OfGivenTensorsNumbersAndParametersAreNotDoubted) {
  EXPECT_EQ(doubted_of("{y = divide(x[rows,cols], 1)} rows=4 cols=3", kNone), Names{});
  EXPECT_EQ(doubted_of("{y = bias(tanh(x[rows,cols]), b)} rows=4 cols=2 set=b@0:0;b@1:0", kNone),
            Names{});
}

}  // namespace
}  // namespace gradproof
