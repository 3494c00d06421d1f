// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/segments/segment_blocks.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// Expects that no element is bad, and that one is bad once it is off by a hundredth.
void expect_judged(const std::string& line) {
  const Ran ran(line);
  for (const auto& [name, judged] : ran.judged()) {
    const Discrepancy& d = judged.discrepancy;
    EXPECT_EQ(d.bad, 0) << line << " " << name << " " << d.worst.got << " " << d.worst.want;
    EXPECT_EQ(d.undecided, 0) << line << " " << name;
    EXPECT_EQ(d.elements, ran.got.at(name).numel()) << line << " " << name;
    Ran wrong = ran;
    Tensor& t = wrong.got.at(name);
    const std::int64_t last = t.numel() - 1;
    t.set(last, t.at(last) + 1e-2 * (1 + std::abs(t.at(last))));
    EXPECT_EQ(wrong.judged().at(name).discrepancy.bad, 1) << line << " " << name;
  }
}

/// The gradient of a parameter sums over the blocks.
TEST(GraphBlocks, RowsOfSeveralBlocks) {
  expect_judged("{y = rms_norm(x, weight)} rows=300 cols=64 fill=offset:3");
}

TEST(GraphBlocks, ColumnsOfSeveralBlocks) {
  expect_judged("{y = batch_norm(x, weight, beta)} rows=64 cols=301");
}

/// The axis that a window makes is no axis to cut: its windows begin at the first number.
TEST(GraphBlocks, PoolsThatAreLongerThanABlock) {
  expect_judged("{y = avg_pool(x[n,c,h,w], window=2)} n=1 c=1 h=40 w=600");
  expect_judged("{y = max_pool(x[n,c,h,w], window=2)} n=2 c=1 h=40 w=600");
}

TEST(GraphBlocks, PoolsWithWindowsOfTheirOwnAlongEachAxis) {
  expect_judged("{y = avg_pool(x[n,c,h,w], window=2x3, stride=1x2, padding=1x0)} n=3 c=2 h=7 w=9");
  expect_judged("{y = max_pool(x[n,c,h,w], window=3x2, dilation=1x3)} n=3 c=2 h=9 w=8");
  expect_judged("{y = max_pool(x[n,c,h,w], w, h, window=3x2, stride=1)} n=3 c=2 h=5 w=6");
}

/// The blocks lie along axes that were made one, in a whole graph and behind a cut.
TEST(GraphBlocks, AxesThatAreOne) {
  expect_judged("{x[n,c,d,h,w] -> bias(b) -> tanh -> y} n=3 c=5 d=7 h=9 w=31");
  expect_judged("{y = avg_pool(x[n,c,h,w], window=2)} n=7 c=11 h=16 w=16");
  expect_judged("{x[n,c,h,w] -> batch_norm -> softmax(c) -> y} n=9 c=6 h=40 w=32");
}

/// Some packs are filled in part, at the end of a row of numbers and in the middle of a shape.
TEST(GraphBlocks, PacksFilledInPart) {
  for (int n = 1; n <= 17; ++n) {
    const std::string extent = std::to_string(n);
    expect_judged("{y = layer_norm(x, weight, beta)} cols=5 rows=" + extent);
    expect_judged("{h = batch_norm(x, weight, beta); y = silu(add(h, b[cols]))} rows=6 cols=" +
                  extent);
    expect_judged("{y = instance_norm(x[n,c,h,w], weight)} n=2 h=3 w=2 c=" + extent);
  }
}

/// Above 690 the double-doubles do not know the exponential: 50 digits take those rows alone.
TEST(GraphBlocks, OnlyUndecidedNumbersTakeFiftyDigits) {
  Ran ran("{y = exp(x)} rows=64 cols=3 dtype=f64");
  ran.inputs.at("x").set(7, 700);
  ran.inputs.at("x").set(100, 695);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, {ran.graph, ran.storage});
  const auto judged = ran.judged();
  for (const char* name : {"y", "d_x"}) {
    EXPECT_EQ(judged.at(name).discrepancy.bad, 0) << name;
    EXPECT_EQ(judged.at(name).discrepancy.undecided, 0) << name;
    EXPECT_EQ(judged.at(name).escalated, 2) << name;
  }
}

