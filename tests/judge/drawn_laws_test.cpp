// SPDX-License-Identifier: Apache-2.0
// Laws are checked on kernels whose pipelines are drawn, or written for what laws were once wrong
// about. LibTorch's operators compute them, so a law that fails is wrong itself, or about something
// that the pipeline does not promise.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/case/case.h"
#include "core/error.h"
#include "core/graph/draw/draw_graph.h"
#include "core/parallel.h"
#include "judge/laws/called_kernel.h"
#include "kernels/own/own_kernel.h"
#include "oracles/claim/case_claim.h"
#include "oracles/libtorch/autograd.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

/// The counts of the laws' findings on one drawn graph.
struct Counts {
  int asked = 0;
  int passed = 0;
  std::map<std::string, int> by_law;
};

/// The Case in float32. Throws UsageError for extents that its graph cannot have.
Case case_of(const std::string& text) {
  const Case c = parse_case(text, {}).with("dtype", "f32").with("dtypes", "");
  graph_claim_of(c);
  return c;
}

void ask_laws(const Kernel& kernel, const Case& c, Counts& counts) {
  for (const Law& law : laws()) {
    if (law.only_by_name || law.of_launches || !law.applies(kernel.claim(c))) continue;
    ++counts.asked;
    bool passed = false;
    for (const Finding& f : check_law(law, kernel, c)) {
      EXPECT_FALSE(is_wrong(f.verdict.outcome))
          << law.name << ": " << f.quantity << ": " << f.verdict.reason << ", "
          << f.discrepancy.max_ratio << " of the bound; " << kernel.schema->pipeline << " "
          << to_string(c);
      passed = passed || f.verdict.outcome == Outcome::passed;
    }
    counts.passed += passed ? 1 : 0;
    counts.by_law[law.name] += passed ? 1 : 0;
  }
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(DrawnGraphs, NoLawConvictsLibTorch) {
  if (!has_libtorch()) GTEST_SKIP() << "there is no LibTorch";
  const ThreadLimit one(1);
  const std::uint64_t seed = number_of("GRADPROOF_LAWS_SEED", 1);
  const std::uint64_t graphs = number_of("GRADPROOF_LAWS_GRAPHS", 60);
  Counts counts;
  int refused = 0;
  for (std::uint64_t k = 0; k < graphs; ++k) {
    const std::string text = drawn_graph_case(seed, k);
    std::optional<Case> c;
    std::optional<Kernel> kernel;
    try {
      c = case_of(text);
      kernel = called_kernel(*c, libtorch_pass(*c));
    } catch (const UsageError&) {
      ++refused;
      continue;
    }
    SCOPED_TRACE(text);
    ask_laws(*kernel, *c, counts);
  }
  std::cout << counts.asked << " laws asked, " << counts.passed << " trusted, " << refused
            << " graphs refused\n";
  for (const auto& [law, passed] : counts.by_law) std::cout << law << " " << passed << "\n";
  EXPECT_LT(refused, static_cast<int>(graphs) / 4);
  EXPECT_GT(counts.passed, counts.asked / 4);
}

/// The counts of the laws' findings on a line.
Counts counts_of(const std::string& line, const std::string& extents) {
  const Case c = case_of("{" + line + "} " + extents);
  Counts counts;
  ask_laws(called_kernel(c, libtorch_pass(c)), c, counts);
  return counts;
}

/// Tensors and outputs may have the names that kernels of the catalog have for statistics.
TEST(WrittenGraphs, NoNameSaysWhatChangesItsSign) {
  if (!has_libtorch()) GTEST_SKIP() << "there is no LibTorch";
  const ThreadLimit one(1);
  Counts counts = counts_of(
      "y = rms_norm(x[rows,cols], weight); mean = tanh(running_mean[rows,cols])", "rows=8 cols=8");
  EXPECT_EQ(counts.by_law["sign"], 1);
}

TEST(WrittenGraphs, TheGradientOfASubtrahendHasTheOtherSign) {
  if (!has_libtorch()) GTEST_SKIP() << "there is no LibTorch";
  const ThreadLimit one(1);
  Counts counts = counts_of(
      "n = layer_norm(x[rows,cols], weight, beta); y = subtract(n, bias[cols])", "rows=8 cols=8");
  EXPECT_EQ(counts.by_law["summands_alike"], 1);
}

/// A relu with these slopes at 0, where any slope from 0 to 1 is right, and above 0.
Kernel relu_kernel(float at_zero, float behind_zero) {
  OwnKernel own;
  own.word = "own_relu";
  own.pipeline = "y = relu(x[rows,cols])";
  own.forward = [](const Call& call) {
    for (std::int64_t i = 0; i < call.extent("rows") * call.extent("cols"); ++i)
      call.view("y").as<float>()[i] = std::max(0.0F, call.view("x").as<float>()[i]);
  };
  own.backward = [=](const Call& call) {
    for (std::int64_t i = 0; i < call.extent("rows") * call.extent("cols"); ++i) {
      const float x = call.view("x").as<float>()[i];
      const float slope = x == 0 ? at_zero : x > 0 ? behind_zero : 0;
      call.view("d_x").as<float>()[i] = slope * call.view("dy").as<float>()[i];
    }
  };
  return system_of(own);
}

TEST(AdjointIdentity, SaysNothingAtAKinkAndConvictsBesideIt) {
  const ThreadLimit one(1);
  const Law& law = law_named("adjoint_identity");
  const auto convicted = [&](float at_zero, float behind_zero, const std::string& set) {
    const Kernel kernel = relu_kernel(at_zero, behind_zero);
    const Case c = Case(kernel.schema).with("rows", "4").with("cols", "6").with("set", set);
    return convicts(law, kernel, c);
  };
  for (const float slope : {0.0F, 0.5F, 1.0F}) EXPECT_FALSE(convicted(slope, 1, "x@1,2:0"));
  EXPECT_TRUE(convicted(0, 0.5F, "x@1,2:1"));
}

}  // namespace
}  // namespace gradproof
