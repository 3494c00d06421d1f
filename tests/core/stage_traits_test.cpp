// SPDX-License-Identifier: Apache-2.0
// The traits that the table of stages gives (core/graph/stages.h), and what follows from them.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/claim/claim.h"
#include "core/error.h"
#include "core/graph/dependence.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

TEST(StageTraits, EveryStageHasItsRow) {
  std::set<std::string_view> words;
  for (const GraphStage& row : graph_stages()) {
    EXPECT_EQ(&graph_stage(row.word), &row) << row.word;
    EXPECT_TRUE(words.insert(row.word).second) << row.word << " stands twice";
    EXPECT_FALSE(row.formula.empty() || row.adjoint.empty() || row.libtorch.empty()) << row.word;
    EXPECT_FALSE(row.operands.empty()) << row.word;
  }
}

TEST(StageTraits, ABatchNormIsCurvedWhereItsStatisticsAreItsOwn) {
  EXPECT_TRUE(graph_stage("batch_norm").is_curved());
  EXPECT_FALSE(graph_stage("batch_norm_eval").is_curved());
  EXPECT_TRUE(graph_stage("group_norm").is_curved());
  EXPECT_TRUE(graph_stage("swish").is_curved());
  EXPECT_FALSE(graph_stage("scale").is_curved());
}

TEST(StageTraits, FactorsAndSummandsAreAffineInBothOperands) {
  const auto words = [](bool (GraphStage::*is)() const) {
    std::set<std::string_view> all;
    for (const GraphStage& row : graph_stages())
      if ((row.*is)()) all.insert(row.word);
    return all;
  };
  EXPECT_EQ(words(&GraphStage::is_factor), (std::set<std::string_view>{"multiply", "scale"}));
  EXPECT_EQ(words(&GraphStage::is_summand),
            (std::set<std::string_view>{"add", "bias", "subtract"}));
  EXPECT_EQ(words(&GraphStage::moves_statistic),
            (std::set<std::string_view>{"running_mean", "running_var"}));
}

TEST(StageTraits, AnExhaustiveRunBeginsWithTheIdentity) {
  for (const GraphStage& row : graph_stages())
    for (const StageOperand& operand : row.operands)
      if (!operand.exhaustive.empty()) {
        EXPECT_EQ(std::stod(std::string(operand.exhaustive.front())), operand.identity) << row.word;
      }
}

/// True if the gradient of the tensor depends on this operand of the step, by default the second.
bool depends(const char* graph, const char* tensor, std::size_t step, std::size_t operand = 1) {
  return gradient_depends(parse_graph(graph), tensor, {step, operand});
}

TEST(Dependence, OfGradientsIsThatOfTheDerivativesOnTheWay) {
  EXPECT_TRUE(depends("y = scale(x, p)", "x", 0));
  EXPECT_FALSE(depends("y = scale(x, p)", "p", 0));
  EXPECT_FALSE(depends("y = bias(x, p)", "x", 0));
  EXPECT_TRUE(depends("y = tanh(bias(x, p))", "x", 0));
  EXPECT_FALSE(depends("y = bias(tanh(x), p)", "x", 1));
  EXPECT_TRUE(depends("y = divide(x, p)", "p", 0));
  EXPECT_TRUE(depends("y = maximum(x, p)", "x", 0));
  EXPECT_FALSE(depends("y = bias(scale(x, q), p)", "q", 1));
  EXPECT_TRUE(depends("y = scale(bias(x, p), q)", "q", 0));
  EXPECT_FALSE(depends("y = scale(bias(x, p), q)", "x", 0));
}

TEST(Dependence, GoesAroundWhatIsDetached) {
  EXPECT_FALSE(depends("y = add(x, tanh(bias(detach(x), p)))", "x", 1));
  EXPECT_TRUE(depends("y = multiply(x, tanh(bias(detach(x), p)))", "x", 1));
}

TEST(Dependence, OfTwoUsesOneIsEnough) {
  EXPECT_TRUE(depends("h = bias(x, p); y = add(h, square(h))", "x", 0));
  EXPECT_FALSE(depends("h = bias(x, p); y = add(h, neg(h))", "x", 0));
}

TEST(Chain, AStepAloneTakesXAndGivesY) {
  Claim claim;
  claim.graph = parse_graph(
      "h = scale(x, s[]); n = batch_norm(h, weight, beta, eps=0.5); y = silu(n); "
      "m = running_mean(h, running_mean, momentum=0.25); v = running_var(h, running_var); "
      "outputs y m v");
  ASSERT_EQ(claim.chain().size(), 3u);
  EXPECT_TRUE(claim.update_running());
  EXPECT_TRUE(claim.batch_statistics());
  EXPECT_EQ(to_string(chain_part(claim, 0, 1)), "y = scale(x, s[])");
  EXPECT_EQ(to_string(chain_part(claim, 1, 2)),
            "y = batch_norm(x, weight, beta, eps=0.5); "
            "m = running_mean(x, running_mean, momentum=0.25); v = running_var(x, running_var)");
  EXPECT_EQ(to_string(chain_part(claim, 2, 3)), "y = silu(x)");
  for (std::size_t k = 0; k < 3; ++k) {
    const Graph part = chain_part(claim, k, k + 1);
    EXPECT_EQ(parse_graph(to_string(part)), part);
  }
}

TEST(Chain, GroupsFollowFromTheGraph) {
  Claim claim;
  claim.extents = {{"rows", 3}, {"cols", 12}};
  EXPECT_EQ(claim.groups(), 0);
  EXPECT_EQ(claim.blocks(), 12);
  claim.graph = parse_graph("y = group_norm(x, groups=4)");
  EXPECT_EQ(claim.groups(), 4);
  EXPECT_EQ(claim.block_width(), 3);
  claim.graph = with_groups(claim.graph, 6);
  EXPECT_EQ(claim.blocks(), 6);
  EXPECT_THROW(Claim().rows(), InstrumentError);
}

}  // namespace
}  // namespace gradproof
