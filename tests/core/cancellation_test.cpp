// SPDX-License-Identifier: Apache-2.0
// A line cancels some numbers by its own mathematics (core/graph/cancellation/cancellation.h), and
// not others.
#include "core/graph/cancellation/cancellation.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

using TensorNames = std::set<std::string>;

GraphExtents extents_with(const Graph& graph, const GraphExtents& some) {
  GraphExtents said;
  for (const GraphAxis& axis : graph.axes)
    if (axis.is_given()) said[axis.name] = some.contains(axis.name) ? some.at(axis.name) : 6;
  return graph.extents(said);
}

/// The tensors whose gradients vanish.
TensorNames vanishing(const std::string& line, const GraphExtents& some = {}) {
  const Graph graph = parse_graph(line);
  const GraphExtents extents = extents_with(graph, some);
  TensorNames names;
  for (const GraphTensor& tensor : graph.tensors)
    if (has_gradient(tensor.part) && gradient_vanishes(graph, extents, tensor.name))
      names.insert(tensor.name);
  return names;
}

bool is_constant_y(const std::string& line, const GraphExtents& some = {}) {
  const Graph graph = parse_graph(line);
  return is_constant(graph, extents_with(graph, some), "y");
}

TEST(Cancellation, ABiasBeforeABatchNorm) {
  EXPECT_EQ(vanishing("y = batch_norm(linear(x[n,k], w[m,k], b), weight, beta)"), TensorNames{"b"});
  EXPECT_EQ(vanishing("y = batch_norm(scale(linear(x[n,k], w[m,k], b), s), weight, beta)"),
            TensorNames{"b"});
  EXPECT_EQ(
      vanishing("v = bias(x[n,c], b); y = batch_norm(v); r = running_mean(v, m); outputs y r"),
      TensorNames{"b"});
  // The controls: statistics that are given, something curved between, another use of the sum.
  EXPECT_EQ(vanishing("y = batch_norm_eval(bias(x[n,c], b), m, v)"), TensorNames{});
  EXPECT_EQ(vanishing("y = batch_norm(tanh(bias(x[n,c], b)))"), TensorNames{});
  EXPECT_EQ(vanishing("v = bias(x[n,c], b); y = batch_norm(v); outputs y v"), TensorNames{});
  EXPECT_EQ(vanishing("y = rms_norm(bias(x[n,c], b))"), TensorNames{});
}

TEST(Cancellation, OnlyWhatIsOneNumberForAllThatAreNormalisedTogether) {
  EXPECT_EQ(vanishing("y = layer_norm(add(x[n,c], b[n]))"), TensorNames{"b"});
  EXPECT_EQ(vanishing("y = layer_norm(add(x[n,c], b[c]))"), TensorNames{});
  EXPECT_EQ(vanishing("y = softmax(subtract(x[n,c], b[n]))"), TensorNames{"b"});
  EXPECT_EQ(vanishing("y = softmax(subtract(x[n,c], b[c]))"), TensorNames{});
  EXPECT_EQ(vanishing("y = group_norm(add(x[n,c], b[]), groups=3)"), TensorNames{"b"});
  EXPECT_EQ(vanishing("y = group_norm(add(x[n,c], b[c]), groups=3)"), TensorNames{});
  EXPECT_EQ(vanishing("y = instance_norm(add(x[n,c,h,w], b[c]))"), TensorNames{"b"});
  EXPECT_EQ(vanishing("y = instance_norm(add(x[n,c,h,w], b[h]))"), TensorNames{});
  // A factor makes another number of it along its own axes.
  EXPECT_EQ(vanishing("y = layer_norm(multiply(add(x[n,c], b[n]), s[n]))"), TensorNames{"b"});
  EXPECT_EQ(vanishing("y = layer_norm(multiply(add(x[n,c], b[n]), s[c]))"), TensorNames{});
}

