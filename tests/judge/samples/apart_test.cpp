// SPDX-License-Identifier: Apache-2.0
// The truths of a part of a graph's tensors are those of the whole, where the axis is apart for the
// target.
#include "core/graph/samples/apart.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "judge/graph/samples/sampled_part.h"
#include "tests/graph/ran.h"
#include "tests/graph/stage_line.h"

namespace gradproof {
namespace {

const std::vector<std::string> kChains{
    "{a = gelu(linear(x, w1[hidden,cols])); y = linear(a, w2[out,hidden], bias)} hidden=6 out=5",
    "{l = contract(q[h,t,d], k[h,s,d], d); p = softmax(multiply(l, 0.5), s); "
    "y = contract(p, v[h,s,e], s)} h=3 t=4 s=5 d=6 e=7",
    "{h = layer_norm(x, weight, bias); y = add(x, linear(h, w[cols2,cols]))} cols2=8",
    "{m = mean(x, cols); y = multiply(x, m)}",
    "{s = sum(x, cols); y = divide(contract(x, w[cols,out], cols), s)} out=3",
    "{y = contract(a[m,k], b[k,n], k); z = square(y); outputs y z} m=4 k=5 n=6"};

GraphRun run_of(const Ran& ran) { return {ran.claim, ran.inputs, ran.got, "LibTorch"}; }

CutPlaces some_of(const std::string& axis, std::int64_t extent) {
  CutPlaces places;
  for (std::int64_t place = extent / 3; place < extent; place += 2) places[axis].push_back(place);
  return places;
}

enum class Same { yes, no, refused };

/// Compares the truths of a part along the axis with those of the whole.
Same compared(const GraphRun& whole, const std::string& target, const std::string& axis) try {
  const RunPart part(whole, {target}, some_of(axis, whole.claim.extents.at(axis)));
  const GraphRun& run = part.run();
  const GraphTruths all =
      truths_of_graph(whole.claim, whole.inputs, target, get(whole.got, target));
  const Tensor& got = get(run.got, target);
  const GraphTruths some = truths_of_graph(run.claim, run.inputs, target, got);
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    const std::int64_t index = part.whole_index(target, i);
    EXPECT_EQ(part.index_of(target, index), i);
    EXPECT_EQ(got.at(i), get(whole.got, target).at(index));
    const Truth a = some.truths.at(static_cast<std::size_t>(i));
    const Truth b = all.truths.at(static_cast<std::size_t>(index));
    if (std::abs((a.hi - b.hi) + (a.lo - b.lo)) > a.radius + b.radius) return Same::no;
  }
  return Same::yes;
} catch (const UsageError&) {
  return Same::refused;  // the move does not go with so many numbers
}

using Visit = std::function<void(bool apart, Same same, const std::string& what)>;

/// Visits each target of the line and each of its axes that a Case says.
void visit(const std::string& line, const Visit& each) {
  const Ran ran(line);
  const GraphRun whole = run_of(ran);
  for (const auto& [target, got] : whole.got)
    for (const GraphAxis& axis : ran.graph.axes)
      if (axis.is_given() && has_name(axes_of_target(ran.graph, target), axis.name))
        each(is_apart(ran.graph, target, axis.name), compared(whole, target, axis.name),
             line + " " + target + " along " + axis.name);
}

TEST(Apart, APartOfTheTensorsMakesThatPartOfTheTargetAndElseItDoesNot) {
  int apart_pairs = 0, coupled = 0, needlessly = 0;
  const Visit check = [&](bool apart, Same same, const std::string& what) {
    EXPECT_TRUE(!apart || same == Same::yes) << what;
    apart_pairs += apart;
    coupled += !apart && same != Same::yes;
    needlessly += !apart && same == Same::yes;
  };
  for (const GraphStage& stage : graph_stages()) visit(line_of(stage), check);
  for (const std::string& line : kChains) visit(line, check);
  EXPECT_GT(apart_pairs, 200);
  EXPECT_GT(coupled, 80) << "the comparison finds no difference where there is one";
  EXPECT_LT(needlessly, coupled);
}

TEST(Apart, OfProductsAreTheAxesThatATargetHas) {
  const Graph product = parse_graph("y = contract(a[m,k], b[k,n], k)");
  EXPECT_TRUE(is_apart(product, "y", "m"));
  EXPECT_TRUE(is_apart(product, "y", "n"));
  EXPECT_FALSE(is_apart(product, "y", "k")) << "y has no such axis";
  EXPECT_TRUE(is_apart(product, "d_a", "k")) << "no gradient is made of y";
  EXPECT_TRUE(is_apart(product, "d_b", "n"));
  const Graph squared = parse_graph("y = square(contract(a[m,k], b[k,n], k))");
  EXPECT_FALSE(is_apart(squared, "d_a", "k")) << "the square's gradient is made of the sum over k";
  EXPECT_TRUE(is_apart(squared, "d_a", "m"));
}

/// No tensor has the axes that windows leave, so that no part of one makes a part along them.
TEST(Apart, NothingIsApartAlongWhatWindowsLeave) {
  const Graph pooled = parse_graph("v = max_pool(x[n,c,h,w], window=2); y = relu(v)");
  EXPECT_TRUE(is_apart(pooled, "y", "n"));
  for (const std::string& axis : pooled.axes_of("y"))
    EXPECT_EQ(is_apart(pooled, "y", axis), axis == "n" || axis == "c") << axis;
}

TEST(Apart, APartOfAMaskedGraphIsThatOfTheGraph) {
  for (const char* step : {"causal(l, t, s)", "causal(l, t, s, window=2, value=-1)",
                           "tril(l, t, s, diagonal=1)", "triu(l, t, s)"}) {
    const Ran ran(
        "{l = contract(q[h,t,d], k[h,s,d], d); m = " + std::string(step) +
        "; p = softmax(m, s, empty=zero); y = contract(p, v[h,s,e], s)} h=2 t=6 s=6 d=3 e=4");
    EXPECT_FALSE(is_apart(ran.graph, "y", "t")) << step;
    const GraphRun masked = with_masks(run_of(ran));
    EXPECT_TRUE(is_apart(masked.claim.graph, "y", "t")) << step;
    for (const char* target : {"y", "d_q"})
      EXPECT_EQ(compared(masked, target, "t"), Same::yes) << step << " " << target;
    const GraphTruths whole = truths_of_graph(ran.claim, ran.inputs, "d_v", get(ran.got, "d_v"));
    const GraphTruths same =
        truths_of_graph(masked.claim, masked.inputs, "d_v", get(ran.got, "d_v"));
    for (std::size_t i = 0; i < whole.truths.hi.size(); ++i)
      EXPECT_LE(std::abs(whole.truths.hi[i] - same.truths.hi[i]),
                whole.truths.radius[i] + same.truths.radius[i] + 1e-15)
          << step;
  }
}

TEST(Apart, AttentionsKeysNeedEveryQueryAndItsQueriesEveryKey) {
  const Graph attention = parse_graph(
      "l = contract(q[h,t,d], k[h,s,d], d); p = softmax(l, s); y = contract(p, v[h,s,e], s)");
  for (const char* target : {"y", "d_q", "d_k", "d_v"})
    EXPECT_TRUE(is_apart(attention, target, "h")) << target;
  EXPECT_TRUE(is_apart(attention, "y", "t"));
  EXPECT_TRUE(is_apart(attention, "d_q", "t"));
  EXPECT_FALSE(is_apart(attention, "d_k", "s"));
  EXPECT_TRUE(is_apart(attention, "d_v", "e"));
}

}  // namespace
}  // namespace gradproof
