// SPDX-License-Identifier: Apache-2.0
// The pairs at the published sizes. Minutes and gigabytes: only with GRADPROOF_PUBLISHED=1 in the
// environment.
#include <cstdlib>

#include "tests/support/pair_judged.h"
#include "tests/support/pair_support.h"

namespace gradproof {
namespace {

class PairPublished : public PairTest {
 protected:
  void SetUp() override {
    if (!std::getenv("GRADPROOF_PUBLISHED"))
      GTEST_SKIP() << "published sizes take minutes; set GRADPROOF_PUBLISHED=1";
  }
};
INSTANTIATE_TEST_SUITE_P(Pairs, PairPublished, testing::ValuesIn(pairs()), name_of_pair);

/// Tests 1, 2 and 4: seeded alike, then copied from a randomised one; both modes; buffers.
TEST_P(PairPublished, Allclose) {
  const at::NoGradGuard no_gradients;
  torch::manual_seed(1);
  const ModelPtr model = pair().published(false, Edition::published);
  torch::manual_seed(1);
  const ModelPtr fused = pair().published(true, Edition::published);
  const at::Tensor x = pair().inputs(2, Edition::published).at(0);
  for (const bool randomised : {false, true}) {
    if (randomised) {
      randomize(*model, 3);
      EXPECT_FALSE(close(fused->forward(x), model->forward(x), pair().tolerance));
      copy_weights(*model, *fused);
    }
    for (const bool training : {false, true}) {
      model->train(training);
      fused->train(training);
      EXPECT_TRUE(close(fused->forward(x), model->forward(x), pair().tolerance)) << training;
      EXPECT_EQ(differing(*fused, *model, pair().tolerance), "");
    }
  }
}

/// Test 3: every gradient of a step against the oracle, the Linear included.
TEST_P(PairPublished, AStepIsWithinItsBound) {
  if (!pair().whole) GTEST_SKIP() << "the oracle judges the pairs with one kernel";
  torch::manual_seed(1);
  const ModelPtr fused = pair().published(true, Edition::published);
  randomize(*fused, 3);
  const LinearRun run = run_step(*fused, values_of(pair().inputs(2, Edition::published).at(0)),
                                 [](const Tensor& z) { return values_of(at::randn(z.shape())); });
  const JudgedStep result = judged(run, fused->names());
  EXPECT_EQ(result.failed, "");
  RecordProperty("evidence", result.evidence);
}

}  // namespace
}  // namespace gradproof
