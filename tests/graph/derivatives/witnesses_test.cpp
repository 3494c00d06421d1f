// SPDX-License-Identifier: Apache-2.0
// Dual numbers and second derivatives of graphs beside the oracle's adjoint.
#include <cmath>

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"
#include "oracles/graph/audit/audit_graph.h"

namespace gradproof {
namespace {

struct Line {
  explicit Line(const std::string& text) : c(parse_case(text, {})), graph(graph_of(c)) {
    inputs = make_graph_inputs(graph, c);
    claim = {graph, extents_of(graph, c), libtorch_graph_contract(DType::f32)};
  }
  /// The witness of a gradient by its name.
  AuditWitness witness(const std::string& gradient, Witness name) const {
    for (const AuditRow& row : audit_graph(claim, inputs, {}))
      for (const AuditWitness& each : row.witnesses)
        if (row.tensor == gradient && each.name == name) return each;
    ADD_FAILURE() << gradient << " has no witness " << name_of(name);
    return {};
  }

  Case c;
  Graph graph;
  GraphClaim claim;
  Tensors inputs;
};

TEST(GraphDerivatives, AgreeInEveryTensor) {
  for (const char* text : {"{y = silu(scale(batch_norm(x, w, b), s))} rows=5 cols=4",
                           "{y = softmax(x, cols)} rows=3 cols=6",
                           "{y = group_norm(bias(silu(x), c), w, b, groups=2)} rows=4 cols=6",
                           "{y = gelu(linear(x, w, b))} rows=3 cols=4 out=5",
                           "{y = logsumexp(multiply(x, z), cols)} rows=3 cols=4",
                           "{p = softmax(contract(q[t,d], k[s,d], d), s); y = contract(p, v[s,e], "
                           "s)} t=3 s=3 d=2 e=2"}) {
    SCOPED_TRACE(text);
    const Line line(text);
    bool first = true;
    for (const AuditRow& row : audit_graph(line.claim, line.inputs, {})) {
      bool of_cotangents = false;
      for (const AuditWitness& witness : row.witnesses) {
        EXPECT_EQ(witness.verdict, WitnessVerdict::agrees) << row.tensor << " " << witness.text;
        EXPECT_GE(witness.digits, 20) << row.tensor;
        of_cotangents = of_cotangents || witness.name == Witness::second_order_dy;
      }
      first = first && !of_cotangents;
    }
    EXPECT_FALSE(first) << "the cotangents are looked at once";
  }
}

/// The gradient of x sg(x) is x, which is that of no function of x where sg(x) moves along.
TEST(GraphDerivatives, SayNothingOfWhatIsDetached) {
  const AuditWitness witness =
      Line("{y = multiply(x, detach(x))} rows=3 cols=4").witness("d_x", Witness::second_order);
  EXPECT_EQ(witness.verdict, WitnessVerdict::silent);
  EXPECT_EQ(witness.text, "a step takes a number through which nothing goes back");
}

TEST(GraphDerivatives, RunningStatisticsAreNoPartOfTheGradients) {
  const Line line(
      "{y = batch_norm(x, w); m = running_mean(x, running_mean); outputs y m} rows=5 cols=3");
  EXPECT_EQ(line.witness("d_x", Witness::second_order).verdict, WitnessVerdict::agrees);
}

TEST(GraphDerivatives, LongPartsAreLeftOutAndSaySo) {
  const AuditWitness witness =
      Line("{y = softmax(x, cols)} rows=1 cols=5000").witness("d_x", Witness::second_order);
  EXPECT_EQ(witness.verdict, WitnessVerdict::silent);
  EXPECT_EQ(witness.text, "parts of 5001 elements: too long in 400 digits");
}

TEST(GraphDerivatives, WhatIsNotFiniteSaysNothing) {
  Line line("{y = silu(x)} rows=2 cols=2");
  for (std::int64_t i = 0; i < 4; ++i) line.inputs.at("x").set(i, INFINITY);
  EXPECT_EQ(line.witness("d_x", Witness::second_order).verdict, WitnessVerdict::silent);
  EXPECT_EQ(line.witness("d_x", Witness::dual_numbers).verdict, WitnessVerdict::silent);
}

TEST(GraphDerivatives, SayNothingOnAKink) {
  const Line line("{y = relu(subtract(abs(x), a))} rows=2 cols=3 fill=constant:0");
  for (const Witness name : {Witness::second_order, Witness::second_order_dy})
    EXPECT_EQ(line.witness("d_x", name).verdict, WitnessVerdict::silent) << name_of(name);
}

/// A bias that the norm takes away has a gradient of 0.
TEST(GraphDerivatives, AZeroIsOneBothWays) {
  const Line line("{y = batch_norm(bias(x, b))} rows=9 cols=3");
  const AuditWitness dual = line.witness("d_b", Witness::dual_numbers);
  EXPECT_EQ(dual.verdict, WitnessVerdict::agrees);
  EXPECT_EQ(dual.digits, 50);
  const AuditWitness second = line.witness("d_b", Witness::second_order);
  EXPECT_EQ(second.verdict, WitnessVerdict::agrees) << second.text;
  EXPECT_NE(second.text.find("0 everywhere, both ways"), std::string::npos) << second.text;
}

}  // namespace
}  // namespace gradproof