/// Three of four elements in front of a max_pool have a gradient of exactly 0, and half of those in
/// front of a relu: they take no 50 digits, and a wrong one is bad.
TEST(GraphBlocks, ZerosThatComeBackAreExact) {
  for (const char* text : {"{y = max_pool(tanh(x[n,c,h,w]), window=2)} n=3 c=2 h=6 w=6 dtype=f64",
                           "{x -> relu -> gelu -> sigmoid -> y} rows=16 cols=8 dtype=f64"}) {
    Ran ran(text);
    Tensor& d_x = ran.got.at("d_x");
    std::int64_t zero = 0;
    while (d_x.at(zero) != 0) ++zero;
    const Judged right = ran.judged().at("d_x");
    EXPECT_EQ(right.escalated, 0) << text;
    EXPECT_EQ(right.discrepancy.bad, 0) << text;
    d_x.set(zero, std::numeric_limits<double>::min());
    EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 1) << text;
  }
}

/// Over one row a parameter's gradient is one term and has no rounding: its bound is 0, and so is
/// the radius of its truth. It needs no 50 digits, for which the whole row would be computed again.
TEST(GraphBlocks, SumsOfOneTermAreExact) {
  for (const char* text :
       {"{y = layer_norm(x, weight, beta)} rows=1 cols=37", "{y = bias(x, b)} rows=1 cols=37",
        "{y = batch_norm(x, weight, beta)} rows=37 cols=1"}) {
    const Ran ran(text);
    for (const auto& [name, judged] : ran.judged()) EXPECT_EQ(judged.escalated, 0) << text << name;
    expect_judged(text);
  }
  Ran ran("{y = layer_norm(x, weight, beta)} rows=1 cols=37");
  Tensor& d_beta = ran.got.at("d_beta");
  d_beta.set(5, std::nextafter(static_cast<float>(d_beta.at(5)), 9.0F));
  EXPECT_EQ(ran.judged().at("d_beta").discrepancy.bad, 1) << "one ulp over a bound of 0";
}

/// The answers of a compilation for all values of one block.
std::vector<BlockAnswers> answers_of(const GraphCompilation& compilation, const Ran& ran,
                                     const std::string& axis, std::int64_t length) {
  const GraphSetting setting{ran.claim.contract, {}};
  const auto tier = compilation.make(setting);
  const std::int64_t packs = (length + tier->lanes() - 1) / tier->lanes();
  const GraphPlan plan(ran.graph, ran.claim.extents, packs, [](double v) { return v; });
  const PackedBlock block{axis, {0, length, length}, tier->lanes()};
  const PackedNumbers numbers(plan, ran.inputs, block);
  tier->evaluate(plan, numbers.view());
  const StoredType type = stored_type_of(DType::f32, DType::f32);
  std::vector<BlockAnswers> all;
  const auto take = [&](std::size_t place, const auto& get) {
    const PackedPlaces places(plan.values[place], block);
    PackedAnswers found(places.stored_count());
    get(found);
    const BlockAnswers& packed = found.answers;
    BlockAnswers plain;
    plain.resize(static_cast<std::size_t>(numel(ran.claim.shape_of(plan.values[place].name))));
    places.each([&](std::size_t stored, std::size_t at) {
      plain.hi[at] = packed.hi[stored];
      plain.lo[at] = packed.lo[stored];
      plain.radius[at] = packed.radius[stored];
      plain.error[at] = packed.error[stored];
    });
    all.push_back(std::move(plain));
  };
  for (const int output : plan.outputs)
    take(static_cast<std::size_t>(output),
         [&](PackedAnswers& into) { tier->value(output, type, into); });
  for (std::size_t k = 0; k < ran.graph.tensors.size(); ++k)
    if (tier->has_gradient(k)) take(k, [&](PackedAnswers& into) { tier->gradient(k, type, into); });
  return all;
}

/// Truths agree within their radii, and errors but for the roundings of the error arithmetic.
void expect_equal(const BlockAnswers& one, const BlockAnswers& other) {
  ASSERT_EQ(one.hi.size(), other.hi.size());
  for (std::size_t i = 0; i < one.hi.size(); ++i) {
    const double apart = (one.hi[i] - other.hi[i]) + (one.lo[i] - other.lo[i]);
    EXPECT_LE(std::abs(apart), one.radius[i] + other.radius[i]) << i;
    EXPECT_LE(std::abs(one.error[i] - other.error[i]), 1e-12 * one.error[i]) << i;
  }
}

