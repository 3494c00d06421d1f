// SPDX-License-Identifier: Apache-2.0
// The P97 pair from outside: outputs, buffers and state of Model and ModelNew. Every comparison has
// a control beside it that it must fail on.
#include <functional>

#include <gtest/gtest.h>

#include "tests/p97_support.h"

namespace gradproof::p97 {
namespace {

TEST(P97, AllcloseAtThePublishedInitialisation) {
  for (const bool training : {true, false}) {
    const auto model = built<Model>(get_init_inputs(), 1);
    const auto fused = built<ModelNew>(get_init_inputs(), 1);
    model->train(training);
    fused->train(training);
    const at::Tensor x = get_inputs(2).at(0);
    EXPECT_TRUE(close(fused->forward(x), model->forward(x))) << "training " << training;
    EXPECT_EQ(differing(*fused, *model), "");
  }
}

TEST(P97, AllcloseWithParametersThatAreNoIdentities) {
  for (const Size& size : sizes()) {
    for (const bool training : {true, false}) {
      const Pair p = pair(arguments(size));
      p.model->train(training);
      p.fused->train(training);
      const at::Tensor x = input(size, 3);
      const at::Tensor want = p.model->forward(x);
      EXPECT_TRUE(close(p.fused->forward(x), want)) << size.batch << " rows, training " << training;
      EXPECT_EQ(differing(*p.fused, *p.model), "") << size.batch << " rows, training " << training;
      p.fused->divide_value = -p.fused->divide_value;
      EXPECT_FALSE(close(p.fused->forward(x), want)) << "the comparison sees no wrong divide_value";
    }
  }
}

TEST(P97, EveryBiasShapeWorks) {
  const Size size{33, 19, 67};
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1}, {67}, {1, 67}}) {
    Arguments a = arguments(size);
    a.bias_shape = shape;
    const Pair p = pair(a);
    const at::Tensor x = input(size, 3);
    const at::Tensor want = p.model->forward(x);
    EXPECT_TRUE(close(p.fused->forward(x), want)) << at::IntArrayRef(shape);
    at::NoGradGuard no_gradients;
    p.fused->bias.add_(0.01);
    EXPECT_FALSE(close(p.fused->forward(x), want)) << "the comparison sees no wrong bias";
  }
}

TEST(P97, WhatChangesLaterCountsAtOnce) {
  const Size size{33, 19, 67};
  const at::Tensor x = input(size, 1);
  const std::vector<std::function<void(Base&)>> changes{
      [](Base& m) { m.bn->options.eps(0.5); },
      [](Base& m) { m.divide_value = 0.3; },
      [](Base& m) { m.eval(); },
      [](Base& m) { m.bn->eval(); },
      [](Base& m) { m.replace_bn(torch::nn::BatchNorm1dOptions(67).affine(false)); },
      [](Base& m) {
        m.replace_bn(torch::nn::BatchNorm1dOptions(67).track_running_stats(false).eps(0.1));
      }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SCOPED_TRACE(i);
    const Pair p = pair(arguments(size));
    const at::Tensor unchanged = p.fused->forward(x);
    changes[i](*p.model);
    EXPECT_FALSE(close(unchanged, p.model->forward(x))) << "the change shows nowhere";
    changes[i](*p.fused);
    copy_weights(*p.model, *p.fused);
    EXPECT_TRUE(close(p.fused->forward(x), p.model->forward(x)));
  }
}

TEST(P97, WithoutTrackingEvalTakesTheBatch) {
  const Size size{33, 19, 67};
  const Pair p = pair(arguments(size));
  for (Base* m : {static_cast<Base*>(p.model.get()), static_cast<Base*>(p.fused.get())}) {
    m->replace_bn(torch::nn::BatchNorm1dOptions(67).affine(false).track_running_stats(false));
    m->eval();
  }
  EXPECT_EQ(state_dict(*p.fused).size(), 3u);
  const at::Tensor x = input(size, 1);
  EXPECT_TRUE(close(p.fused->forward(x), p.model->forward(x)));
  EXPECT_FALSE(close(p.fused->forward(x), p.fused->forward(x + at::randn_like(x))))
      << "any x would do";
}

TEST(P97, NoRowsWorkAsInLibTorch) {
  const Pair p = pair(arguments({2, 5, 3}));
  const auto step = [](Base& model) {
    const at::Tensor y = model.forward(at::empty({0, 5}));
    y.sum().backward();
    return y;
  };
  EXPECT_EQ(step(*p.fused).sizes(), step(*p.model).sizes());
  EXPECT_EQ(differing(*p.fused, *p.model), "");
  EXPECT_EQ(p.fused->bn->num_batches_tracked.item<std::int64_t>(), 8);
  for (const auto& item : p.fused->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_EQ(item.value().grad().abs().sum().item<float>(), 0) << item.key();
  }
}

TEST(P97, RefusesWhatItCannotDo) {
  const auto fused = built<ModelNew>(arguments({2, 5, 3}), 1);
  EXPECT_THROW(fused->epilogue(at::randn({2, 3}, at::kDouble)), c10::Error);
  EXPECT_THROW(fused->epilogue(at::randn({2, 4})), c10::Error);
  EXPECT_NO_THROW(fused->epilogue(at::randn({2, 3})));
}

/// One row has no variance: refused wherever the batch's own statistics are wanted.
TEST(P97, OneRowIsRefusedAsInLibTorch) {
  const Pair p = pair(arguments({2, 5, 3}));
  for (Base* model : {static_cast<Base*>(p.model.get()), static_cast<Base*>(p.fused.get())}) {
    EXPECT_THROW(model->forward(at::randn({1, 5})), c10::Error);
    model->eval();
    EXPECT_NO_THROW(model->forward(at::randn({1, 5})));
    model->replace_bn(torch::nn::BatchNorm1dOptions(3).track_running_stats(false));
    EXPECT_THROW(model->forward(at::randn({1, 5})), c10::Error);
  }
}

}  // namespace
}  // namespace gradproof::p97
