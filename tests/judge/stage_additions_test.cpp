// SPDX-License-Identifier: Apache-2.0
// The value and the adjoint of every stage, evaluated on a number that counts, go through no more
// additions than a declared chain permits beside the sums themselves.
#include <cmath>

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"
#include "core/graph/graph_parts.h"
#include "judge/graph/chains/graph_sums.h"
#include "judge/graph/chains/measured_chains.h"
#include "oracles/graph/audit/graph_function.h"
#include "tests/graph/stage_line.h"

namespace gradproof {

/// A number with its additions in a row and the longest such row behind it, as in simt::Counted.
struct Adding {
  Adding(double v) : value(v) {}
  Adding(double v, std::int64_t d, std::int64_t l) : value(v), depth(d), longest(l) {}
  double value;
  std::int64_t depth = 0, longest = 0;
};

inline Adding added(double value, const Adding& a, const Adding& b) {
  const auto is_fresh_zero = [](const Adding& x) { return x.value == 0 && x.depth == 0; };
  const bool adds = !is_fresh_zero(a) && !is_fresh_zero(b);
  const std::int64_t depth = std::max(a.depth, b.depth) + (adds ? 1 : 0);
  return {value, depth, std::max({depth, a.longest, b.longest})};
}
inline Adding anew(double value, const Adding& a, const Adding& b) {
  return {value, 0, std::max(a.longest, b.longest)};
}
inline Adding operator+(const Adding& a, const Adding& b) { return added(a.value + b.value, a, b); }
inline Adding operator-(const Adding& a, const Adding& b) { return added(a.value - b.value, a, b); }
inline Adding operator*(const Adding& a, const Adding& b) { return anew(a.value * b.value, a, b); }
inline Adding operator/(const Adding& a, const Adding& b) { return anew(a.value / b.value, a, b); }
inline Adding operator-(const Adding& a) { return {-a.value, a.depth, a.longest}; }
inline bool operator<(const Adding& a, const Adding& b) { return a.value < b.value; }
inline bool has_value(const Adding& a) { return std::isfinite(a.value); }
inline double estimate_of(const Adding& a) { return a.value; }
inline Adding exp(const Adding& a) { return anew(std::exp(a.value), a, a); }
inline Adding expm1(const Adding& a) { return anew(std::expm1(a.value), a, a); }
inline Adding log(const Adding& a) { return anew(std::log(a.value), a, a); }
inline Adding log1p(const Adding& a) { return anew(std::log1p(a.value), a, a); }
inline Adding sqrt(const Adding& a) { return anew(std::sqrt(a.value), a, a); }
inline Adding tanh(const Adding& a) { return anew(std::tanh(a.value), a, a); }
inline Adding erf(const Adding& a) { return anew(std::erf(a.value), a, a); }
inline Adding sin(const Adding& a) { return anew(std::sin(a.value), a, a); }
inline Adding cos(const Adding& a) { return anew(std::cos(a.value), a, a); }
template <>
struct PiOf<Adding> {
  static Adding value() { return {std::acos(-1.0)}; }
};

namespace {

using Counting = Traced<Adding>;

/// The longest row of additions behind each output and gradient.
std::map<std::string, std::int64_t> counted(const GraphClaim& claim, const Tensors& inputs) {
  const std::string cut = block_axis(claim.graph, claim.extents);
  const std::int64_t length = cut.empty() ? 1 : claim.extents.at(cut);
  const GraphPlan plan = claim.plan(length);
  const GraphFunction function(plan, inputs, {cut, {0, length, length}, 1});
  Arrays<Counting> in;
  std::vector<std::string> names;
  for (const FunctionInput& input : function.inputs()) {
    in.emplace_back(input.numbers.begin(), input.numbers.end());
    names.push_back(gradient_name(input.name));
  }
  std::map<std::string, std::int64_t> all;
  const auto take = [&](const std::string& name, const std::vector<Counting>& numbers) {
    for (const Counting& number : numbers) all[name] = std::max(all[name], number.value().longest);
  };
  take(claim.graph.outputs.front(), function.value(in));
  const std::vector<double> dy = function.dy();
  const Arrays<Counting> gradients =
      function.gradient(in, std::vector<Counting>(dy.begin(), dy.end()));
  for (std::size_t k = 0; k < names.size(); ++k) take(names[k], gradients[k]);
  return all;
}

/// A graph of one stage, whose sums are in any order: one after the other is right.
struct OfStage {
  explicit OfStage(const GraphStage& stage)
      : c(parse_case(line_of(stage), {})),
        claim{graph_of(c), extents_of(claim.graph, c),
              graph_contract(claim.graph, types_of(claim.graph, c),
                             parse_declared_contract("", claim.graph))} {}
  Case c;
  GraphClaim claim;
};

/// The longest of the sums behind a tensor.
std::int64_t longest_sum(const GraphClaim& claim, const std::string& tensor) {
  std::int64_t longest = 0;
  for (const GraphSum& sum : sums_behind(claim, tensor))
    longest = std::max(longest, sum.order.chain_of(sum.length));
  return longest;
}

// In the forms that the truth is computed by, an output is added to at most once besides its
// longest sum, and a gradient at most twice. Others of a norm add once more.
TEST(StageAdditions, EveryStageGoesThroughNoMoreThanADeclaredChainPermits) {
  std::int64_t most_forward = 0, most_adjoint = 0;
  for (const GraphStage& stage : graph_stages()) {
    const OfStage of(stage);
    const Tensors inputs = make_graph_inputs(of.claim.graph, of.c);
    for (const auto& [tensor, longest] : counted(of.claim, inputs)) {
      EXPECT_LE(longest, permitted_additions(of.claim, tensor)) << to_string(of.c) << tensor;
      const bool is_output = has_name(of.claim.graph.outputs, tensor);
      std::int64_t& most = is_output ? most_forward : most_adjoint;
      most = std::max(most, longest - longest_sum(of.claim, tensor));
    }
  }
  EXPECT_EQ(most_forward, 1);
  EXPECT_EQ(most_adjoint, 2);
}

// Windows of several axes have as many numbers as their product, and may overlap.
TEST(StageAdditions, AWindowHasTheNumbersOfAllItsAxes) {
  const Case c = parse_case("{y = avg_pool(x[n,c,h,w], window=5, stride=1)} h=9 w=9", {});
  const Graph graph = graph_of(c);
  const GraphClaim claim{
      graph, extents_of(graph, c),
      graph_contract(graph, types_of(graph, c), parse_declared_contract("", graph))};
  const auto found = counted(claim, make_graph_inputs(graph, c));
  EXPECT_EQ(found.at("y"), 24);
  EXPECT_EQ(longest_sum(claim, "y"), 24);
  EXPECT_LE(found.at("d_x"), permitted_additions(claim, "d_x"));
}

}  // namespace
}  // namespace gradproof
