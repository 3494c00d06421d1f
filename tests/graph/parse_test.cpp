// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/case/said_keys.h"
#include "core/error.h"
#include "core/graph/draw/draw_graph.h"
#include "core/graph/graph_case.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_case(text, {});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string error_of_graph(const std::string& text) { return error_of("{" + text + "}"); }

TEST(Graph, AChainAndAssignmentsAreTheSame) {
  const Graph chain = parse_graph("x -> scale(s) -> tanh -> y");
  EXPECT_EQ(to_string(chain), "v1 = scale(x, s); y = tanh(v1)");
  EXPECT_EQ(parse_graph("v1 = scale(x, s); y = tanh(v1)"), chain);
  EXPECT_EQ(to_string(parse_graph("y = multiply(swish(gate), up)")),
            "v1 = silu(gate); y = multiply(v1, up)");
}

TEST(Graph, AxesFollowFromTheStages) {
  const Graph g = parse_graph(
      "x[n,c,h,w] -> group_norm(weight, beta, groups=2) -> avg_pool(window=2) -> mean(h, w) -> y");
  EXPECT_EQ(g.axes_of("weight"), std::vector<std::string>{"c"});
  EXPECT_EQ(g.axes_of("v2"), (std::vector<std::string>{"n", "c", "h.v2", "w.v2"}));
  EXPECT_EQ(g.axes_of("y"), (std::vector<std::string>{"n", "c"}));
  EXPECT_EQ(parse_graph(to_string(g)), g);
  const GraphExtents extents = g.extents({{"n", 3}, {"c", 4}, {"h", 5}, {"w", 6}});
  EXPECT_EQ(extents.at("h.v2"), 2);
  EXPECT_EQ(extents.at("w.v2"), 3);
}

TEST(Graph, TensorsStandInTheOrderOfTheirFirstUse) {
  const auto names = [](const Graph& g) {
    std::vector<std::string> found;
    for (const GraphTensor& t : g.tensors) found.push_back(t.name);
    return found;
  };
  // Axes are said of the last one alone, and of the first one alone.
  EXPECT_EQ(names(parse_graph("y = add(scale(x, s), b[rows,cols])")),
            (std::vector<std::string>{"x", "s", "b"}));
  EXPECT_EQ(names(parse_graph("y = add(scale(x[rows,cols], s), b)")),
            (std::vector<std::string>{"x", "s", "b"}));
}

TEST(Graph, OutputsAreWhatNobodyUsesUnlessTheTextSaysMore) {
  EXPECT_EQ(parse_graph("h = add(x, r); y = relu(h)").outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(parse_graph("h = add(x, r); y = relu(h); outputs y h").outputs,
            (std::vector<std::string>{"y", "h"}));
}

TEST(Graph, DrawnGraphsSurviveTheirText) {
  int accepted = 0;
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const std::string line = drawn_graph_case(1, k);
    try {
      const Case c = parse_case(line, {});
      const Graph g = graph_of(c);
      ASSERT_EQ(parse_graph(to_string(g)), g) << line;
      ASSERT_EQ(parse_case(to_string(c), {}), c) << line;
      extents_of(g, c);
      ++accepted;
    } catch (const UsageError&) {
      continue;
    }
  }
  EXPECT_GT(accepted, 1500);
}

TEST(Graph, EveryStageIsDrawn) {
  std::string all;
  for (std::uint64_t k = 0; k < 2000; ++k) all += drawn_graph_case(1, k);
  for (const GraphStage& s : graph_stages())
    EXPECT_NE(all.find(" " + std::string(s.word) + "("), std::string::npos) << s.word;
}

