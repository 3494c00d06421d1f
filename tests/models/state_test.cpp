// SPDX-License-Identifier: Apache-2.0
// The state of the pairs: weights by name, buffers over training steps, evaluation that leaves them
// alone.
#include <optional>
#include <sstream>

#include <torch/serialize.h>

#include "core/error.h"
#include "tests/support/pair_support.h"

namespace gradproof {
namespace {

using PairState = PairTest;
INSTANTIATE_TEST_SUITE_P(Pairs, PairState, testing::ValuesIn(pairs()), name_of_pair);
using PairBuffers = PairTest;
INSTANTIATE_TEST_SUITE_P(Pairs, PairBuffers, testing::ValuesIn(batch_norm_pairs()), name_of_pair);

/// Two models of different seeds; the copy is under no_grad, into leaf parameters.
TEST_P(PairState, WeightCopyMakesThemAlike) {
  const Size size = pair().sizes[1];
  torch::manual_seed(1);
  const ModelPtr model = pair().build(false, size, {size.out_features});
  const ModelPtr fused = pair().build(true, size, {size.out_features});
  randomize(*model, 3);
  const at::Tensor x = input(size, 4);
  for (const bool training : {false, true}) {
    model->train(training);
    fused->train(training);
    if (!training) {
      EXPECT_FALSE(close(fused->forward(x), model->forward(x), pair().tolerance))
          << "differently seeded models agree";
      copy_weights(*model, *fused);
    }
    EXPECT_TRUE(close(fused->forward(x), model->forward(x), pair().tolerance));
  }
}

TEST_P(PairBuffers, WeightCopyNeedsTheBuffers) {
  const Size size = pair().sizes[1];
  const ModelPtr model = pair().build(false, size, {size.out_features});
  const ModelPtr fused = pair().build(true, size, {size.out_features});
  randomize(*model, 3);
  model->eval();
  fused->eval();
  const at::Tensor x = input(size, 4);
  {
    const at::NoGradGuard no_gradients;
    const auto parameters = fused->named_parameters();
    for (const auto& item : model->named_parameters()) parameters[item.key()].copy_(item.value());
  }
  EXPECT_FALSE(close(fused->forward(x), model->forward(x), pair().tolerance))
      << "eval sees no missing buffers";
  copy_weights(*model, *fused);
  EXPECT_TRUE(close(fused->forward(x), model->forward(x), pair().tolerance));
  EXPECT_EQ(bn_of(*fused)->num_batches_tracked.item<std::int64_t>(), 7);
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

bool names(const std::string& message, const std::string& what) {
  return message.find(what) != std::string::npos;
}

TEST_P(PairState, WeightCopyNamesWhatDoesNotFit) {
  const Built b(pair(), pair().sizes.back());
  const StateDict state = state_dict(*b.model);
  const std::string vector = b.model->names().attribute, norm = b.model->names().norm + ".weight";
  EXPECT_EQ(refusal(*b.fused, state), "");
  StateDict missing = state, extra = state, shaped = state, typed = state;
  missing.erase(norm);
  EXPECT_TRUE(names(refusal(*b.fused, missing), "'" + norm + "' is missing in the state"));
  extra["other"] = at::ones({1});
  EXPECT_TRUE(names(refusal(*b.fused, extra), "'other' is missing in the module"));
  shaped[vector] = at::ones({1});
  EXPECT_TRUE(names(refusal(*b.fused, shaped), "'" + vector + "' is ["));
  EXPECT_TRUE(names(refusal(*b.fused, shaped), "[1] Float in the state"));
  typed[norm] = state.at(norm).to(at::kDouble);
  const at::Tensor before = state_dict(*b.fused).at(vector).detach().clone();
  typed[vector] = before + 1;
  EXPECT_TRUE(names(refusal(*b.fused, typed), "'" + norm + "'"));
  EXPECT_TRUE(same_bits(state_dict(*b.fused).at(vector), before))
      << "a refused load changed something";
}

TEST_P(PairState, StateDictsGoBothWays) {
  const Built b(pair(), pair().sizes.back());
  const auto check = [&](const ModelPtr& from, const ModelPtr& to) {
    randomize(*from, 11);
    EXPECT_NE(differing(*from, *to, 0), "");
    std::stringstream file;
    torch::serialize::OutputArchive written;
    from->save(written);
    written.save_to(file);
    torch::serialize::InputArchive read;
    read.load_from(file);
    to->load(read);
    EXPECT_EQ(differing(*from, *to, 0), "");
    randomize(*from, 12);
    EXPECT_NE(differing(*from, *to, 0), "");
    load_state_dict(*to, state_dict(*from));
    EXPECT_EQ(differing(*from, *to, 0), "");
  };
  check(b.model, b.fused);
  check(b.fused, b.model);
}

/// The published problems name the entries so, which is the interface.
TEST(PairStateNames, AreThePublishedOnes) {
  const auto words = [](const std::string& pair_name) {
    std::string text;
    for (const PairUnderTest& pair : pairs())
      if (pair.name == pair_name)
        for (const auto& item : state_dict(*Built(pair, pair.sizes.back()).fused))
          text += item.first + " ";
    return text;
  };
  const std::string bn = "bn.bias bn.num_batches_tracked bn.running_mean bn.running_var bn.weight ";
  EXPECT_EQ(words("P97_ModelNew"), "bias " + bn + "matmul.bias matmul.weight ");
  EXPECT_EQ(words("P39_ModelNew"), bn + "gemm.bias gemm.weight scale ");
  EXPECT_EQ(words("P37_ModelNew"),
            "bias group_norm.bias group_norm.weight matmul.bias matmul.weight ");
  EXPECT_EQ(words("P88_ModelNew"),
            "gemm.bias gemm.weight group_norm.bias group_norm.weight multiply_weight ");
}

/// Five training steps of other batches.
void train(LinearModel& model, std::int64_t in_features) {
  for (const std::int64_t batch : {2, 3, 33, 2, 3}) {
    torch::manual_seed(static_cast<std::uint64_t>(batch));
    model.forward(at::randn({batch, in_features}) + 0.5);
  }
}

TEST_P(PairBuffers, RunningStatisticsOverFiveSteps) {
  const Size size = pair().sizes[1];
  for (const std::optional<double> momentum :
       {std::optional(0.1), std::optional(0.9), std::optional(1.0), std::optional<double>()}) {
    SCOPED_TRACE(momentum ? std::to_string(*momentum) : "none");
    const Built b(pair(), size);
    for (LinearModel* m : b.both()) bn_of(*m)->options.momentum(momentum);
    const at::Tensor before = bn_of(*b.model)->running_var.clone();
    for (LinearModel* m : b.both()) train(*m, size.in_features);
    EXPECT_FALSE(close(bn_of(*b.model)->running_var, before, pair().tolerance))
        << "nothing was updated";
    EXPECT_EQ(differing(*b.fused, *b.model, pair().tolerance), "");
    EXPECT_EQ(bn_of(*b.fused)->num_batches_tracked.item<std::int64_t>(), 12);

    // Control: a momentum taken the wrong way round (at 0.1: 0.9; at 1: 0; without one: 0.1).
    const Built wrong(pair(), size);
    bn_of(*wrong.fused)->options.momentum(momentum ? 1 - *momentum : 0.1);
    train(*wrong.fused, size.in_features);
    EXPECT_EQ(differing(*wrong.fused, *b.model, pair().tolerance),
              "bn.running_mean bn.running_var ");
  }
}

TEST_P(PairBuffers, EvalLeavesEveryBufferBitIdentical) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  const auto buffers = [&] {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& buffer : b.fused->buffers()) copies.push_back(buffer.clone());
    return copies;
  };
  const auto same = [](const std::vector<at::Tensor>& x, const std::vector<at::Tensor>& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!same_bits(x[i], y[i])) return false;
    return x.size() == 3;
  };
  const auto before = buffers();
  const at::Tensor x = input(size, 1);
  b.fused->eval();
  const at::Tensor first = b.fused->forward(x);
  first.sum().backward();
  EXPECT_TRUE(same(buffers(), before));
  EXPECT_TRUE(same_bits(b.fused->forward(x), first)) << "eval is not idempotent";
  b.fused->train();
  b.fused->forward(x);
  EXPECT_FALSE(same(buffers(), before)) << "the comparison sees no training step";
}

}  // namespace
}  // namespace gradproof
