// SPDX-License-Identifier: Apache-2.0
// Gradients of the pairs: every parameter and the input against LibTorch's autograd, and a whole
// step against the oracle, the Linear included.
#include <map>

#include <torch/csrc/autograd/autograd.h>

#include "tests/support/pair_judged.h"
#include "tests/support/pair_support.h"

namespace gradproof {
namespace {

using PairGradients = PairTest;
INSTANTIATE_TEST_SUITE_P(Pairs, PairGradients, testing::ValuesIn(pairs()), name_of_pair);
using PairBeforeTheOracle = PairTest;
INSTANTIATE_TEST_SUITE_P(Pairs, PairBeforeTheOracle, testing::ValuesIn(whole_pairs()),
                         name_of_pair);

/// Gradients are sums over the batch, whose errors the outputs' tolerance of 1e-5 is not made for.
constexpr double kOfGradients = 1e-4;

using Gradients = std::map<std::string, at::Tensor>;

/// Gradients of <y, dy> by name, "x" being the input; an absent one is undefined.
Gradients gradients(LinearModel& model, const at::Tensor& given, const at::Tensor& dy) {
  model.zero_grad();
  const at::Tensor x = given.detach().clone().requires_grad_(true);
  const at::Tensor y = model.forward(x);
  EXPECT_TRUE(y.grad_fn() != nullptr) << "the output has no grad_fn";
  y.backward(dy);
  Gradients result{{"x", x.grad()}};
  for (const auto& item : model.named_parameters()) result[item.key()] = item.value().grad();
  return result;
}

/// Names of gradients that are undefined or not close, blank-separated.
std::string differing(const Gradients& got, const Gradients& want) {
  std::string names;
  EXPECT_EQ(got.size(), want.size());
  for (const auto& [name, gradient] : want)
    if (!gradient.defined() || !got.at(name).defined() ||
        !close(got.at(name), gradient, kOfGradients))
      names += name + " ";
  return names;
}

TEST_P(PairGradients, OfEveryParameterAndTheInput) {
  for (const Size& size : pair().sizes) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(std::to_string(size.batch) + (training ? " rows, training" : " rows, eval"));
      const Built b(pair(), size);
      for (LinearModel* m : b.both()) m->train(training);
      const at::Tensor x = input(size, 3);
      const at::Tensor dy = cotangent(size);
      const Gradients want = gradients(*b.model, x, dy);
      ASSERT_EQ(want.size(), 6u);
      EXPECT_EQ(differing(gradients(*b.fused, x, dy), want), "");
      // Control: a cotangent multiplied in twice. What a norm makes zero cannot show it.
      const std::string found = differing(gradients(*b.fused, x, dy * dy), want);
      for (const auto& [name, gradient] : want) {
        if (gradient.abs().max().item<double>() < 0.01) continue;
        EXPECT_NE((" " + found).find(" " + name + " "), std::string::npos) << name;
      }
    }
  }
}

TEST_P(PairGradients, AtThePublishedInitialisation) {
  torch::manual_seed(1);
  const ModelPtr model = pair().published(false, Edition::older);
  const ModelPtr fused = pair().published(true, Edition::older);
  copy_weights(*model, *fused);
  const at::Tensor x = pair().inputs(2, Edition::older).at(0);
  torch::manual_seed(9);
  const at::Tensor dy = at::randn({x.size(0), model->linear()->options.out_features()});
  const Gradients want = gradients(*model, x, dy);
  EXPECT_EQ(differing(gradients(*fused, x, dy), want), "");
  EXPECT_NE(differing(gradients(*fused, x, dy * 1.01), want), "");
}

struct Strided {
  std::string what;
  at::Tensor dy;
  at::Tensor misread;  ///< what a kernel that takes dy's memory for contiguous sees first
};

std::vector<Strided> strided(std::int64_t rows, std::int64_t cols) {
  torch::manual_seed(9);
  const at::Tensor columns = at::randn({cols, rows});
  const at::Tensor wide = at::randn({rows, 2 * cols});
  const at::Tensor row = at::randn({1, cols});
  const auto alone = [&](const at::Tensor& first) {
    at::Tensor dy = at::zeros({rows, cols});
    dy.narrow(0, 0, 1).narrow(1, 0, first.size(1)).copy_(first);
    return dy;
  };
  return {
      {"transposed", columns.t(), columns.view({rows, cols})},
      {"every other column", wide.slice(1, 0, 2 * cols, 2),
       wide.flatten().narrow(0, 0, rows * cols).view({rows, cols})},
      {"one row for all", row.expand({rows, cols}), alone(row)},
      {"one number", at::full({1, 1}, 0.75).expand({rows, cols}), alone(at::full({1, 1}, 0.75))}};
}

TEST_P(PairGradients, OfACotangentWithAnyStrides) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  const at::Tensor x = input(size, 3);
  for (const auto& [what, dy, misread] : strided(size.batch, size.out_features)) {
    ASSERT_FALSE(dy.is_contiguous()) << what;
    const Gradients want = gradients(*b.model, x, dy.contiguous());
    EXPECT_EQ(differing(gradients(*b.fused, x, dy), want), "") << what;
    EXPECT_NE(differing(gradients(*b.fused, x, misread), want), "") << what;
  }
}

TEST_P(PairGradients, RefuseASecondDerivative) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  const at::Tensor x = input(size, 3).requires_grad_(true);
  const auto first = [&](LinearModel& model) {
    return torch::autograd::grad({model.forward(x).square().sum()}, {x}, {}, std::nullopt,
                                 /*create_graph=*/true)[0];
  };
  EXPECT_NO_THROW(first(*b.model).square().sum().backward()) << "the plain model has one";
  EXPECT_THROW(first(*b.fused).square().sum().backward(), c10::Error);
}

LinearRun step_of(LinearModel& model, const Size& size) {
  return run_step(model, values_of(input(size, 3)),
                  [&](const Tensor&) { return values_of(cotangent(size)); });
}

TEST_P(PairBeforeTheOracle, AStepIsWithinItsBound) {
  for (const Size& size : pair().sizes) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(std::to_string(size.batch) + (training ? " rows, training" : " rows, eval"));
      const Built b(pair(), size);
      b.fused->train(training);
      const JudgedStep result = judged(step_of(*b.fused, size), b.fused->names());
      EXPECT_EQ(result.tensors, pair().batch_norm ? 14 : 11);
      EXPECT_EQ(result.failed, "");
      RecordProperty(std::to_string(size.batch) + (training ? "_train" : "_eval"), result.evidence);
    }
  }
}

/// Each tensor wrong on its own, by a thousandth or severed.
TEST_P(PairBeforeTheOracle, WrongTensorsAreConvicted) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  LinearRun run = step_of(*b.fused, size);
  const PairNames& names = b.fused->names();
  const auto convicted = [&](Tensor& tensor, const std::string& name, double factor) {
    const Tensor kept = tensor;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, kept.at(i) * factor);
    EXPECT_NE(("; " + judged(run, names).failed).find("; " + name + " "), std::string::npos)
        << name << " times " << factor;
    tensor = kept;
  };
  for (auto& [name, tensor] : run.run.tensors) {
    if (name == "num_batches_tracked") continue;
    convicted(tensor, names.of(name), 1.001);
    if (name.starts_with("d_") && name != "d_scale") convicted(tensor, names.of(name), 0);
  }
  for (auto& [name, tensor] : run.linear) {
    if (!name.starts_with("d_") || name.ends_with(".bias")) continue;
    convicted(tensor, name == "d_input" ? "linear d_input" : "linear d_weight", 1.001);
  }
}

}  // namespace
}  // namespace gradproof
