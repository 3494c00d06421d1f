// SPDX-License-Identifier: Apache-2.0
// Columns of the Jacobian of a graph's outputs: differences, dual numbers and the adjoint say the
// same.
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/derivatives/jacobian_column.h"

namespace gradproof {
namespace {

JacobianColumn column(const std::string& text, const std::string& tensor,
                      const std::vector<std::int64_t>& index) {
  const Case c = parse_case(text, {});
  const Graph graph = graph_of(c);
  const Tensors inputs = make_graph_inputs(graph, c);
  const GraphClaim claim{graph, extents_of(graph, c), libtorch_graph_contract(DType::f32)};
  std::size_t place = 0;
  while (graph.tensors.at(place).name != tensor) ++place;
  return jacobian_column(AuditedGraph(claim, inputs), place, index);
}

void expect_certified(const JacobianColumn& found, const std::vector<std::int64_t>& indices) {
  EXPECT_EQ(found.verdict.outcome, Outcome::certified) << found.verdict.reason;
  EXPECT_GE(found.digits, 50);
  EXPECT_EQ(found.outside_moved, 0);
  EXPECT_EQ(found.by_adjoint, std::ssize(indices));
  std::vector<std::int64_t> all;
  for (const JacobianEntry& entry : found.entries) all.push_back(entry.index);
  EXPECT_EQ(all, indices);
}

TEST(Jacobian, OfANumberBeforeABatchNormIsItsColumn) {
  const JacobianColumn found = column("{y = batch_norm(x, w)} rows=4 cols=3", "x", {2, 1});
  expect_certified(found, {1, 4, 7, 10});
  EXPECT_EQ(found.outside, 2 * 4) << "the other columns";
}

TEST(Jacobian, OfANumberBeforeASoftmaxIsItsRow) {
  expect_certified(column("{y = softmax(x, cols)} rows=3 cols=4", "x", {1, 2}), {4, 5, 6, 7});
}

TEST(Jacobian, OfANumberThatActsAloneIsItself) {
  const JacobianColumn found = column("{y = silu(x)} rows=3 cols=4", "x", {1, 2});
  expect_certified(found, {6});
}

TEST(Jacobian, OfAParameterIsWhereItIsMet) {
  expect_certified(column("{y = layer_norm(x, w)} rows=3 cols=4", "w", {2}), {2, 6, 10});
  expect_certified(column("{y = linear(x, w)} rows=2 cols=3 out=4", "w", {1, 2}), {1, 5});
}

TEST(Jacobian, OfAGroupIsTheGroup) {
  expect_certified(column("{y = group_norm(x, w, groups=2)} rows=2 cols=4", "x", {1, 1}), {4, 5});
}

TEST(Jacobian, NamesEachOutput) {
  const JacobianColumn found =
      column("{y = silu(x); z = tanh(y); outputs y z} rows=2 cols=2", "x", {0, 1});
  EXPECT_EQ(found.verdict.outcome, Outcome::certified) << found.verdict.reason;
  ASSERT_EQ(found.entries.size(), 2U);
  EXPECT_EQ(found.entries[0].output, "y");
  EXPECT_EQ(found.entries[1].output, "z");
  EXPECT_EQ(found.entries[1].index, 1);
}

/// At 0 a relu has a slope on either side, and differences say half of it.
TEST(Jacobian, OnAKinkSaysThatItCannotTell) {
  const Verdict verdict =
      column("{y = relu(x)} rows=1 cols=2 fill=constant:0", "x", {0, 0}).verdict;
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_TRUE(verdict.reason.starts_with("the number lies on a kink")) << verdict.reason;
}

TEST(Jacobian, AsksTheAdjointOfSomeElementsOfALongPart) {
  const JacobianColumn found = column("{y = softmax(x, cols)} rows=1 cols=700", "x", {0, 3});
  EXPECT_EQ(found.verdict.outcome, Outcome::certified) << found.verdict.reason;
  EXPECT_EQ(found.entries.size(), 700U);
  EXPECT_LT(found.by_adjoint, 700);
  EXPECT_GT(found.by_adjoint, 100);
  EXPECT_NE(found.verdict.reason.find("the adjoint was asked of"), std::string::npos);
}

TEST(Jacobian, RefusesWhatTakesMinutes) {
  EXPECT_THROW(column("{y = linear(x, w)} rows=300 cols=300 out=300", "w", {1, 2}), UsageError);
}

}  // namespace
}  // namespace gradproof
