// SPDX-License-Identifier: Apache-2.0
// One element of a graph is explained: its truth, and the steps whose roundings make its bound.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/graph/explain/explain_graph.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

Explanation explained(const Ran& ran, const std::string& target, std::int64_t index) {
  const GraphTruths truths = truths_of_graph(ran.claim, ran.inputs, target, ran.got.at(target));
  const auto at = static_cast<std::size_t>(index);
  return explain_in_graph(ran.claim, ran.inputs,
                          {target, index, truths.truths.at(at), truths.escalated[at] != 0});
}

/// The share of all terms that have these words.
double share(const Explanation& e, const std::string& words) {
  double sum = 0;
  for (const Term& term : e.terms)
    if (term.words.find(words) != std::string::npos) sum += term.share;
  return sum;
}

/// The share of the terms of a step's value.
double share_of_value(const Explanation& e, const std::string& value) {
  double sum = 0;
  for (const Term& term : e.terms)
    if (term.words.ends_with(" of " + value)) sum += term.share;
  return sum;
}

const Passage& passage(const std::vector<Passage>& passages, const std::string& name) {
  const auto found = std::find_if(passages.begin(), passages.end(),
                                  [&](const Passage& p) { return p.name == name; });
  EXPECT_NE(found, passages.end()) << name;
  return found == passages.end() ? passages.front() : *found;
}

/// The number of docs/graphs.md by hand.
TEST(ExplainGraph, OneNumberByHand) {
  Ran ran("{y = multiply(sigmoid(x), 2)} rows=1 cols=1");
  ran.inputs.at("x").set(0, 0.5);
  const Explanation e = explained(ran, "y", 0);
  EXPECT_EQ(e.truth.substr(0, 19), "1.24491866240370912") << e.truth;
  EXPECT_TRUE(e.fifty_digits && e.fast_decided && e.fast_agrees);
  EXPECT_NEAR(e.stored_truth.bound, 2.8e-7, 0.05e-7);
  EXPECT_NEAR(share(e, "single roundings of y") * e.stored_truth.bound, 0x1p-24 * e.stored_truth.hi,
              1e-12);
  EXPECT_EQ(passage(e.forward, "v1[0,0]").value.substr(0, 12), "0.6224593312");
}

/// All forms of stages. What the parts leave out is of second order: little but in bfloat16, where
/// a gelu's curvature squares the sum of two steps' errors.
TEST(ExplainGraph, TheBoundIsTheSumOfItsSteps) {
  const std::vector<std::string> lines{
      "{y = softmax(x, cols)}",
      "{y = log_softmax(x, cols)}",
      "{h = add(x, residual); y = rms_norm(h, weight); outputs y h}",
      "{y = tanh(layer_norm(x, weight, beta))}",
      "{y = sum(multiply(x, exp(x)), cols)}",
      "{y = logsumexp(mish(x), cols)}",
      "{y = gelu(linear(x, weight[out,cols], bias))}",
      "{y = avg_pool(square(x[n,c,w]), window=2)}",
      "{y = rotary(x, cos, sin)}",
      "{y = batch_norm(divide(x, t[cols]), weight, beta)}",
      "{y = swiglu(gate[rows,cols], up)}",
      "{y = nll_loss(log_softmax(x), labels)}"};
  for (const std::string& line : lines)
    for (const char* dtype : {"f32", "f64", "bf16"}) {
      const Ran ran(line + " dtype=" + dtype + " seed=11");
      for (const auto& [name, got] : ran.got) {
        const Explanation e = explained(ran, name, got.numel() / 2);
        const std::string where = line + " " + name + " " + dtype;
        EXPECT_TRUE(e.fifty_digits && e.fast_agrees) << where;
        if (std::isinf(e.stored_truth.bound)) continue;
        double sum = 0;
        for (const Term& term : e.terms) sum += term.share;
        if (e.stored_truth.bound == 0) {
          EXPECT_TRUE(e.terms.empty()) << where;
          continue;
        }
        EXPECT_NEAR(sum, 1, 1e-12) << where;
        EXPECT_GE(e.terms_over_bound, dtype == std::string("bf16") ? 0.5 : 0.99) << where;
        EXPECT_LE(e.terms_over_bound, 1.1) << where;
      }
    }
}

