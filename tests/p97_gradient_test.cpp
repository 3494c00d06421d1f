// SPDX-License-Identifier: Apache-2.0
// Gradients of the P97 pair: every parameter and the input against LibTorch's autograd, and the
// epilogue against the oracle within the bound of the kernel's own contract.
#include <map>
#include <optional>

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/discrepancy.h"
#include "core/verdict.h"
#include "fixtures/models/fused_epilogue.h"
#include "kernels/kernel.h"
#include "oracles/oracle.h"
#include "tests/p97_support.h"

namespace gradproof::p97 {
namespace {

using Gradients = std::map<std::string, at::Tensor>;

/// Gradients of <y, dy> by name, "x" being the input; an absent one is undefined.
Gradients gradients(Base& model, const at::Tensor& input, const at::Tensor& dy) {
  model.zero_grad();
  const at::Tensor x = input.detach().clone().requires_grad_(true);
  const at::Tensor y = model.forward(x);
  EXPECT_TRUE(y.grad_fn() != nullptr) << "the output has no grad_fn";
  y.backward(dy);
  Gradients result{{"x", x.grad()}};
  for (const auto& item : model.named_parameters()) result[item.key()] = item.value().grad();
  return result;
}

at::Tensor cotangent(const Size& size) {
  torch::manual_seed(9);
  return at::randn({size.batch, size.out_features});
}

/// Names of gradients that are undefined or not close, blank-separated.
std::string differing(const Gradients& got, const Gradients& want) {
  std::string names;
  EXPECT_EQ(got.size(), want.size());
  for (const auto& [name, gradient] : want)
    if (!gradient.defined() || !got.at(name).defined() || !close(got.at(name), gradient))
      names += name + " ";
  return names;
}

TEST(P97Gradients, OfEveryParameterAndTheInput) {
  for (const Size& size : sizes()) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(std::to_string(size.batch) + (training ? " rows, training" : " rows, eval"));
      const Pair p = pair(arguments(size));
      p.model->train(training);
      p.fused->train(training);
      const at::Tensor x = input(size, 3);
      const at::Tensor dy = cotangent(size);
      const Gradients want = gradients(*p.model, x, dy);
      ASSERT_EQ(want.size(), 6u);
      EXPECT_EQ(differing(gradients(*p.fused, x, dy), want), "");
      // Control: a cotangent multiplied in twice. Only Linear's bias before a training BatchNorm,
      // whose true gradient is zero, cannot show it.
      const std::string all = "bias bn.bias bn.weight matmul.bias matmul.weight x ";
      const std::string visible = "bias bn.bias bn.weight matmul.weight x ";
      EXPECT_EQ(differing(gradients(*p.fused, x, dy * dy), want), training ? visible : all);
    }
  }
}

TEST(P97Gradients, AtThePublishedInitialisation) {
  const auto model = built<Model>(get_init_inputs(), 1);
  const auto fused = built<ModelNew>(get_init_inputs(), 1);
  const at::Tensor x = get_inputs(2).at(0);
  const at::Tensor dy = cotangent({128, 1024, 512});
  EXPECT_EQ(differing(gradients(*fused, x, dy), gradients(*model, x, dy)), "");
}

struct Strided {
  const char* what;
  at::Tensor dy;
  at::Tensor misread;  ///< what a kernel that takes dy's memory for contiguous sees first
};

std::vector<Strided> strided() {
  torch::manual_seed(9);
  const at::Tensor columns = at::randn({67, 33});
  const at::Tensor wide = at::randn({33, 134});
  const at::Tensor row = at::randn({1, 67});
  const auto alone = [](const at::Tensor& first) {
    at::Tensor dy = at::zeros({33, 67});
    dy.narrow(0, 0, 1).narrow(1, 0, first.size(1)).copy_(first);
    return dy;
  };
  return {{"transposed", columns.t(), columns.view({33, 67})},
          {"every other column", wide.slice(1, 0, 134, 2),
           wide.flatten().narrow(0, 0, 33 * 67).view({33, 67})},
          {"one row for all", row.expand({33, 67}), alone(row)},
          {"one number", at::full({1, 1}, 0.75).expand({33, 67}), alone(at::full({1, 1}, 0.75))}};
}

TEST(P97Gradients, OfACotangentWithAnyStrides) {
  const Pair p = pair(arguments({33, 19, 67}));
  const at::Tensor x = input({33, 19, 67}, 3);
  for (const auto& [what, dy, misread] : strided()) {
    ASSERT_FALSE(dy.is_contiguous()) << what;
    const Gradients want = gradients(*p.model, x, dy.contiguous());
    EXPECT_EQ(differing(gradients(*p.fused, x, dy), want), "") << what;
    EXPECT_NE(differing(gradients(*p.fused, x, misread), want), "") << what;
  }
}

TEST(P97Gradients, WithoutAffineParameters) {
  const Size size{33, 19, 67};
  const Pair p = pair(arguments(size));
  p.model->replace_bn(torch::nn::BatchNorm1dOptions(67).affine(false));
  p.fused->replace_bn(torch::nn::BatchNorm1dOptions(67).affine(false));
  const at::Tensor x = input(size, 3);
  const Gradients want = gradients(*p.model, x, cotangent(size));
  ASSERT_EQ(want.size(), 4u);
  EXPECT_EQ(differing(gradients(*p.fused, x, cotangent(size)), want), "");
}

