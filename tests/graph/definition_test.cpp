// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "tests/graph/ran.h"
#include "tests/graph/text/parse_error.h"

namespace gradproof {
namespace {

using Names = std::vector<std::string>;

Names values_of(const Graph& graph) {
  Names values;
  for (const GraphStep& s : graph.steps) values.push_back(s.value);
  return values;
}

/// The canonical text, which is the same graph.
std::string text_of(const std::string& line) {
  const Graph graph = parse_graph(line);
  const std::string text = to_string(graph);
  EXPECT_EQ(parse_graph(text), graph) << text;
  EXPECT_EQ(to_string(parse_graph(text)), text);
  return text;
}

TEST(Definition, ACallIsTheStepsOfItsStages) {
  const Graph g = parse_graph("serf(t) := multiply(t, erf(softplus(t))); y = serf(x)");
  EXPECT_EQ(values_of(g), (Names{"y.v1", "y.v2", "y"}));
  EXPECT_EQ(step_texts(g), (Names{"softplus(x)", "erf(y.v1)", "multiply(x, y.v2)"}));
  EXPECT_EQ(g.outputs, Names{"y"});
}

TEST(Definition, TextAndValueAreInverse) {
  EXPECT_EQ(text_of("serf( t ):=multiply(t,erf(softplus(t))) ;y=serf(x)"),
            "serf(t) := multiply(t, erf(softplus(t))); y = serf(x)");
  // Numbers get their shortest form; a call says an option, and a call stands inside of a call.
  EXPECT_EQ(text_of("f(t, a=1.50) := {h = exp(t); divide(h, add(h, a))}; y = f(relu(x), a=0.20)"),
            "f(t, a=1.5) := {h = exp(t); divide(h, add(h, a))}; v1 = relu(x); y = f(v1, a=0.2)");
  // The line has a chain, axes behind a tensor and as an operand, and a definition of a definition.
  EXPECT_EQ(text_of("m(t, a) := divide(t, mean(abs(t), a)); n(t) := add(m(t, c), m(t, n)); "
                    "x[n,c] -> n -> tanh -> y"),
            "m(t, a) := divide(t, mean(abs(t), a)); n(t) := add(m(t, c), m(t, n)); "
            "v1 = n(x[n,c]); y = tanh(v1)");
}

TEST(Definition, ACaseKeepsIt) {
  const std::string line = "{f(t) := {h = exp(t); divide(h, add(h, 1))}; y = f(x)} rows=3 cols=8";
  const Case c = parse_case(line, {});
  EXPECT_EQ(to_string(c), line);
  EXPECT_EQ(parse_case(to_string(c), {}), c);
}

TEST(Definition, TensorsStandInTheOrderOfTheText) {
  const Graph g = parse_graph("gate(t, u) := multiply(sigmoid(u), t); y = gate(x[n,c], w)");
  ASSERT_EQ(g.tensors.size(), 2U);
  EXPECT_EQ(g.tensors[0].name, "x");
  EXPECT_EQ(g.axes_of("w"), (Names{"n", "c"})) << "as of the call's first operand";
}

TEST(Definition, ItsNumbersAndAxesAreThoseOfTheCall) {
  const Graph g = parse_graph(
      "f(t, axis, a=2, b=0.1) := leaky_relu(multiply(sum(t, axis), a), slope=b); "
      "y = f(x, rows, b=3)");
  EXPECT_EQ(step_texts(g),
            (Names{"sum(x, rows)", "multiply(y.v1, 2)", "leaky_relu(y.v2, slope=3)"}));
}

/// A call of a definition has the same truths and the same bounds as its steps written out.
TEST(Definition, IsJudgedAsWhatItStandsFor) {
  for (const char* dtype : {"f32", "bf16"}) {
    const std::string keys = std::string("} rows=4 cols=24 seed=3 dtype=") + dtype;
    const Ran defined("{serf(t) := multiply(t, erf(softplus(t))); y = serf(x)" + keys);
    Ran written("{v1 = softplus(x); v2 = erf(v1); y = multiply(x, v2)" + keys);
    for (const auto& [name, judged] : defined.judged()) {
      const Judged other = written.judged().at(name);
      EXPECT_EQ(judged.discrepancy.bad, 0);
      EXPECT_EQ(judged.discrepancy.max_ratio, other.discrepancy.max_ratio) << name;
    }
    Ran wrong = defined;
    Tensor& y = wrong.got.at("y");
    y.set(5, y.at(5) + 0.1 * (1 + std::abs(y.at(5))));
    EXPECT_EQ(wrong.judged().at("y").discrepancy.bad, 1);
  }
}

TEST(Definition, BadTextIsRefusedInOneLine) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string error = parse_error(text);
    EXPECT_NE(error.find(part), std::string::npos) << text << "\n  " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  };
  expect("f(t) := tanh(t); y = f(x)", "accepted");
  expect("f(t) := add(f(t), t); y = f(x)", "'f' is defined by itself");
  expect("f(t) := g(t); g(t) := f(t); y = f(x)", "unknown stage 'g'");
  expect("f(t) := tanh(t); y = relu(x)", "stage 'f' is defined, and never used");
  expect("f(t, u) := tanh(t); y = f(x, z)", "'u' is never used in the definition of 'f'");
  expect("f(t, a=1) := tanh(t); y = f(x)", "'a' is never used in the definition of 'f'");
  expect("f(t) := {h = tanh(t); relu(t)}; y = f(x)", "'h' is never used in the definition of 'f'");
  expect("f(t) := {t = tanh(t); relu(t)}; y = f(x)", "value 't' is made twice in the definition");
  expect("f(t, t) := tanh(t); y = f(x, x)", "'t' of f stands twice");
  expect("f(t) := tanh(t); y = f(x, z)", "f takes 1 operand (t), and is given 2");
  expect("f(t) := tanh(t); y = f()", "f takes 1 operand (t), and is given 0");
  expect("f(t, a=1) := add(t, a); y = f(x, b=2)", "unknown option 'b' of f");
  expect("f(t, a=1) := add(t, a); y = f(x, a=z)", "bad value 'z' for option 'a' of f; a number");
  expect("f(t, a=1) := add(t, a); y = f(x, a=1, a=2)", "option 'a' stands twice");
  expect("f(t, a=b) := add(t, a); y = f(x)", "numbers as key=NUMBER");
  expect("gelu(t) := tanh(t); y = gelu(x)", "'gelu' is a stage already");
  expect("swish(t) := tanh(t); y = swish(x)", "'swish' is a stage already");
  expect("f(t) := tanh(t); f(t) := relu(t); y = f(x)", "stage 'f' is defined twice");
  expect("f(t) := tanh(u); y = f(x)", "'u' is none of its names (t) in the definition of 'f'");
  expect("f(t) := add(t, u); y = f(x)", "'u' in a definition is no operand and no value of it");
  expect("f(t) := tanh(t[n]); y = f(x)", "the axes of 't' are said in the definition of 'f'");
  expect("f() := tanh(x); y = f(x)", "'f' has no operand");
  expect("f := tanh(x); y = f(x)", "the stage 'f' is defined without operands");
  expect("f(t) := {h = tanh(t)}; y = f(x)", "';' is wanted");
  expect("f(t) := {tanh(t); y = f(x)", "'}' is wanted");
  expect("serf(t) := tanh(t); y = sefr(x)", "unknown stage 'sefr'");
  expect("serf(t) := tanh(t); y = sefr(x)", "did you mean 'serf'?");
  expect("f(t) := {h = tanh(t); relu(h)}; y = f(x); y.h = relu(y)", "value 'y.h' is made twice");
  expect("f(t, a) := mean(t, a); y = f(x[n,w], w); z = relu(w)", "'w' is a tensor and an axis");
  expect("y = multiply(x, -nan)", "an operand is wanted");
}

/// Definitions that take each other twice would be 2^20 steps.
TEST(Definition, ThereIsAnEndToTheSteps) {
  std::string line = "f0(t) := add(t, 1); ";
  for (int k = 1; k <= 20; ++k) line += fmt::format("f{0}(t) := add(f{1}(t), f{1}(t)); ", k, k - 1);
  EXPECT_NE(parse_error(line + "y = f20(x)").find("more than 4096 steps"), std::string::npos);
}

}  // namespace
}  // namespace gradproof