TEST(Graph, BadTextIsRefusedWithKeyTextAndChoices) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(error_of_graph(text).find(part), std::string::npos)
        << text << "\n  " << error_of_graph(text);
  };
  expect("y = gelo(x)",
         "unknown stage 'gelo'; 'gradproof list stages' names them; did you mean "
         "'gelu'?");
  expect("y = dropout(x)", "stage 'dropout' is refused");
  expect("x -> rlu -> tanh -> y", "unknown stage 'rlu'");
  expect("y = relu(b); b = tanh(y)", "value 'b' is used before it is made");
  expect("a = relu(x); y = tanh(x); outputs y", "value 'a' is made, and never used");
  expect("y = relu(x); outputs z", "output 'z' is no value; known: y");
  expect("y = relu(x); y = tanh(x)", "value 'y' is made twice");
  expect("y = mean(x[n,c], d)", "'d' of mean is no axis of 'x', which has [n,c]");
  expect("y = mean(x[n,c])", "mean needs the axes that it works over; 'x' has [n,c]");
  expect("y = relu(x, z[n])", "relu takes 1 operand: 'z' is too many");
  expect("y = add(x)", "add lacks its operand 'other'");
  expect("y = softcap(x)", "softcap needs cap=NUMBER");
  expect("y = softcap(x, cap=much)", "bad value 'much' for option 'cap' of softcap");
  expect("y = gelu(x, approximate=erf)",
         "bad value 'erf' for option 'approximate' of gelu; known: none tanh");
  expect("y = relu(x, slope=1)", "unknown option 'slope' of relu");
  expect("y = rms_norm(x[n,c], w[n])", "'w' of rms_norm has [n], wanted are [c]");
  expect("y = relu(3)", "operand 'x' of relu is a tensor, no number");
  expect("y = add(1, 2)", "add takes numbers alone");
  expect("y = max_pool(x[n,c,h], window=2, padding=2)", "padding=2 of max_pool is more than half");
  expect("y = batch_norm_eval(x, mean)", "batch_norm_eval lacks its operand 'var'");
  expect("y = batch_norm_eval(x[n,c,h], mean[n], var)",
         "'mean' of batch_norm_eval has [n], wanted are [c]");
  expect("y = running_mean(x, mean, rows)", "running_mean works over axes of its own");
  expect("y = running_var(x, var, momentum=-1)", "bad value '-1' for option 'momentum'");
  expect("a = add(x, labels[rows]); y = nll_loss(a, labels)",
         "'labels' has labels, which add cannot take");
  expect("a = tanh(x[rows]); y = nll_loss(x2[rows,cols], a)",
         "the labels of nll_loss are a tensor, no value");
  expect("y = relu(x", "')' is wanted at the end");
  expect("", "no step");
  expect("y = avg_pool(x[n,c], window=2)", "avg_pool needs axes behind the channels");
  EXPECT_NE(error_of("{y = relu(x) rows=3").find("'}' is wanted"), std::string::npos);
  EXPECT_NE(error_of("{y = relu(x)} rows=0").find("bad value '0' for key 'rows'"),
            std::string::npos);
}

/// Whoever writes a Case says how long its axes are; those that a window leaves follow.
TEST(Graph, AnAxisWithoutAnExtentIsRefused) {
  const auto refusal = [](const std::string& text, const std::vector<std::string>& elsewhere) {
    try {
      require_extents(text, elsewhere);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      refusal("{y = relu(x)} rows=3", {}),
      "axis 'cols' has no extent in '{y = relu(x)} rows=3'; say cols=NUMBER behind the braces");
  EXPECT_NE(refusal("{y = relu(x)} rows=3", {"dtype=f64"}), "");
  EXPECT_EQ(refusal("{y = relu(x)} rows=3", {"cols=4"}), "");
  EXPECT_EQ(refusal("{y = relu(x)} rows=3 cols=8", {}), "");
  EXPECT_EQ(refusal("{y = max_pool(x[n,c,h], window=2)} n=1 c=2 h=4", {}), "");
  EXPECT_EQ(refusal("swish_bias rows=3", {}), "") << "a kernel of the catalog has defaults";
  EXPECT_EQ(to_string(parse_case("{y = relu(x)} rows=3 cols=8", {})),
            "{y = relu(x)} rows=3 cols=8");
}

TEST(Graph, WhatTheExtentsCannotBeIsRefused) {
  const Case wide = parse_case("{y = max_pool(x[n,c,h], window=9)} h=8", {});
  EXPECT_THROW(extents_of(graph_of(wide), wide), UsageError);
}

}  // namespace
}  // namespace gradproof