TEST(P97Gradients, RefuseASecondDerivative) {
  const Pair p = pair(arguments({2, 5, 3}));
  const at::Tensor x = input({2, 5, 3}, 3).requires_grad_(true);
  const auto first = [&](Base& model) {
    return torch::autograd::grad({model.forward(x).sum()}, {x}, {}, std::nullopt,
                                 /*create_graph=*/true)[0];
  };
  EXPECT_NO_THROW(first(*p.model).square().sum().backward()) << "the plain model has one";
  try {
    first(*p.fused).square().sum().backward();
    FAIL() << "a second derivative that is none";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no second derivative"), std::string::npos);
  }
}

// The epilogue before the oracle: x is what the model's own Linear gave it.

Tensor ours(const at::Tensor& value, const Shape& shape) {
  const bool integer = value.scalar_type() == at::kLong;
  Tensor copy(integer ? DType::i64 : DType::f32, shape);
  const at::Tensor flat = value.detach().to(at::kDouble).contiguous();
  for (std::int64_t i = 0; i < copy.numel(); ++i) copy.set(i, flat.const_data_ptr<double>()[i]);
  return copy;
}

struct Judged {
  int tensors = 0;
  std::string failed;    ///< names and error/bound
  std::string evidence;  ///< the same of all tensors
};

/// One training or evaluation step of `model`, judged as the kernel's claim for that Case demands.
/// The values of `got` replace what the model gave: how a control lies.
Judged judged(Base& model, const at::Tensor& input, const at::Tensor& dy,
              const Gradients& lies = {}) {
  model.zero_grad();
  const at::Tensor z = model.matmul(input).detach().requires_grad_(true);
  const FusedEpilogue fused = fused_epilogue(model);
  const Case c = case_of(z, fused);
  const Claim claim = kernel_of(c).claim(c);
  Gradients before{{"x", z.detach()},
                   {"dy", dy},
                   {"weight", fused.weight},
                   {"beta", fused.beta},
                   {"bias", fused.bias},
                   {"running_mean", fused.running_mean},
                   {"running_var", fused.running_var},
                   {"num_batches_tracked", fused.num_batches_tracked}};
  Tensors inputs;
  for (const TensorSpec& spec : claim.tensors)
    if (before.contains(spec.name))
      inputs.emplace(spec.name, ours(before.at(spec.name), spec.layout.shape));
  const at::Tensor y = model.epilogue(z);
  y.backward(dy);
  Gradients got{{"y", y},
                {"d_x", z.grad()},
                {"d_weight", model.bn->weight.grad()},
                {"d_beta", model.bn->bias.grad()},
                {"d_bias", model.bias.grad()},
                {"running_mean", model.bn->running_mean},
                {"running_var", model.bn->running_var},
                {"num_batches_tracked", model.bn->num_batches_tracked}};
  for (const auto& [name, lie] : lies) got[name] = lie;
  Judged result;
  for (const auto& [name, answer] : evaluate(claim, inputs, std::nullopt)) {
    if (!got.contains(name)) continue;  // mean and rstd stay inside the operator
    const Discrepancy d = compare(ours(got.at(name), claim.tensor(name).layout.shape), answer);
    const std::string found = name + " " + std::to_string(d.max_ratio) + " of its bound; ";
    ++result.tensors;
    result.evidence += found;
    if (judge(d).outcome != Outcome::passed) result.failed += found;
  }
  return result;
}

TEST(P97Gradients, OfTheEpilogueAreWithinTheOraclesBound) {
  for (const Size& size : sizes()) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(std::to_string(size.batch) + (training ? " rows, training" : " rows, eval"));
      const Pair p = pair(arguments(size));
      p.fused->train(training);
      const Judged result = judged(*p.fused, input(size, 3), cotangent(size));
      EXPECT_EQ(result.tensors, 8);
      EXPECT_EQ(result.failed, "");
      RecordProperty(std::to_string(size.batch) + (training ? "_train" : "_eval"), result.evidence);
    }
  }
}

/// Each step from the state that the steps before it left.
TEST(P97Gradients, RunningStatisticsOfThreeStepsAreWithinTheOraclesBound) {
  for (const std::optional<double> momentum : momenta()) {
    SCOPED_TRACE(momentum ? std::to_string(*momentum) : "none");
    const Pair p = pair(arguments({2, 19, 67}));
    p.fused->bn->options.momentum(momentum);
    for (const std::int64_t batch : {2, 3, 33}) {
      const Size size{batch, 19, 67};
      EXPECT_EQ(judged(*p.fused, input(size, 1), cotangent(size)).failed, "") << batch << " rows";
    }
  }
}

TEST(P97Gradients, TheOracleConvictsWrongEpilogues) {
  const Size size{33, 19, 67};
  const at::Tensor x = input(size, 3);
  const at::Tensor dy = cotangent(size);
  const auto convicted = [&](const std::string& name, const at::Tensor& lie) {
    const Pair p = pair(arguments(size));
    EXPECT_NE(judged(*p.fused, x, dy, {{name, lie}}).failed.find(name + " "), std::string::npos)
        << name;
  };
  const Pair p = pair(arguments(size));
  const at::Tensor z = p.model->matmul(x).detach();
  const at::Tensor normalized = p.model->bn(z);
  convicted("y",
            at::silu(normalized / p.model->divide_value + p.model->bias));  // bias after divide
  convicted("d_bias", at::zeros_like(p.model->bias));                       // severed
  convicted("d_x", at::zeros_like(z));
  const at::Tensor biased =
      pair(arguments(size)).model->bn->running_var * 0.7 + 0.3 * z.var(0, false);
  convicted("running_var", biased);
}

}  // namespace
}  // namespace gradproof::p97
