// SPDX-License-Identifier: Apache-2.0
// Truths that stay from one Case of given tensors to the next: of the same question alone.
#include "judge/graph/last_truths.h"

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"

namespace gradproof {
namespace {

constexpr const char* kNorm = "{y = rms_norm(x, weight)} rows=4 cols=8";

Tensor steps_of(const Shape& shape, double step) {
  Tensor t(DType::f32, shape);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, step * static_cast<double>(i - 3));
  return t;
}

class LastTruthsTest : public testing::Test {
 protected:
  JudgedGraph judged(const std::string& text) {
    const Case c = parse_case(text + " inputs=none outputs=none", {});
    const Graph graph = graph_of(c);
    const GraphRun run{
        {graph, extents_of(graph, c), graph_contract(graph, types_of(graph, c), *declared_of(c))},
        inputs_,
        got_,
        "somebody"};
    GraphClaim claim = run.claim;
    claim.contract.bound = bound_;
    return last_.judged(c, claim, run);
  }

  LastTruths last_;
  ErrorBound bound_ = ErrorBound::likely;
  Tensors inputs_{
      {"x", steps_of({4, 8}, 0.5)}, {"weight", steps_of({8}, 1)}, {"dy", steps_of({4, 8}, 0.25)}};
  Tensors got_{{"y", steps_of({4, 8}, 1)}, {"d_x", steps_of({4, 8}, 1)}};
};

TEST_F(LastTruthsTest, AreThoseOfOtherTensorsOfTheSameNumbers) {
  const JudgedGraph first = judged(kNorm);
  got_.at("d_x").set(5, 100);
  const JudgedGraph second = judged(kNorm);
  EXPECT_EQ(second.truths.at("d_x"), first.truths.at("d_x"));
  EXPECT_NE(second.judged.at("d_x").discrepancy.max_ratio,
            first.judged.at("d_x").discrepancy.max_ratio);
  EXPECT_EQ(second.judged.at("y").discrepancy.max_ratio,
            first.judged.at("y").discrepancy.max_ratio);
  got_.erase("y");
  EXPECT_EQ(judged(kNorm).judged.size(), 1U);
}

TEST_F(LastTruthsTest, AreForgottenWhenTheQuestionIsAnother) {
  for (const char* other : {"{y = rms_norm(x, weight, eps=1e-3)} rows=4 cols=8",
                            "{y = rms_norm(x, weight)} rows=4 cols=8 contract=sums=pairwise",
                            "{y = rms_norm(x, weight)} rows=4 cols=8 dtypes=d_x:f16"}) {
    const JudgedGraph before = judged(kNorm);
    EXPECT_NE(judged(other).truths.at("y"), before.truths.at("y")) << other;
  }
  const JudgedGraph likely = judged(kNorm);
  bound_ = ErrorBound::certain;
  const JudgedGraph certain = judged(kNorm);
  EXPECT_NE(certain.truths.at("y"), likely.truths.at("y"));
  inputs_.at("dy").set(0, 7);
  const JudgedGraph with_other_numbers = judged(kNorm);
  EXPECT_NE(with_other_numbers.truths.at("y"), certain.truths.at("y"));
}

TEST_F(LastTruthsTest, AreEvaluatedWhereATensorHasNone) {
  const Tensor y = got_.at("y");
  got_.erase("y");
  judged(kNorm);
  got_.emplace("y", y);
  EXPECT_TRUE(judged(kNorm).truths.contains("y"));
}

TEST_F(LastTruthsTest, KnowWhichOfThemLibTorchAgreedWith) {
  const JudgedGraph first = judged(kNorm);
  EXPECT_FALSE(last_.has_agreed(first.truths.at("y")));
  last_.note_agreement(first.truths.at("y"));
  EXPECT_TRUE(last_.has_agreed(judged(kNorm).truths.at("y")));
  EXPECT_FALSE(last_.has_agreed(judged(kNorm).truths.at("d_x")));
  inputs_.at("x").set(0, 7);
  judged(kNorm);
  EXPECT_FALSE(last_.has_agreed(first.truths.at("y"))) << "they are no longer kept";
  last_.note_agreement(first.truths.at("y"));
  EXPECT_FALSE(last_.has_agreed(first.truths.at("y")));
}

}  // namespace
}  // namespace gradproof
