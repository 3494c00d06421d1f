// SPDX-License-Identifier: Apache-2.0
// A line and its canonical text are one graph, each name in it means one thing, and what it asks
// for can be had.
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "tests/core/nested_lines.h"

namespace gradproof {
namespace {

std::string said_of(const std::string& line) {
  try {
    parse_graph(line);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "read";
}

void expect(const std::string& line, const std::string& part) {
  EXPECT_NE(said_of(line).find(part), std::string::npos) << line << "\n  " << said_of(line);
}

std::vector<std::string> axes_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphAxis& axis : graph.axes) names.push_back(axis.name);
  return names;
}

TEST(Line, ANestedCallKeepsItsAxesThroughItsText) {
  int read = 0;
  int of_another_order = 0;
  for (std::uint64_t k = 0; k < 4000; ++k) {
    const std::string line = NestedLine(1, k).text();
    if (said_of(line) != "read") continue;
    ++read;
    const Graph graph = parse_graph(line);
    ASSERT_EQ(parse_graph(to_string(graph)), graph) << line << "\n  " << to_string(graph);
    // The control: the axes' order in the text is often not that of the steps.
    std::vector<std::string> in_text = axes_of(graph);
    std::ranges::stable_sort(in_text, {}, [&](const std::string& axis) {
      return std::min(line.find("[" + axis), line.find("," + axis));
    });
    of_another_order += in_text != axes_of(graph);
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(of_another_order, 100);
}

TEST(Line, ACaseOfANestedCallIsThatOfItsText) {
  const Case c = parse_case("{y = add(s[b,i], exp(m[i]))} b=2 i=4", {});
  EXPECT_EQ(to_string(c), "{v1 = exp(m[i]); y = add(s[b,i], v1)} i=4 b=2");
  EXPECT_EQ(parse_case(to_string(c), {}), c);
  EXPECT_EQ(parse_case("{v1 = exp(m[i]); y = add(s[b,i], v1)} b=2 i=4", {}), c);
  const auto nested = parse_graph("y = add(z[n,out], layer_norm(linear(x[n,k], w), out))");
  EXPECT_EQ(parse_graph(to_string(nested)), nested);
}

TEST(Line, ANameOfBackwardIsNoTensorAndNoValue) {
  expect("y = multiply(x, dy)",
         "'dy' is a tensor and the cotangent of output 'y'; give it another");
  expect("d_x = relu(x)", "'d_x' is a value and the gradient of tensor 'x'");
  expect("y = multiply(x, d_x)", "'d_x' is a tensor and the gradient of tensor 'x'");
  expect("y = relu(x); dy = tanh(x)", "'dy' is a value and the cotangent of output 'y'");
  expect("dy = exp(x); y = relu(dy)", "'dy' is a value and the cotangent of output 'y'");
  expect("_x = relu(x)", "'d_x' is the gradient of tensor 'x' and the cotangent of output '_x'");
  // The controls: of no output, of no gradient.
  EXPECT_EQ(said_of("dx = multiply(dy, s)"), "read");
  EXPECT_EQ(said_of("d_mean = batch_norm_eval(x, mean, var)"), "read");
}

TEST(Line, ANameIsNoAxisWhereAnAxisMayStand) {
  expect("y = add(relu(layer_norm(x, w)), x[w,k])",
         "'w' of layer_norm is a tensor or a value, and an axis");
  expect("v = relu(p[k]); y = add(layer_norm(x, v), x[v,k])",
         "'v' of layer_norm is a tensor or a value, and an axis");
  // The controls: nothing else could be meant.
  EXPECT_EQ(said_of("y = relu(y2[y,k])"), "read");
  EXPECT_EQ(said_of("y = layer_norm(x[n,w], w[w])"), "read");
}

TEST(Line, AnAxisStandsOnce) {
  expect("y = silu(x[a,a])",
         "'x[a,a]' names an axis twice; two axes of one extent are two names: x[a,a2] in 'y = ");
  expect("y = silu(x[a,b,a,a2])", "x[a,b,a3,a2]");
  expect("y = mean(x, cols, cols)", "mean names the axes [cols,cols], one of them twice");
  expect("v = max_pool(x[n,c,h], window=2); y = mean(v, h, h.v)", "one of them twice");
  expect("y = relu(x); outputs y y", "outputs names a value twice: y y");
  expect("a = max_pool(x[n,c,h], window=2); v = max_pool(a, window=2); a.v = max_pool(x, window=3)",
         "axis 'h.a.v', which a window leaves of 'h', has the name of another axis");
  EXPECT_EQ(said_of("y = silu(x[a,a2])"), "read");
}

TEST(Line, AStageThatChoosesItsAxesTakesNoOthers) {
  expect("y = nll_loss(x[n,c], labels, n)", "nll_loss works over [c], not over [n]");
  expect("y = rotary(x[t,d], cos, sin, t)", "rotary works over [d], not over [t]");
  expect("y = instance_norm(x[n,c,h,w], g, b, h)", "instance_norm works over [h,w], not over [h]");
  EXPECT_EQ(said_of("y = nll_loss(x[n,c], labels, c)"), "read");
}

TEST(Line, RotaryRepeatsAlongAnyAxis) {
  EXPECT_EQ(said_of("y = rotary(x[t,h,d], cos[t,d], sin[t,d])"), "read");
  EXPECT_EQ(said_of("y = rotary(x[b,h,t,d], cos[b,t,d], sin[d])"), "read");
  expect("y = rotary(x[t,h,d], cos[t,k], sin[t,d])",
         "'cos' of rotary has [t,k], wanted are [h,d] or others of [t,h,d]");
}

TEST(Line, OptionsAreNumbersThatCanBe) {
  expect("y = hardtanh(x, min=2, max=1)", "min=2 of hardtanh is over max=1");
  expect("y = hardtanh(x, min=2)", "min=2 of hardtanh is over max=1");
  expect("y = max_pool(x[n,c,h], window=1e300)",
         "bad value '1e300' for option 'window' of max_pool; a whole number from 1 to 2147483647");
  EXPECT_EQ(said_of("y = hardtanh(x, min=0, max=0)"), "read");
}

}  // namespace
}  // namespace gradproof