/// A norm of one number alone gives its beta, whatever the number and the weight are.
TEST(Cancellation, OneNumberAlone) {
  const std::string line = "y = group_norm(x[n,c], weight, beta, groups=6)";
  EXPECT_EQ(vanishing(line), (TensorNames{"x", "weight"}));
  EXPECT_EQ(vanishing(line, {{"c", 12}}), TensorNames{});
  EXPECT_EQ(vanishing("y = batch_norm(x[n,c], weight, beta)", {{"n", 1}}),
            (TensorNames{"x", "weight"}));
  EXPECT_EQ(vanishing("y = rms_norm(x[n,c], weight)", {{"c", 1}}), TensorNames{});
  EXPECT_TRUE(is_constant_y("y = softmax(x[n,c])", {{"c", 1}}));
  EXPECT_FALSE(is_constant_y("y = softmax(x[n,c])"));
  EXPECT_TRUE(is_constant_y("y = tanh(layer_norm(x[n,c]))", {{"c", 1}}));
  EXPECT_FALSE(is_constant_y("y = layer_norm(x[n,c], weight, beta)", {{"c", 1}}));  // beta
}

/// The tensors whose gradients are one number.
TensorNames uniform(const std::string& line, const GraphExtents& some = {}) {
  const Graph graph = parse_graph(line);
  const GraphExtents extents = extents_with(graph, some);
  TensorNames names;
  for (const GraphTensor& tensor : graph.tensors)
    if (has_gradient(tensor.part) && gradient_is_uniform(graph, extents, tensor.name))
      names.insert(tensor.name);
  return names;
}

TEST(Cancellation, TheGradientOfAMeanIsOneNumber) {
  EXPECT_EQ(uniform("y = mean(multiply(x[n,c], s[]), n, c)"), (TensorNames{"x", "s"}));
  EXPECT_EQ(uniform("y = sum(subtract(add(x[n,c], b[c]), t[n]), n, c)"),
            (TensorNames{"x", "b", "t"}));
  EXPECT_EQ(uniform("y = mean(multiply(x[n,c], s[c]), n, c)"), TensorNames{});
  EXPECT_EQ(uniform("y = mean(x[n,c], c)"), TensorNames{});  // the cotangent has rows
  EXPECT_EQ(uniform("y = mean(x[n,c], c)", {{"n", 1}}), TensorNames{"x"});
  EXPECT_EQ(uniform("y = sum(linear(x[n,k], w[m,k], b), m)"), TensorNames{"b"});
  EXPECT_EQ(uniform("y = mean(layer_norm(x[n,c], weight, beta), n, c)"), TensorNames{"beta"});
  EXPECT_EQ(uniform("y = mean(silu(x[n,c]), n, c)"), TensorNames{});
  EXPECT_EQ(uniform("v = add(x[n,c], b[c]); y = mean(v, n, c); outputs y v"), TensorNames{});
  EXPECT_EQ(uniform("y = mean(divide(1, x[n,c]), n, c)"), TensorNames{});
}

TEST(Cancellation, ASumOverNothing) {
  EXPECT_EQ(vanishing("y = bias(x[n,c], b)", {{"n", 0}}), (TensorNames{"x", "b"}));
  EXPECT_TRUE(is_constant_y("y = sum(x[n,c], n)", {{"n", 0}}));
  EXPECT_FALSE(is_constant_y("y = sum(x[n,c], n)"));
}

TEST(Cancellation, ProductsAreNotFollowed) {
  EXPECT_EQ(vanishing("y = layer_norm(multiply(add(x[n,c], b[n]), b))"), TensorNames{});
  EXPECT_EQ(vanishing("y = layer_norm(divide(x[n,c], b[n]))"), TensorNames{});
  EXPECT_EQ(vanishing("y = multiply(x[n,c], 0)"), TensorNames{});  // not seen, and so not said
}

TEST(Cancellation, NothingGoesBackThroughADetachedValue) {
  EXPECT_EQ(vanishing("y = multiply(detach(x[n,c]), s[c])"), TensorNames{"x"});
  EXPECT_FALSE(is_constant_y("y = detach(x[n,c])"));
}

}  // namespace
}  // namespace gradproof
