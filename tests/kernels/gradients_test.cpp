// SPDX-License-Identifier: Apache-2.0
// Any gradients may be asked for (the key `grads`): they have the bits that they have among all.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "kernels/kernel.h"
#include "tests/kernels/runs.h"

namespace gradproof {
namespace {

std::set<std::string> gradients_of(const Case& c) {
  std::set<std::string> names;
  for (const TensorSpec& spec : kernel_of(c).claim(c).tensors)
    if (spec.role == Role::gradient) names.insert(spec.name);
  return names;
}

/// The gradients of `some` that have other bits than in `all`.
std::string other_bits(const KernelRun& some, const KernelRun& all) {
  std::string names;
  for (const auto& [name, tensor] : some.tensors)
    if (!same_bits(tensor, get(all.tensors, name))) names += name + " ";
  return names;
}

/// Cases on both sides of a kernel's paths: resident and streamed, one group and wide ones.
std::vector<Case> paths_of(const Kernel& kernel) {
  std::vector<Case> paths;
  const bool groups = kernel.schema->has("groups");
  for (const char* rows : {"0", "33", "1100"}) {
    const Case c = Case(kernel.schema).with("rows", rows);
    paths.push_back(groups ? c.with("cols", "24") : c.with("cols", "20"));
  }
  if (groups) paths.push_back(Case(kernel.schema).with("cols", "2304").with("groups", "2"));
  const Case c = Case(kernel.schema).with("rows", "40");
  for (const char* name : {"bias", "scale", "multiply"})
    if (kernel.schema->has(name)) paths.push_back(c.with(name, "one"));
  if (kernel.schema->has("mode")) paths.push_back(c.with("mode", "eval"));
  return paths;
}

TEST(KernelGradients, AnyOfThemLeaveTheBitsThatAllHave) {
  for (const Kernel& kernel : test_kernels()) {
    for (const Case& c : paths_of(kernel)) {
      const KernelRun all = run(c);
      for (const std::string& grads : kernel.schema->key("grads", "").words) {
        const KernelRun some = run(c.with("grads", grads));
        EXPECT_TRUE(some.findings.empty()) << to_string(c) << " grads=" << grads;
        EXPECT_EQ(other_bits(some, all), "") << to_string(c) << " grads=" << grads;
      }
    }
  }
}

TEST(KernelGradients, AFaultOfOneChoiceIsSeen) {
  const Case c = parse_case("scale_batchnorm mutant=beta_gradient_behind_weights", schemas());
  const KernelRun all = run(c);
  EXPECT_EQ(other_bits(run(c.with("grads", "x+weight+beta")), all), "");
  EXPECT_EQ(other_bits(run(c.with("grads", "x+beta")), all), "d_beta ");
  EXPECT_EQ(other_bits(run(c.with("grads", "beta")), all), "d_beta ");
}

TEST(KernelGradients, EveryChoiceHasOneText) {
  for (const Kernel& kernel : test_kernels()) {
    const Case c(kernel.schema);
    const std::vector<std::string>& words = kernel.schema->key("grads", "").words;
    std::set<std::set<std::string>> seen;
    for (const std::string& grads : words) seen.insert(gradients_of(c.with("grads", grads)));
    EXPECT_EQ(seen.size(), words.size()) << kernel.schema->word;
    const std::size_t parameters = gradients_of(c).size();
    EXPECT_EQ(words.size(), (std::size_t{1} << parameters) - 1) << kernel.schema->word;
  }
}

TEST(KernelGradients, AreThoseThatTheTextNames) {
  const auto of = [](const std::string& text) { return gradients_of(parse_case(text, schemas())); };
  using Names = std::set<std::string>;
  EXPECT_EQ(of("scale_batchnorm grads=x+beta"), (Names{"d_x", "d_beta"}));
  EXPECT_EQ(of("scale_batchnorm grads=scale"), (Names{"d_scale"}));
  EXPECT_EQ(of("scale_batchnorm grads=input"), (Names{"d_x"}));
  EXPECT_EQ(of("scale_batchnorm grads=parameters"), (Names{"d_weight", "d_beta", "d_scale"}));
  EXPECT_EQ(of("scale_batchnorm grads=parameters affine=no"), (Names{"d_scale"}));
  EXPECT_EQ(of("groupnorm grads=weight"), (Names{"d_weight"}));
}

TEST(KernelGradients, WhatHasNoneIsRefused) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      parse_case(text, schemas());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error_of("groupnorm grads=x+bias"),
            "bad value 'x+bias' for key 'grads'; known: all input parameters weight x+weight beta "
            "x+beta");
  EXPECT_EQ(error_of("groupnorm grads=beta affine=no"),
            "affine=no has neither weight nor beta for grads to name in 'groupnorm grads=beta "
            "affine=no'");
  EXPECT_EQ(error_of("scale_batchnorm grads=x+scale affine=no"), "accepted");
}

}  // namespace
}  // namespace gradproof