TEST(GraphBlocks, EachCompilationSaysTheSame) {
  const Ran ran(
      "{h = layer_norm(x, weight, beta); g = gelu(h); m = max(g, cols); y = subtract(g, m)} "
      "rows=13 cols=24");
  std::vector<GraphCompilation> compilations = graph_compilations(TierLanes::pack);
  for (const GraphCompilation& single : graph_compilations(TierLanes::single))
    compilations.push_back(single);
  const auto first = answers_of(compilations.front(), ran, "rows", 13);
  ASSERT_EQ(first.size(), 2U);
  for (const GraphCompilation& compilation : compilations) {
    if (!runs_here(compilation.set)) continue;
    const auto here = answers_of(compilation, ran, "rows", 13);
    ASSERT_EQ(here.size(), first.size()) << name_of(compilation.set);
    for (std::size_t k = 0; k < here.size(); ++k) expect_equal(first[k], here[k]);
  }
}

/// If nothing else stands beside a number along the axis, or there is no axis, a pack would hold
/// the number in each lane: 8 times the memory. With a second row the packs pay.
TEST(GraphBlocks, WhatIsAloneIsNotPacked) {
  const auto lanes_of = [](const std::string& line) {
    return SegmentBlocks::lanes_of(segments_of(Ran(line).claim).front().claim);
  };
  EXPECT_EQ(lanes_of("{y = softmax(x)} rows=1 cols=24"), TierLanes::single);
  EXPECT_EQ(lanes_of("{y = batch_norm(x)} rows=24 cols=1"), TierLanes::single);
  EXPECT_EQ(lanes_of("{y = mean(x, rows, cols)} rows=4 cols=6"), TierLanes::single);
  EXPECT_EQ(lanes_of("{y = softmax(x)} rows=2 cols=24"), TierLanes::pack);
  EXPECT_EQ(lanes_of("{y = silu(x)} rows=1 cols=24"), TierLanes::pack);
}

/// A graph that makes nothing as wide as its tensor has blocks of the tensor's width.
TEST(GraphBlocks, AreCutByWhatIsReduced) {
  const auto blocks_of = [](const std::string& line) {
    const Ran ran(line);
    const std::vector<Segment> segments = segments_of(ran.claim);
    return SegmentBlocks(segments.front().claim, 4).count();
  };
  EXPECT_EQ(blocks_of("{y = mean(x[rows,cols], cols)} rows=16 cols=4096"), 4);
  EXPECT_EQ(blocks_of("{y = mean(x[rows,cols], cols)} rows=16 cols=4"), 1);
  expect_judged("{y = logsumexp(x[rows,cols], cols)} rows=16 cols=4096");
}

/// Rows of which a pack would take too much memory are blocks one by one; their sums are joined.
TEST(GraphBlocks, WideRowsAreNotPacked) {
  const std::string wide =
      "{y = rms_norm(x, weight)} rows=2 cols=" + std::to_string(kWidestOfPack + 1);
  const std::string packed =
      "{y = rms_norm(x, weight)} rows=2 cols=" + std::to_string(kWidestOfPack);
  const Ran ran(wide);
  EXPECT_EQ(SegmentBlocks::lanes_of(segments_of(ran.claim).front().claim), TierLanes::single);
  const Ran other(packed);
  EXPECT_EQ(SegmentBlocks::lanes_of(segments_of(other.claim).front().claim), TierLanes::pack);
  Ran wrong = ran;
  Tensor& d_weight = wrong.got.at("d_weight");
  d_weight.set(kWidestOfPack, d_weight.at(kWidestOfPack) + 1);
  const auto judged = ran.judged();
  for (const auto& [name, one] : judged) EXPECT_EQ(one.discrepancy.bad, 0) << name;
  EXPECT_EQ(wrong.judged().at("d_weight").discrepancy.bad, 1);
}

/// The rows are so wide that truth and bound are computed at once, also for scalars and parameters.
TEST(GraphBlocks, OneRowOfManyNumbers) {
  expect_judged("{y = softmax(x)} rows=1 cols=9001");
  expect_judged("{y = layer_norm(x, weight, beta)} rows=1 cols=9001");
  expect_judged("{h = tanh(x); y = mean(multiply(h, h), rows, cols)} rows=91 cols=99");
}

}  // namespace
}  // namespace gradproof
