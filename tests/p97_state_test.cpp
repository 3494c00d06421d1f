// SPDX-License-Identifier: Apache-2.0
// The state of the P97 pair: weights by name, buffers over training steps, evaluation that leaves
// them alone.
#include <sstream>

#include <gtest/gtest.h>
#include <torch/serialize.h>

#include "core/error.h"
#include "tests/p97_support.h"

namespace gradproof::p97 {
namespace {

TEST(P97State, WeightCopyNeedsTheBuffers) {
  const Size size{33, 19, 67};
  const auto model = built<Model>(arguments(size), 1);
  const auto fused = built<ModelNew>(arguments(size), 2);
  randomize(*model, 3);
  model->eval();
  fused->eval();
  const at::Tensor x = input(size, 4);
  EXPECT_FALSE(close(fused->forward(x), model->forward(x))) << "differently seeded models agree";
  {
    const at::NoGradGuard no_gradients;
    const auto parameters = fused->named_parameters();
    for (const auto& item : model->named_parameters()) parameters[item.key()].copy_(item.value());
  }
  EXPECT_FALSE(close(fused->forward(x), model->forward(x))) << "eval sees no missing buffers";
  copy_weights(*model, *fused);
  EXPECT_TRUE(close(fused->forward(x), model->forward(x)));
  EXPECT_EQ(fused->bn->num_batches_tracked.item<std::int64_t>(), 7);
  model->train();
  fused->train();
  EXPECT_TRUE(close(fused->forward(x), model->forward(x)));
}

/// The message of the UsageError that loading `state` into a module throws.
std::string refusal(torch::nn::Module& module, const StateDict& state) {
  try {
    load_state_dict(module, state);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(P97State, WeightCopyNamesWhatDoesNotFit) {
  const auto model = built<Model>(arguments({2, 5, 3}), 1);
  const auto fused = built<ModelNew>(arguments({2, 5, 3}), 2);
  const StateDict state = state_dict(*model);
  EXPECT_EQ(refusal(*fused, state), "");
  StateDict missing = state;
  missing.erase("bn.num_batches_tracked");
  EXPECT_NE(refusal(*fused, missing).find("'bn.num_batches_tracked' is missing in the state"),
            std::string::npos);
  StateDict extra = state;
  extra["scale"] = at::ones({1});
  EXPECT_NE(refusal(*fused, extra).find("'scale' is missing in the module"), std::string::npos);
  StateDict shaped = state;
  shaped["bias"] = at::ones({1});
  EXPECT_NE(refusal(*fused, shaped).find("'bias' is [3] Float in the module and [1] Float"),
            std::string::npos);
  StateDict typed = state;
  typed["bn.weight"] = at::ones({3}, at::kDouble);
  const at::Tensor before = fused->bias.detach().clone();
  typed["bias"] = before + 1;
  EXPECT_NE(refusal(*fused, typed).find("'bn.weight'"), std::string::npos);
  EXPECT_TRUE(same_bits(fused->bias, before)) << "a refused load changed something";
}

TEST(P97State, StateDictsGoBothWays) {
  const std::vector<std::string> names{
      "bias",      "bn.bias",     "bn.num_batches_tracked", "bn.running_mean", "bn.running_var",
      "bn.weight", "matmul.bias", "matmul.weight"};
  const Pair p = pair(arguments({2, 5, 3}));
  const auto check = [&](auto& from, auto& to) {
    std::vector<std::string> found;
    for (const auto& item : state_dict(*from)) found.push_back(item.first);
    EXPECT_EQ(found, names);
    randomize(*from, 11);
    EXPECT_NE(differing(*from, *to), "");
    std::stringstream file;
    torch::save(from, file);
    torch::load(to, file);
    EXPECT_EQ(differing(*from, *to), "");
    randomize(*from, 12);
    EXPECT_NE(differing(*from, *to), "");
    load_state_dict(*to, state_dict(*from));
    EXPECT_EQ(differing(*from, *to), "");
  };
  check(p.model, p.fused);
  check(p.fused, p.model);
}

/// Three training steps at batches 2, 3 and 33.
void train(Base& model) {
  for (const std::int64_t batch : {2, 3, 33}) {
    torch::manual_seed(static_cast<std::uint64_t>(batch));
    model.forward(at::randn({batch, 19}) + 0.5);
  }
}

TEST(P97State, RunningStatisticsOverThreeSteps) {
  for (const std::optional<double> momentum : momenta()) {
    SCOPED_TRACE(momentum ? std::to_string(*momentum) : "none");
    const Pair p = pair(arguments({2, 19, 67}));
    p.model->bn->options.momentum(momentum);
    p.fused->bn->options.momentum(momentum);
    const at::Tensor before = p.model->bn->running_var.clone();
    train(*p.model);
    train(*p.fused);
    EXPECT_FALSE(close(p.model->bn->running_var, before)) << "nothing was updated";
    EXPECT_EQ(differing(*p.fused, *p.model), "");
    EXPECT_EQ(p.fused->bn->num_batches_tracked.item<std::int64_t>(), 10);

    // Control: a momentum taken the wrong way round (at 0.1: 0.9; at 1: 0; without one: 0.1).
    const Pair wrong = pair(arguments({2, 19, 67}));
    wrong.fused->bn->options.momentum(momentum ? 1 - *momentum : 0.1);
    train(*wrong.fused);
    EXPECT_EQ(differing(*wrong.fused, *p.model), "bn.running_mean bn.running_var ");
  }
}

TEST(P97State, EvalLeavesEveryBufferBitIdentical) {
  const Pair p = pair(arguments({33, 19, 67}));
  const auto buffers = [&] {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& buffer : p.fused->buffers()) copies.push_back(buffer.clone());
    return copies;
  };
  const auto same = [](const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same_bits(a[i], b[i])) return false;
    return a.size() == 3;
  };
  const auto before = buffers();
  const at::Tensor x = input({33, 19, 67}, 1);
  p.fused->eval();
  const at::Tensor first = p.fused->forward(x);
  first.sum().backward();
  EXPECT_TRUE(same(buffers(), before));
  EXPECT_TRUE(same_bits(p.fused->forward(x), first)) << "eval is not idempotent";
  p.fused->train();
  p.fused->forward(x);
  EXPECT_FALSE(same(buffers(), before)) << "the comparison sees no training step";
}

/// The kernel writes the buffers behind autograd's back, which must hear of it: what was computed
/// from their old values has no gradient any more. (LibTorch's own batch_norm lets it pass, and is
/// wrong.)
TEST(P97State, TrainingMarksItsBuffersAsChanged) {
  const Pair p = pair(arguments({2, 5, 3}));
  const auto refused = [&](bool training) {
    p.fused->train(training);
    const at::Tensor scale = at::ones({3}).requires_grad_(true);
    const at::Tensor loss = (scale * p.fused->bn->running_mean).sum();
    p.fused->forward(at::randn({4, 5}));
    try {
      loss.backward();
    } catch (const c10::Error&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused(true));
  EXPECT_FALSE(refused(false));
}

}  // namespace
}  // namespace gradproof::p97
