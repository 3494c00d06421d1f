// SPDX-License-Identifier: Apache-2.0
// Laws are checked on kernels whose pipelines are drawn, or written for what laws were once wrong
// about. LibTorch's operators compute them, so a law that fails is wrong itself, or about something
// that the pipeline does not promise.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/draw_graph.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_types.h"
#include "core/parallel.h"
#include "kernels/own/own_kernel.h"
#include "oracles/claim/case_claim.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/graph.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

Tensor tensor_in(const View& view) {
  Tensor t(view.dtype, view.shape);
  std::memcpy(t.data(), view.data, static_cast<std::size_t>(t.numel()) * size_of(view.dtype));
  return t;
}

/// Writes LibTorch's results of a pass into the views that the call has for them.
void call_libtorch(const Graph& graph, const GraphTypes& types, const Call& call, bool backward) {
  Tensors inputs;
  for (const GraphTensor& t : graph.tensors) inputs.emplace(t.name, tensor_in(call.view(t.name)));
  for (const std::string& output : graph.outputs) {
    Tensor numbers = tensor_in(call.view(backward ? "d" + output : output));
    for (std::int64_t i = 0; !backward && i < numbers.numel(); ++i) numbers.set(i, 0);
    inputs.emplace("d" + output, std::move(numbers));
  }
  for (const auto& [name, result] : graph_in_libtorch(graph, inputs, types))
    if (const auto view = call.views.find(name);
        view != call.views.end() && has_name(graph.outputs, name) != backward)
      std::memcpy(view->second.data, result.first(),
                  static_cast<std::size_t>(result.numel()) * size_of(result.dtype()));
}

Kernel libtorch_kernel(const Graph& graph) {
  const GraphTypes types(graph, DType::f32);
  OwnKernel own;
  own.word = "drawn";
  own.pipeline = to_string(graph);
  own.forward = [=](const Call& call) { call_libtorch(graph, types, call, false); };
  own.backward = [=](const Call& call) { call_libtorch(graph, types, call, true); };
  return system_of(own);
}

/// The counts of the laws' findings on one drawn graph.
struct Counts {
  int asked = 0;
  int passed = 0;
  std::map<std::string, int> by_law;
};

/// The kernel's Case with the words of the drawn line, in float32. Throws UsageError for extents
/// that its graph cannot have.
Case case_of(const Kernel& kernel, const std::string& drawn) {
  std::istringstream words{std::string(graph_word(drawn).rest)};
  std::string text = kernel.schema->word;
  for (std::string word; words >> word;)
    if (!word.starts_with("dtype")) text += " " + word;
  Case c = parse_case(text, {kernel.schema});
  graph_claim_of(c);
  return c;
}

void ask_laws(const Kernel& kernel, const Case& c, Counts& counts) {
  for (const Law& law : laws()) {
    if (law.only_by_name || !law.applies(kernel.claim(c))) continue;
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
      kernel = libtorch_kernel(graph_of(parse_case(text, {})));
      c = case_of(*kernel, text);
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
  const Kernel kernel = libtorch_kernel(parse_graph(line));
  Counts counts;
  ask_laws(kernel, case_of(kernel, "{" + line + "} " + extents), counts);
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