// Without the error of a division a part of the underflow is gone too: the terms of the others are
// those above what underflow has, and all add up to the bound.
TEST(ExplainGraph, TermsAddUpNearTheEndOfTheRange) {
  for (const char* x : {"-700", "-705", "-708", "-709.5", "-730", "-745"}) {
    const std::string line = "{y = silu(x)} rows=1 cols=1 dtype=f64 dy=dyadic set=x@0,0:";
    Ran ran(line + x);
    ran.claim.contract = graph_contract(DType::f64, {});
    for (const char* name : {"y", "d_x"}) {
      const Explanation e = explained(ran, name, 0);
      EXPECT_NEAR(e.terms_over_bound, 1, 1e-3) << name << " at " << x;
    }
  }
}

/// Control: a step that is said to round more has a larger part, and no other has.
TEST(ExplainGraph, APartGrowsWithItsStep) {
  Ran ran("{e = exp(x); t = tanh(e); y = square(t)} rows=2 cols=3");
  const Explanation usual = explained(ran, "y", 4);
  ran.claim.contract.functions.tanh *= 100;
  const Explanation coarse = explained(ran, "y", 4);
  const auto part = [](const Explanation& e, const std::string& value) {
    return share_of_value(e, value) * e.terms_over_bound * e.stored_truth.bound;
  };
  EXPECT_GT(part(coarse, "t"), 50 * part(usual, "t"));
  EXPECT_GT(share(coarse, "tanh of t"), 0.9);
  for (const std::string other : {"e", "y"})
    EXPECT_NEAR(part(coarse, other), part(usual, other), 1e-3 * part(usual, other)) << other;
}

/// The bound that a declaration is said to make is the one that judging under it has.
TEST(ExplainGraph, ADeclarationMakesTheBoundThatItIsSaidTo) {
  for (const char* target : {"y", "d_x", "d_weight"}) {
    Ran ran("{h = square(x); y = layer_norm(h, weight)} rows=8 cols=200");
    const auto declare = [&](const std::string& text) {
      ran.claim.contract = graph_contract(DType::f32, parse_declared_contract(text, ran.graph));
    };
    declare("");
    const Explanation e = explained(ran, target, 3);
    ASSERT_GT(e.tighter.size(), 2U) << target;
    std::string all;
    for (const ContractBound& t : e.tighter) {
      all += t.text + " ";
      declare(t.text.empty() ? all : t.text);
      EXPECT_LE(t.bound, e.stored_truth.bound) << t.text;
      EXPECT_NEAR(explained(ran, target, 3).stored_truth.bound / t.bound, 1, kBookkeeping)
          << t.text;
    }
    EXPECT_LT(e.tighter.back().bound, e.tighter.front().bound) << "all together";
  }
}

TEST(ExplainGraph, AStepThatRoundsNothingHasNoPart) {
  const Ran ran("{y = exp(neg(relu(x)))} rows=2 cols=3");
  const Explanation e = explained(ran, "d_x", 1);
  EXPECT_EQ(share_of_value(e, "v1"), 0);
  EXPECT_EQ(share_of_value(e, "v2"), 0);
  EXPECT_GT(share(e, "exp"), 0.3) << "the control";
  const Ran exact("{y = neg(x)} rows=2 cols=3");
  EXPECT_TRUE(explained(exact, "y", 1).terms.empty());
}

