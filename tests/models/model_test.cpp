// SPDX-License-Identifier: Apache-2.0
// The pairs from outside: outputs, buffers and state of Model and ModelNew. Every comparison has a
// control beside it that it must fail on.
#include "tests/support/pair_support.h"

namespace gradproof {
namespace {

using PairModel = PairTest;
INSTANTIATE_TEST_SUITE_P(Pairs, PairModel, testing::ValuesIn(pairs()), name_of_pair);

/// The older edition as it is published: both models under one seed, and one input.
TEST_P(PairModel, AllcloseAtThePublishedInitialisation) {
  for (const bool training : {true, false}) {
    torch::manual_seed(1);
    const ModelPtr model = pair().published(false, Edition::older);
    torch::manual_seed(1);
    const ModelPtr fused = pair().published(true, Edition::older);
    model->train(training);
    fused->train(training);
    const at::Tensor x = pair().inputs(2, Edition::older).at(0);
    EXPECT_TRUE(close(fused->forward(x), model->forward(x), pair().tolerance)) << training;
    EXPECT_EQ(differing(*fused, *model, pair().tolerance), "");
    EXPECT_FALSE(
        close(fused->forward(x + 1e-2 * at::randn_like(x)), model->forward(x), pair().tolerance))
        << "any input would do";
  }
}

TEST_P(PairModel, AllcloseWithParametersThatAreNoIdentities) {
  for (const Size& size : pair().sizes) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(std::to_string(size.batch) + (training ? " rows, training" : " rows, eval"));
      const Built b(pair(), size);
      for (LinearModel* m : b.both()) m->train(training);
      const at::Tensor x = input(size, 3);
      const at::Tensor want = b.model->forward(x);
      EXPECT_TRUE(close(b.fused->forward(x), want, pair().tolerance));
      EXPECT_EQ(differing(*b.fused, *b.model, pair().tolerance), "");
      const at::NoGradGuard no_gradients;
      for (auto& item : b.fused->named_parameters()) {
        if (item.key().starts_with(b.fused->names().linear)) continue;
        const at::Tensor kept = item.value().clone();
        item.value().copy_(kept.flip(-1));  // each column's number given to another column
        EXPECT_FALSE(close(b.fused->forward(x), want, pair().tolerance))
            << "the comparison sees no wrong " << item.key();
        item.value().copy_(kept);
      }
    }
  }
}

TEST_P(PairModel, EveryVectorShapeWorks) {
  const Size size = pair().sizes[1];
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{1}, {size.out_features}, {1, size.out_features}}) {
    SCOPED_TRACE(shape.size() == 2 ? "row" : std::to_string(shape[0]));
    const Built b(pair(), size, shape);
    const at::Tensor x = input(size, 3);
    const at::Tensor want = b.model->forward(x);
    EXPECT_TRUE(close(b.fused->forward(x), want, pair().tolerance));
    const at::NoGradGuard no_gradients;
    const at::Tensor vector = state_dict(*b.fused).at(b.fused->names().attribute);
    EXPECT_EQ(vector.sizes(), at::IntArrayRef(shape));
    vector.mul_(-1);
    // One bias for all before a norm: the norm takes it out again.
    const bool invisible = vector.numel() == 1 && pair().name.starts_with("P37");
    EXPECT_EQ(close(b.fused->forward(x), want, pair().tolerance), invisible)
        << "a wrong " << b.fused->names().attribute;
  }
}

TEST_P(PairModel, WhatChangesLaterCountsAtOnce) {
  const Size size = pair().sizes[1];
  const at::Tensor x = input(size, 1);
  for (std::size_t i = 0; i < pair().changes.size(); ++i) {
    SCOPED_TRACE(i);
    const Built b(pair(), size);
    const at::Tensor unchanged = b.fused->forward(x);
    pair().changes[i](*b.model);
    EXPECT_FALSE(close(unchanged, b.model->forward(x), pair().tolerance))
        << "the change shows nowhere";
    pair().changes[i](*b.fused);
    copy_weights(*b.model, *b.fused);
    EXPECT_TRUE(close(b.fused->forward(x), b.model->forward(x), pair().tolerance));
  }
}

/// mean/std of 30 before the norm, by the Linear's bias: one-pass variance would show.
TEST_P(PairModel, AllcloseFarFromZero) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  {
    const at::NoGradGuard no_gradients;
    for (LinearModel* m : b.both()) m->linear()->bias.add_(20);
  }
  const at::Tensor x = input(size, 3);
  const at::Tensor want = b.model->forward(x);
  EXPECT_TRUE(close(b.fused->forward(x), want, 1e-4));
  EXPECT_FALSE(close(b.fused->forward(-x), want, 1e-4));
}

TEST_P(PairModel, NoRowsWorkAsInLibTorch) {
  const Size size = pair().sizes.back();
  const Built b(pair(), size);
  const auto step = [&](LinearModel& model) {
    const at::Tensor y = model.forward(at::empty({0, size.in_features}));
    y.sum().backward();
    return y;
  };
  EXPECT_EQ(step(*b.fused).sizes(), step(*b.model).sizes());
  EXPECT_EQ(differing(*b.fused, *b.model, 0), "");
  for (const auto& item : b.fused->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_EQ(item.value().grad().abs().sum().item<float>(), 0) << item.key();
  }
}

TEST_P(PairModel, RefusesWhatItCannotDo) {
  const Size size = pair().sizes.back();
  const Built b(pair(), size);
  EXPECT_THROW(b.fused->epilogue(at::randn({2, size.out_features}, at::kDouble)), c10::Error);
  EXPECT_THROW(b.fused->epilogue(at::randn({2, size.out_features + 1})), c10::Error);
  EXPECT_NO_THROW(b.fused->epilogue(at::randn({2, size.out_features})));
}

using PairWithBatchNorm = PairTest;
INSTANTIATE_TEST_SUITE_P(Pairs, PairWithBatchNorm, testing::ValuesIn(batch_norm_pairs()),
                         name_of_pair);

/// One row has no variance: refused wherever the batch's own statistics are wanted.
TEST_P(PairWithBatchNorm, OneRowIsRefusedAsInLibTorch) {
  const Size size = pair().sizes.back();
  const Built b(pair(), size);
  for (LinearModel* m : b.both()) {
    const at::Tensor x = at::randn({1, size.in_features});
    EXPECT_THROW(m->forward(x), c10::Error);
    m->eval();
    EXPECT_NO_THROW(m->forward(x));
    pair().changes[4](*m);  // without running statistics
    EXPECT_THROW(m->forward(x), c10::Error);
  }
}

}  // namespace
}  // namespace gradproof
