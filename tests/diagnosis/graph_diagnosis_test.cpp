// SPDX-License-Identifier: Apache-2.0
// Explanations of wrong tensors of graphs. What Python plants is in
// tests/python/words/diagnosis_test.py; here are drawn graphs of all stages, memory that nobody
// wrote, and the edits of lines.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/draw/draw_graph.h"
#include "core/tensor/dtype.h"
#include "oracles/diagnosis/diagnose.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/hypotheses.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

using diagnosis::with_statements;

std::string words(const Ran& ran, const std::string& name, const Tensor& got) {
  double numbers = kDiagnosedNumbers;
  return diagnose(ran.claim, ran.inputs, {}, {name, got}, numbers);
}

/// The function's number in place of each of the tensor's.
template <class Function>
Tensor each(const Tensor& from, const Function& function) {
  Tensor made(from.dtype(), from.shape());
  for (std::int64_t i = 0; i < from.numel(); ++i) made.set(i, function(i, from.at(i)));
  return made;
}

/// Graphs of the generator that are no refusals, in float32.
std::vector<Ran> drawn_runs(std::uint64_t count) {
  std::vector<Ran> all;
  for (std::uint64_t number = 0; all.size() < count; ++number) {
    std::string line = drawn_graph_case(77, number);
    const std::size_t type = line.find(" dtype=");
    if (type != std::string::npos) line.erase(type, line.find(' ', type + 1) - type);
    try {
      const Ran ran(line);
      ran.judged();
      all.push_back(ran);
    } catch (const UsageError&) {
      continue;  // a window that is wider than its axis, a variance of one number over N - 1
    }
  }
  return all;
}

TEST(GraphDiagnosis, SaysNothingOfWhatIsRightAndOfNumbersThatAreNoFault) {
  for (const Ran& ran : drawn_runs(60))
    for (const auto& [name, got] : ran.got) {
      const std::string context = to_string(ran.c) + " " + name;
      EXPECT_EQ(words(ran, name, got), "") << context;
      const Tensor other = each(got, [](std::int64_t i, double number) {
        const auto at = static_cast<double>(i);
        return number * (1 + 0.01 * std::sin(7 * at + 1)) + 0.001 * std::sin(3 * at + 2);
      });
      EXPECT_EQ(words(ran, name, other), "") << context;
    }
}

TEST(GraphDiagnosis, NamesAFactorOfEveryStage) {
  int named = 0, all = 0;
  for (const Ran& ran : drawn_runs(60))
    for (const auto& [name, got] : ran.got) {
      const Tensor twice = each(got, [](std::int64_t, double number) { return 2 * number; });
      const std::string said = words(ran, name, twice);
      if (said.empty()) continue;  // it is 0, or its bound is wide
      ++all;
      named += said.find("it is doubled") != std::string::npos ? 1 : 0;
    }
  EXPECT_GT(all, 60);
  EXPECT_EQ(named, all);
}

TEST(GraphDiagnosis, NamesMemoryThatNobodyWrote) {
  const Ran ran("{y = softmax(x)} rows=6 cols=9");
  Tensor got = each(ran.got.at("y"), [](std::int64_t, double number) { return number; });
  for (const std::size_t byte : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}})
    got.bytes()[byte] = std::byte{0xFF};
  EXPECT_EQ(words(ran, "y", got).substr(0, 13), "never written");
  got.set(0, 0.25);
  EXPECT_EQ(words(ran, "y", got), "") << "a number that somebody wrote";
}

TEST(GraphDiagnosis, TestsTheSimplestAloneWhereATensorIsLarge) {
  const Ran ran("{y = layer_norm(x, weight, beta)} rows=512 cols=512");
  const Tensor twice =
      each(ran.got.at("d_weight"), [](std::int64_t, double number) { return 2 * number; });
  EXPECT_EQ(words(ran, "d_weight", twice).substr(0, 13), "it is doubled");
}

/// The hypotheses about a gradient whose text begins so.
std::ptrdiff_t hypotheses_of(const std::string& line, const std::string& name,
                             const std::string& begin) {
  const Ran ran(line);
  diagnosis::WrongTensor whole{ran.claim, ran.inputs, {}, name, ran.got.at(name)};
  diagnosis::take_entries(whole);
  diagnosis::take_nodes(whole);
  return std::ranges::count_if(
      diagnosis::hypotheses_about(whole),
      [&](const diagnosis::Hypothesis& one) { return one.text.starts_with(begin); });
}

/// Statements that the language refuses would be dropped without a word.
TEST(Hypotheses, AreAllLinesOfTheLanguage) {
  const auto of = [](const std::string& norm, const std::string& call) {
    return hypotheses_of("{y = " + call + "} rows=6 cols=8", "d_x", norm + ": ");
  };
  // Formulas of the value, adjoints, and what becomes of a weight.
  EXPECT_EQ(of("layer_norm", "layer_norm(x, weight, beta)"), 6 + 8 + 3);
  EXPECT_EQ(of("layer_norm", "layer_norm(x)"), 6 + 8);
  EXPECT_EQ(of("rms_norm", "rms_norm(x, weight)"), 5 + 6 + 3);
  EXPECT_EQ(of("group_norm", "group_norm(x, weight, beta, groups=2)"), 6 + 8 + 3);
  EXPECT_EQ(of("batch_norm", "batch_norm(x, weight, beta)"), 6 + 8 + 2);
  EXPECT_EQ(of("batch_norm_eval", "batch_norm_eval(x, mean, var, weight, beta)"), 2);
  EXPECT_EQ(of("silu", "silu(x)"), 5);
  EXPECT_EQ(of("gelu", "gelu(x)"), 2);
  EXPECT_EQ(of("tanh", "tanh(x)"), 3);
  EXPECT_EQ(of("sigmoid", "sigmoid(x)"), 3);
  EXPECT_EQ(of("exp", "exp(x)"), 2);
  EXPECT_EQ(of("softmax", "softmax(x)"), 1);
  EXPECT_EQ(of("swiglu", "swiglu(x, z)"), 2);
}

TEST(EditedGraph, HasTheAxesOfTheLine) {
  const Graph graph = parse_graph("h = add(x, b[cols]); y = layer_norm(h, w, c)");
  const auto edited = with_statements(graph, 1, "$n = multiply(h, w); y = add($n, c)");
  ASSERT_TRUE(edited);
  EXPECT_EQ(to_string(*edited),
            "h = add(x[rows,cols], b[cols]); edit1_n = multiply(h, w[cols]); "
            "y = add(edit1_n, c[cols]); outputs y");
}

TEST(EditedGraph, IsNoneWhereTheLineSaysNoSuchThing) {
  const Graph graph = parse_graph("y = softmax(x, cols)");
  EXPECT_FALSE(with_statements(graph, 0, "y = sofmax(x)")) << "a word that is no stage";
  EXPECT_FALSE(with_statements(graph, 0, "y = sum(x, cols)")) << "an output of other axes";
  const Graph own = parse_graph("f(t) := square(t); y = f(x)");
  EXPECT_FALSE(with_statements(own, 0, "y = square(x)")) << "a line with a stage of its own";
}

}  // namespace
}  // namespace gradproof
