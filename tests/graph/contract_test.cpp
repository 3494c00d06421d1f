// SPDX-License-Identifier: Apache-2.0
// The contract that somebody declares, as text and as a value.
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/contract/contract_words.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/draw/draw_graph.h"
#include "core/graph/graph_case.h"
#include "core/tensor/philox.h"
#include "oracles/graph/graph_contract.h"

namespace gradproof {
namespace {

const char* const kDeclaredLine = "a = tanh(x); h = layer_norm(a, weight); y = softmax(h)";

DeclaredContract declared(std::string_view text) {
  return parse_declared_contract(text, parse_graph(kDeclaredLine));
}

std::string refusal(std::string_view text) {
  try {
    declared(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// A contract of the graph: of each key of each step, and of all, something with odds of a third.
class Drawing {
 public:
  Drawing(const Graph& graph, std::uint64_t number)
      : graph_(graph), stream_(5, "contract " + std::to_string(number)) {}

  DeclaredContract contract() {
    DeclaredContract c;
    if (below(3) != 0) c.stored = static_cast<DeclaredContract::Stored>(below(6));
    if (c.stored.value_or(DeclaredContract::Stored::outputs) == DeclaredContract::Stored::outputs)
      c.stored_names = graph_.outputs;
    if (c.stored == DeclaredContract::Stored::saved)
      for (const GraphStep& step : graph_.steps) c.stored_names.push_back(step.value);
    if (c.stored == DeclaredContract::Stored::named)
      c.stored_names = {graph_.steps[below(graph_.steps.size())].value};
    if (below(3) == 0) c.accumulation = below(2) == 0 ? DType::f32 : DType::f64;
    if (below(3) != 0) c.functions = static_cast<DeclaredContract::Functions>(below(5));
    if (below(3) == 0) c.literals = static_cast<DeclaredContract::Literals>(below(2));
    if (below(3) == 0) c.subnormals = static_cast<DeclaredContract::Subnormals>(below(2));
    c.fma = below(2) == 0;
    c.every = declaration(contract_words::keys());
    for (const GraphStep& step : graph_.steps)
      if (StepDeclaration d = declaration(contract_words::keys_of(step)); d != StepDeclaration())
        c.steps.emplace(step.value, std::move(d));
    return c;
  }

 private:
  std::uint64_t below(std::uint64_t count) { return stream_.bits(drawn_++) % count; }

  SumOrder order() {
    const auto kind = static_cast<SumOrder::Kind>(below(5));
    const bool counts = kind != SumOrder::Kind::any && kind != SumOrder::Kind::pairwise;
    return {kind, counts ? static_cast<std::int64_t>(1 + below(1000)) : 1};
  }

  StepDeclaration declaration(const std::vector<std::string>& keys) {
    StepDeclaration d;
    for (const std::string& key : keys) {
      if (below(3) != 0) continue;
      if (contract_words::is_sum(key)) d.sums.emplace(key, order());
      if (const FormRow* row = contract_words::row_of(key); row != nullptr)
        d.forms[row->part] =
            below(4) == 0
                ? kUsualForms
                : FormSet{static_cast<unsigned>(1 + below((1U << row->forms.size()) - 1))};
    }
    return d;
  }

  const Graph& graph_;
  Stream stream_;
  std::uint64_t drawn_ = 0;
};

TEST(DeclaredContract, TextIsTheInverseOfTheValue) {
  for (std::uint64_t n = 0; n < 500; ++n) {
    const std::string line = drawn_graph_case(3, n);
    Graph graph;
    try {
      graph = parse_graph(line.substr(1, line.find('}') - 1));
    } catch (const UsageError&) {
      continue;  // groups that do not divide
    }
    const DeclaredContract c = Drawing(graph, n).contract();
    const std::string text = to_string(c);
    ASSERT_EQ(parse_declared_contract(text, graph), c) << line << "\n" << text;
    // Control: another contract has another text.
    DeclaredContract other = c;
    other.fma = !other.fma;
    other.steps[graph.steps.front().value].sums["sums"] = {SumOrder::Kind::lanes, 1001};
    EXPECT_NE(to_string(other), text);
  }
}

TEST(DeclaredContract, SaysWhatItIsTold) {
  using Stored = DeclaredContract::Stored;
  EXPECT_TRUE(declared("").leaves_rounding_open());
  EXPECT_TRUE(declared("sums=pairwise literals=stored").leaves_rounding_open());
  EXPECT_EQ(declared("stored=outputs").stored, Stored::outputs);
  EXPECT_FALSE(declared("stored=outputs").leaves_rounding_open());
  EXPECT_FALSE(declared("functions=usual").leaves_rounding_open());
  EXPECT_EQ(declared("").stored_names, std::vector<std::string>{"y"});
  EXPECT_TRUE(declared("stored=none").stored_names.empty());
  EXPECT_EQ(declared("stored=saved").stored_names, (std::vector<std::string>{"a", "h", "y"}));
  EXPECT_EQ(declared("stored=a+h").stored_names, (std::vector<std::string>{"a", "h"}));
  const DeclaredContract c = declared("stored=all functions=libtorch,accumulation=f64 fma=no");
  EXPECT_EQ(c.stored, Stored::all);
  EXPECT_EQ(c.functions, DeclaredContract::Functions::libtorch);
  EXPECT_EQ(declared("functions=rounded").functions, DeclaredContract::Functions::rounded);
  EXPECT_EQ(c.accumulation, DType::f64);
  EXPECT_FALSE(c.fma);
  EXPECT_EQ(declared("y.quotient=divided").steps.at("y").forms.at(FormPart::quotient),
            FormSet{0b01});
}

/// A step's word counts before one of all, a narrower one before `sums`.
TEST(DeclaredContract, TheNarrowerWordCounts) {
  const auto chains = [](std::string_view text, std::string_view value) {
    const GraphContract c = graph_contract(DType::f32, declared(text));
    std::string chain;
    for (const SumRole role : {SumRole::value, SumRole::gradients, SumRole::parameters})
      chain += std::to_string(c.step(value).order(role).chain_of(64)) + " ";
    return chain;
  };
  EXPECT_EQ(chains("", "h"), "63 63 63 ");
  EXPECT_EQ(chains("sums=pairwise", "h"), "6 6 6 ");
  EXPECT_EQ(chains("sums=chain:5 gradients=chain:100", "h"), "5 63 5 ");
  EXPECT_EQ(chains("statistics=pairwise", "h"), "6 63 63 ");
  EXPECT_EQ(chains("parameters=blocks:8 sums=pairwise", "h"), "6 6 14 ");
  EXPECT_EQ(chains("sums=pairwise h.sums=lanes:32 h.gradients=lanes:64", "h"), "6 6 6 ");
  EXPECT_EQ(chains("statistics=pairwise h.sums=lanes:16", "h"), "7 7 7 ");
  EXPECT_EQ(chains("h.sums=lanes:16", "y"), "63 63 63 ");
  EXPECT_EQ(chains("h.sums=any sums=pairwise", "h"), "63 63 63 ");
}

TEST(DeclaredContract, WhySaysIt) {
  const auto why = [](std::string_view text) {
    return graph_contract(DType::f32, declared(text)).why();
  };
  EXPECT_EQ(why(""), "each step in f32, sums in any order, larger of the usual forms");
  EXPECT_EQ(why("h.variance=welford,sums=lanes:8"),
            "each step in f32, sums in any order, larger of the usual forms, but sums=lanes:8 "
            "h.variance=welford");
  EXPECT_EQ(why("accumulation=f64").substr(0, 16), "each step in f64");
}

TEST(DeclaredContract, RefusesOtherWords) {
  EXPECT_EQ(refusal("z.sums=any"), "no step makes 'z' of 'z.sums=any' in a contract; known: a h y");
  EXPECT_EQ(refusal("a.variance=welford"),
            "unknown part 'a.variance=welford' of a contract for tanh; known: complement "
            "cotangent");
  EXPECT_EQ(refusal("y.parameters=any"),
            "unknown part 'y.parameters=any' of a contract for softmax; known: sums statistics "
            "gradients maximum maximum_gradient quotient projection");
  EXPECT_EQ(refusal("h.variance=two_passes"),
            "bad value 'two_passes' for 'h.variance' of a contract; known: any two_pass welford "
            "one_pass, or some joined by '+'; did you mean 'two_pass'?");
  EXPECT_EQ(refusal("h.sums=lanes:0"),
            "bad value 'lanes:0' for 'h.sums' of a contract; known: any pairwise lanes:L blocks:B "
            "chain:G; "
            "did you mean 'lanes:L'?");
  for (const char* pattern : {"lanes:L", "blocks:B", "chain:G"})
    EXPECT_TRUE(refusal(std::string("sums=") + pattern).starts_with("bad value")) << pattern;
  EXPECT_EQ(refusal("h.sums=any,h.sums=pairwise"), "'h.sums' stands twice in a contract");
  EXPECT_EQ(
      refusal("stored=a+b"),
      "bad value 'a+b' for 'stored' of a contract; known: outputs none saved all all+statistics, "
      "or of a h y "
      "some, joined by '+'");
  EXPECT_EQ(refusal("order=any").substr(0, 70),
            "unknown part 'order=any' of a contract; known: accumulation bound fma ");
  for (const char* text :
       {"stored", "stored=some", "functions=best", "stored=all stored=all", "sums=tree",
        "sums=lanes", "sums=lanes:0", "sums=blocks:x", "variance=", "variance=any+welford",
        "accumulation=f16", "fma=maybe", "h.stored=all", "flush=yes", ".sums=any", "h.=any"})
    EXPECT_NE(refusal(text), "") << text;
}

}  // namespace
}  // namespace gradproof
