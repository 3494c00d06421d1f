// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/segments.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// Graphs that couple all axes, each with more than one segment.
const char* const kCoupled[] = {
    // BatchNorm, then Softmax
    "{x -> batch_norm(weight, beta) -> softmax -> y} rows=24 cols=13",
    // a value that two segments use, and that is an output too
    "{h = batch_norm(x, weight, beta); s = softmax(h); y = add(s, h); outputs h y} rows=12 cols=17",
    // tensors in several segments: cut along another axis, not cut, and twice in one
    "{h = batch_norm(multiply(x, x), w); y = layer_norm(add(h, x), w, b)} rows=14 cols=11",
    "{h = multiply(batch_norm(x), s[]); y = multiply(softmax(add(h, s)), s)} rows=9 cols=12",
    // products, running statistics
    "{v = linear(x[rows,k], w[cols,k], b); y = softmax(multiply(batch_norm(v, g, h), s[])); "
    "new_mean = running_mean(v, mean); new_var = running_var(v, var)} rows=20 k=7 cols=10",
    "{y = linear(batch_norm(linear(x[rows,k], w[cols,k])), z[out,cols], c)} rows=9 k=5 cols=8 "
    "out=6",
    // labels behind a product; a step that couples everything
    "{y = nll_loss(log_softmax(batch_norm(x)), labels)} rows=18 cols=9",
    "{m = mean(batch_norm(x), rows, cols); y = softmax(subtract(x, m))} rows=15 cols=10",
    // windows, along axes that are coupled again
    "{x[n,c,h,w] -> batch_norm(weight, beta) -> tanh -> max_pool(window=2) -> "
    "group_norm(g, b, groups=2) -> y} n=3 c=4 h=6 w=5",
    "{x[n,c,h,w] -> avg_pool(window=2) -> softmax(c) -> mean(n) -> y} n=3 c=4 h=6 w=6",
    // a reduced value against a wide one, and a value that gives nothing back
    "{h = batch_norm(x); m = max(h, cols); y = multiply(subtract(h, m), detach(m))} rows=9 cols=14",
};

class Coupled : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  Ran ran() const {
    const auto& [line, dtype] = GetParam();
    return Ran(std::string(line) + " seed=5 dtype=" + dtype);
  }
};

/// The claim of the same graph that is cut where the coupling changes, however small it is.
GraphClaim in_segments(GraphClaim claim) {
  claim.whole_numbers = 0;
  return claim;
}

/// Moves the last number by three bounds, or by 1 if its bound is 0; storing takes back one bound.
void move_last_by_three_bounds(Ran& ran, const std::string& name) {
  Tensor& t = ran.got.at(name);
  const Truths truths = truths_of_graph(ran.claim, ran.inputs, name, t).truths;
  const Truth last = truths.at(truths.size() - 1);
  const double by = last.bound > 0 ? 3 * last.bound : 1;
  t.set(t.numel() - 1, last.hi + std::copysign(by, last.hi));
}

void expect_right_and_convicted(const Ran& ran) {
  for (const auto& [name, judged] : ran.judged()) {
    const Discrepancy& d = judged.discrepancy;
    EXPECT_EQ(d.bad, 0) << name << " " << d.worst.got << " " << d.worst.want;
    EXPECT_EQ(d.undecided, 0) << name;
    EXPECT_EQ(d.elements, ran.got.at(name).numel()) << name;
    Ran wrong = ran;
    move_last_by_three_bounds(wrong, name);
    EXPECT_EQ(wrong.judged().at(name).discrepancy.bad, 1) << name;
  }
}

TEST_P(Coupled, LibTorchIsRightAndAFaultIsNotBothWays) {
  Ran whole = ran();
  ASSERT_EQ(segments_of(whole.claim).size(), 1U);
  expect_right_and_convicted(whole);
  Ran cut = whole;
  cut.claim = in_segments(whole.claim);
  ASSERT_GT(segments_of(cut.claim).size(), 1U);
  expect_right_and_convicted(cut);
}