TEST(ExplainGraph, StepsAreShownAtTheElementsPlace) {
  const Ran ran("{h = exp(x[n,c,w]); m = max_pool(h, window=2); y = sum(m, c)} n=3 c=4 w=8");
  const Explanation e = explained(ran, "d_x", 1 * 32 + 2 * 8 + 5);
  EXPECT_EQ(e.unit, "n 1 of 3");
  EXPECT_EQ(passage(e.forward, "x[1,2,5]").size, ran.inputs.at("x").at(53));
  EXPECT_NEAR(passage(e.forward, "m[1,2,2]").size,
              std::exp(std::max(ran.inputs.at("x").at(52), ran.inputs.at("x").at(53))), 1e-6);
  EXPECT_EQ(passage(e.backward, "dy[1,2]").size, ran.inputs.at("dy").at(6));
  EXPECT_EQ(e.backward.back().name, "d_x[1,2,5]");
  EXPECT_EQ(e.backward.back().error == 0, e.stored_truth.bound == 0);
}

/// A gradient that is a sum over rows shows the row with the largest summand.
TEST(ExplainGraph, ASumShowsItsLargestSummand) {
  Ran ran("{y = multiply(x[rows,cols], weight[cols])} rows=6 cols=2");
  ran.inputs.at("x").set(2 * 4 + 1, 100);
  ran.inputs.at("dy").set(2 * 4 + 1, 1);
  const Explanation e = explained(ran, "d_weight", 1);
  EXPECT_EQ(e.unit, "rows 4 of 6");
  EXPECT_EQ(e.units, 6);
  EXPECT_GT(share(e, "sum over 6 rows"), 0.3);
  EXPECT_NEAR(std::stod(e.truth), e.stored_truth.hi, 1e-12 * std::abs(e.stored_truth.hi));
}

/// Control: where the sum is exact it has no term.
TEST(ExplainGraph, ATermSaysTheSourceInItsStep) {
  struct Said {
    std::string line;
    std::string target;
    std::string step;
    SumRole role;
    std::string words;
  };
  const std::vector<Said> all{
      {"{y = softmax(x, cols)}", "y", "y", SumRole::value, "sum of 40 exponentials of y"},
      {"{y = rms_norm(x, weight)}", "y", "y", SumRole::value, "sum of 40 squares for 1/rms of y"},
      {"{y = layer_norm(x, weight)}", "d_x", "y", SumRole::gradients, "adjoint of y: S"},
      {"{y = softmax(x, cols)}", "d_x", "y", SumRole::gradients,
       "adjoint of y: sum of 40 products"},
      {"{y = linear(x, weight[out,cols])}", "y", "y", SumRole::value, "sum of 40 products of y"},
      {"{h = scale(x, s[cols]); y = tanh(h)}", "d_s", "h", SumRole::parameters,
       "adjoint of h: sum of 6 terms for d_s"}};
  for (const Said& said : all) {
    Ran ran(said.line + " rows=6 cols=40 seed=3");
    const Explanation usual = explained(ran, said.target, 2);
    StepContract none = ran.claim.contract.step(said.step);
    none.order(said.role) = {SumOrder::Kind::chain, 0};
    ran.claim.contract.steps[said.step] = none;
    const Explanation exact = explained(ran, said.target, 2);
    EXPECT_GT(share(usual, said.words), 0.03) << said.line << " " << said.target;
    EXPECT_EQ(share(exact, said.words), 0) << said.line << " " << said.target;
  }
}

/// The estimate on a part names the term that is largest in the whole.
TEST(ExplainGraph, TheLargestTermIsFoundOnAPart) {
  const Ran ran("{y = softmax(x, cols)} rows=6 cols=3000 seed=3");
  const Term whole = explained(ran, "y", 3001).terms.front();
  const Term part = largest_term_in_graph(ran.claim, ran.inputs, "y", 3001);
  EXPECT_GT(whole.share, 0.9);
  EXPECT_EQ(part.words, whole.words);
}

}  // namespace
}  // namespace gradproof
