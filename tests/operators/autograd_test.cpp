// SPDX-License-Identifier: Apache-2.0
// Autograd must see of the operators what is saved, what is asked for and what changed in place.
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include "simt/host.h"
#include "tests/support/torch_ops_support.h"

namespace gradproof::ops {
namespace {

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "";
}

using Masks = std::vector<std::vector<bool>>;

Masks& seen() {
  static Masks masks;
  return masks;
}

/// Stands between the caller and a backward, in autocast's place of the dispatcher, else empty.
void observe(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  seen().emplace_back();
  for (const bool wanted : stack->back().toBoolList()) seen().back().push_back(wanted);
  const c10::impl::ExcludeDispatchKeyGuard once(c10::DispatchKey::AutocastCPU);
  op.callBoxed(stack);
}

/// The output_mask of the backward calls that `work` makes.
Masks masks_during(const std::function<void()>& work) {
  torch::Library library(torch::Library::IMPL, kNamespace, c10::DispatchKey::AutocastCPU, __FILE__,
                         __LINE__);
  for (const Operator& op : operators())
    library.impl((op.word + kBackward).c_str(),
                 torch::CppFunction::makeFromBoxedFunction<observe>());
  seen().clear();
  c10::impl::tls_set_dispatch_key_excluded(c10::DispatchKey::AutocastCPU, false);
  work();
  c10::impl::tls_set_dispatch_key_excluded(c10::DispatchKey::AutocastCPU, true);
  return seen();
}

TEST(TorchOperatorsAutograd, AsksForTheWantedGradientsOnly) {
  const Setting s;
  for (const Operator& op : operators()) {
    const std::vector<std::string> names = op.differentiable();
    const NamedTensors all = through_operator(op, tensors_of(op, s), s);
    for (std::size_t set = 1; set < std::size_t{1} << names.size(); ++set) {
      NamedTensors t = copy_of(tensors_of(op, s), op, false);
      std::vector<bool> wanted;
      for (std::size_t i = 0; i < names.size(); ++i) {
        wanted.push_back((set >> i & 1) != 0);
        if (wanted[i]) t[names[i]].requires_grad_(true);
      }
      const at::Tensor y = apply(op, t, s).y;
      EXPECT_EQ(masks_during([&] { y.backward(t["dy"]); }), Masks{wanted}) << op.word;
      for (std::size_t i = 0; i < names.size(); ++i) {
        SCOPED_TRACE(op.word + ", " + names[i] + " of set " + std::to_string(set));
        const at::Tensor& gradient = t[names[i]].grad();
        ASSERT_EQ(gradient.defined(), wanted[i]);
        EXPECT_TRUE(!wanted[i] || at::equal(gradient, all.at("d_" + names[i])));
      }
    }
  }
}

/// All tensors require gradients, but the caller asks for one.
TEST(TorchOperatorsAutograd, AsksForTheInputsOfGradOnly) {
  const Setting s;
  for (const Operator& op : operators()) {
    SCOPED_TRACE(op.word);
    const NamedTensors t = copy_of(tensors_of(op, s), op, true);
    const at::Tensor y = apply(op, t, s).y;
    std::vector<bool> expected(op.differentiable().size(), false);
    expected[0] = true;
    const auto masks = masks_during([&] { torch::autograd::grad({y}, {t.at("x")}, {t.at("dy")}); });
    EXPECT_EQ(masks, Masks{expected});
  }
}

TEST(TorchOperatorsAutograd, SavesNothingWithoutGradients) {
  const Setting s;
  for (const Operator& op : operators()) {
    SCOPED_TRACE(op.word);
    const NamedTensors t = copy_of(tensors_of(op, s), op, true);
    const auto holders = t.at("x").use_count();
    {
      const at::NoGradGuard no_gradients;
      const Normalized result = apply(op, t, s);
      EXPECT_TRUE(result.y.grad_fn() == nullptr);
      EXPECT_EQ(t.at("x").use_count(), holders);
    }
    const Normalized result = apply(op, t, s);
    EXPECT_TRUE(result.y.grad_fn() != nullptr) << "control";
    EXPECT_GT(t.at("x").use_count(), holders) << "control";
    if (!op.has_norm()) continue;
    EXPECT_FALSE(result.mean.requires_grad() || result.rstd.requires_grad());
  }
}

TEST(TorchOperatorsAutograd, WorksInInferenceMode) {
  const Setting s;
  for (const Operator& op : operators()) {
    SCOPED_TRACE(op.word);
    const NamedTensors given = tensors_of(op, s);
    const at::Tensor want = apply(op, copy_of(given, op, false), s).y;
    const c10::InferenceMode inference;
    EXPECT_TRUE(at::equal(apply(op, copy_of(given, op, false), s).y, want));
  }
}

TEST(TorchOperatorsAutograd, RefusesASavedTensorThatChanged) {
  const Setting s;
  for (const Operator& op : operators()) {
    std::vector<std::string> saved = op.differentiable();
    if (op.has_norm()) saved.insert(saved.end(), {"mean", "rstd"});
    for (const std::string& name : saved) {
      SCOPED_TRACE(op.word + ", " + name);
      NamedTensors t = copy_of(tensors_of(op, s), op, true);
      const Normalized result = apply(op, t, s);
      t.insert({{"mean", result.mean}, {"rstd", result.rstd}});
      {
        const at::NoGradGuard no_gradients;
        t[name].add_(1);
      }
      EXPECT_NE(refusal([&] { result.y.backward(t["dy"]); }).find("modified by an inplace"),
                std::string::npos);
    }
    const NamedTensors t = copy_of(tensors_of(op, s), op, true);
    EXPECT_EQ(refusal([&] { apply(op, t, s).y.backward(t.at("dy")); }), "") << "control";
  }
}

TEST(TorchOperatorsAutograd, SeesBuffersChangeInTrainingOnly) {
  for (const Operator& op : operators()) {
    if (!op.batch_norm) continue;
    for (const bool training : {true, false}) {
      for (const bool gradients : {true, false}) {
        SCOPED_TRACE(op.word + (training ? ", training" : ", eval"));
        const Setting s{.training = training};
        const NamedTensors t = copy_of(tensors_of(op, s), op, gradients);
        const NamedTensors before = copy_of(t, op, false);
        const auto version = [&](const char* name) { return t.at(name)._version(); };
        const auto mean = version("running_mean");
        const auto var = version("running_var");
        const auto count = version("num_batches_tracked");
        apply(op, t, s);
        EXPECT_EQ(version("running_mean"), mean + training);
        EXPECT_EQ(version("running_var"), var + training);
        EXPECT_EQ(version("num_batches_tracked"), count + training);
        for (const char* name : {"running_mean", "running_var", "num_batches_tracked"})
          EXPECT_EQ(at::equal(t.at(name), before.at(name)), !training) << name;
      }
    }
  }
}

TEST(TorchOperatorsAutograd, HasNoSecondDerivative) {
  const Setting s;
  for (const Operator& op : operators()) {
    SCOPED_TRACE(op.word);
    const NamedTensors t = copy_of(tensors_of(op, s), op, true);
    const at::Tensor y = apply(op, t, s).y;
    const at::Tensor d_x = torch::autograd::grad({y}, {t.at("x")}, {t.at("dy")}, std::nullopt,
                                                 /*create_graph=*/true)[0];
    EXPECT_EQ(refusal([&] { d_x.square().sum().backward(); }),
              "gradproof::" + op.word + ": it has no second derivative (double backward)");
  }
}

/// The executor finds a launch that misses the stream which this thread's options demand.
TEST(TorchOperatorsAutograd, ReportsWhatTheExecutorFound) {
  const Setting s;
  for (const Operator& op : operators()) {
    SCOPED_TRACE(op.word);
    const NamedTensors t = copy_of(tensors_of(op, s), op, false);
    EXPECT_EQ(refusal([&] { apply(op, t, s); }), "") << "control";
    simt::Options options;
    options.stream = &s;
    const simt::Scope scope(options);
    const std::string text = refusal([&] { apply(op, t, s); });
    EXPECT_EQ(text.find("gradproof::" + op.word + ": "), 0u) << text;
    EXPECT_NE(text.find("stream"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace gradproof::ops