/// Both truths agree within what is known of them. The bound of a segment is smaller only by what
/// the order of its operations in double makes: 2^-40 of it.
TEST_P(Coupled, TruthsAgreeAndNoBoundIsSmaller) {
  const Ran whole = ran();
  for (const auto& [name, tensor] : whole.got) {
    if (!whole.judged().contains(name)) continue;
    const Truths one = truths_of_graph(whole.claim, whole.inputs, name, tensor).truths;
    const Truths cut = truths_of_graph(in_segments(whole.claim), whole.inputs, name, tensor).truths;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const double apart = (one.hi[i] - cut.hi[i]) + (one.lo[i] - cut.lo[i]);
      EXPECT_LE(std::abs(apart), (one.radius[i] + cut.radius[i]) * 1.01) << name << " " << i;
      EXPECT_GE(cut.bound[i], one.bound[i] * (1 - 0x1p-40)) << name << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graph, Coupled,
                         testing::Combine(testing::ValuesIn(kCoupled),
                                          testing::Values("f32", "f64", "bf16")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) + "_" +
                                  std::to_string(each.index);
                         });

TEST(GraphSegments, AGraphWithAFreeAxisIsOneHoweverLarge) {
  const Ran ran("{x -> layer_norm(w, b) -> softmax -> y} rows=300 cols=200");
  EXPECT_EQ(segments_of(in_segments(ran.claim)).size(), 1U);
}

/// An axis that stands alone in a parameter, or that a step works over, is no part of another.
TEST(GraphSegments, FreeAxesThatStandSideBySideAreOne) {
  const std::map<std::string, std::string> axis_of{
      {"{x[n,c,d,h,w] -> relu -> bias(b) -> y}", "d*h*w"},
      {"{x[n,c,d,h,w] -> layer_norm(weight, beta) -> gelu -> y}", "n*c*d*h"},
      {"{x[n,c,d,h,w] -> softmax(c) -> sigmoid -> y}", "d*h*w"},
      {"{x[n,c,h,w] -> multiply(2) -> max_pool(window=2) -> y}", "n*c"},
      {"{x[n,c,h,w] -> scale(s) -> max_pool(window=2) -> y}", "c"},
      {"{x[n,c,h,w] -> min(c) -> sum(h) -> y}", "w"}};
  for (const auto& [text, axis] : axis_of) {
    const Ran ran(text + (text.find(",d,") == std::string::npos ? "" : " d=2") +
                  " n=2 c=4 h=2 w=4");
    const Segment whole = segments_of(ran.claim).at(0);
    EXPECT_EQ(block_axis(whole.claim.graph, whole.claim.extents), axis) << text;
    EXPECT_EQ(numel(whole.claim.shape_of("y")), numel(ran.claim.shape_of("y"))) << text;
  }
}

/// The running statistics stand with the BatchNorm, whatever the text has first (KernelBench 2/84).
TEST(GraphSegments, StepsStandWhereTheirCouplingIs) {
  const Ran ran(
      "{v = linear(x[rows,k], w[cols,k], b); y = softmax(multiply(batch_norm(v, g, h), s[])); "
      "new_mean = running_mean(v, mean); new_var = running_var(v, var)} rows=4 k=3 cols=5");
  const auto segments = segments_of(in_segments(ran.claim));
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[0].claim.graph.steps.size(), 1U);
  EXPECT_EQ(segments[1].claim.graph.steps.size(), 4U);
  EXPECT_EQ(segments[2].claim.graph.steps.size(), 1U);
  EXPECT_EQ(segments[1].outputs, (std::vector<std::string>{"new_mean", "new_var"}));
}

/// Behind the cut exp(-700 to -745) has fewer digits than double-doubles need: 50 digits take what
/// crosses the cut, too. Without them these elements would be open.
TEST(GraphSegments, FiftyDigitsGoThroughTheCut) {
  Ran ran("{x -> batch_norm -> multiply(400) -> softmax -> y} rows=16 cols=5 dtype=f64 seed=11");
  ran.claim = in_segments(ran.claim);
  std::int64_t escalated = 0;
  for (const auto& [name, judged] : ran.judged()) {
    EXPECT_EQ(judged.discrepancy.bad, 0) << name;
    EXPECT_EQ(judged.discrepancy.undecided, 0) << name;
    escalated += judged.escalated;
  }
  EXPECT_GT(escalated, 0);
}

}  // namespace
}  // namespace gradproof
