// SPDX-License-Identifier: Apache-2.0
// Forms of norms whose one weight belongs to a group, against LibTorch's own.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// LibTorch multiplies BatchNorm's weight in last: beside cotangents whose sum leaves the range a
/// weight of 0 makes NaN of what is 0 in exact numbers, and in code that multiplies it in first.
TEST(NormForms, AWeightMultipliedInLastLeavesTheRangeBefore) {
  Ran ran("{y = batch_norm(x, weight, beta)} rows=8 cols=2 set=weight@0:0 dy=ones");
  for (std::int64_t i = 0; i < 16; ++i) ran.inputs.at("dy").set(i, 3e38);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
  ASSERT_TRUE(std::isnan(ran.got.at("d_x").at(0))) << "LibTorch's form is another than ours";
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0);
  const auto under = [&](const char* contract) {
    ran.claim.contract = graph_contract(ran.storage, parse_declared_contract(contract, ran.graph));
    return ran.judged().at("d_x").discrepancy.bad;
  };
  EXPECT_EQ(under(""), 0);
  EXPECT_EQ(under("weighting=last"), 0);
  EXPECT_EQ(under("weighting=last adjoint=standardized"), 0);
  EXPECT_GT(under("weighting=first adjoint=standardized"), 0);
}

/// The gradient of a scale in front of a BatchNorm nearly vanishes: the closed form's bound is that
/// much smaller, and a sum of products is outside.
TEST(NormForms, AScaleInFrontInClosedForm) {
  const char* line =
      "{v = scale(x[rows,cols], s[cols]); y = batch_norm(v)} rows=4096 cols=3 dy=normal";
  Ran ran(line);
  EXPECT_EQ(ran.judged().at("d_s").discrepancy.bad, 0);
  const DeclaredContract closed = parse_declared_contract("v.scale_gradient=closed", ran.graph);
  ran.claim.contract = graph_contract(ran.storage, closed);
  EXPECT_GT(ran.judged().at("d_s").discrepancy.bad, 0) << "LibTorch sums products";
  const std::vector<double> truth =
      truths_of_graph(ran.claim, ran.inputs, "d_s", ran.got.at("d_s")).truths.hi;
  for (std::int64_t i = 0; i < 3; ++i) ran.got.at("d_s").set(i, truth[static_cast<std::size_t>(i)]);
  EXPECT_EQ(ran.judged().at("d_s").discrepancy.bad, 0) << "the truth, rounded to float32";
}

}  // namespace
}  // namespace gradproof
