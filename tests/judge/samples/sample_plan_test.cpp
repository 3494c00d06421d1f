// SPDX-License-Identifier: Apache-2.0
#include "core/graph/samples/sample_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"
#include "core/graph/graph_memory.h"

namespace gradproof {
namespace {

const std::string kProduct = "{y = contract(a[m,k], b[k,n], k)}";
const std::string kAttention =
    "{l = contract(q[h,t,d], k[h,s,d], d); p = softmax(l, s); y = contract(p, v[h,s,d], s)}";

std::vector<SamplePlan> plans_of(const std::string& text) {
  const Case c = parse_case(text, {});
  const Graph graph = graph_of(c);
  return sample_plans_of(c, graph, extents_of(graph, c));
}

const SamplePlan& plan_of(const std::vector<SamplePlan>& plans, const std::string& target) {
  return *std::ranges::find_if(plans, [&](const SamplePlan& p) {
    return std::ranges::find(p.targets, target) != p.targets.end();
  });
}

TEST(SamplePlan, ThereIsNoneForWhatTakesSeconds) {
  EXPECT_TRUE(plans_of(kProduct + " m=512 k=512 n=512").empty());
  EXPECT_TRUE(plans_of("{y = layer_norm(x, weight, bias)} rows=1000000 cols=4096").empty())
      << "a graph without products is judged whole";
}

TEST(SamplePlan, OfAProductHasRowsAndColumnsOfEachTarget) {
  const auto plans = plans_of(kProduct + " m=4096 k=4096 n=2048");
  ASSERT_EQ(plans.size(), 3U);
  for (const SamplePlan& plan : plans) {
    EXPECT_EQ(plan.counts.size(), 2U) << plan.targets.front();
    EXPECT_LE(plan.work, kWorkOfSample);
    EXPECT_GT(plan.work, kWorkOfSample / 4) << "as much as there is time for";
  }
  EXPECT_TRUE(plan_of(plans, "d_b").counts.contains("k"));
  EXPECT_FALSE(plan_of(plans, "y").counts.contains("k"));
}

TEST(SamplePlan, TargetsThatAreCutAlikeAreJudgedTogether) {
  const auto plans = plans_of(kAttention + " h=8 t=1024 s=1024 d=64");
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plan_of(plans, "y").targets, (std::vector<std::string>{"y", "d_q"}));
  EXPECT_EQ(plan_of(plans, "d_k").targets, (std::vector<std::string>{"d_k", "d_v"}));
  EXPECT_EQ(plan_of(plans, "d_k").counts, (GraphExtents{{"h", 1}}));
}

TEST(SamplePlan, OfCausalAttentionHasQueriesToo) {
  const auto plans = plans_of(
      "{l = contract(q[h,t,d], k[h,s,d], d); c = causal(l, t, s); p = softmax(c, s); "
      "y = contract(p, v[h,s,d], s)} h=8 t=1024 s=1024 d=64");
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_TRUE(plan_of(plans, "y").counts.contains("t"));
}

TEST(SamplePlan, TheCaseMayWantEverything) {
  EXPECT_TRUE(plans_of(kProduct + " m=4096 k=4096 n=4096 elements=all").empty());
}

TEST(SamplePlan, MemoryIsThatOfTheParts) {
  const std::string sizes = " m=4096 k=4096 n=4096";
  EXPECT_LT(memory_estimate(parse_case(kProduct + sizes, {})), 6e9);
  EXPECT_GT(memory_estimate(parse_case(kProduct + sizes + " elements=all", {})), 60e9);
}

TEST(SampledPlaces, AreEndsEdgesOfTilesAndOthersInRisingOrder) {
  for (const std::int64_t count : {1, 2, 3, 16, 128, 999}) {
    const auto places = sampled_places(1000, count);
    EXPECT_EQ(std::ssize(places), count);
    EXPECT_TRUE(std::ranges::is_sorted(places));
    EXPECT_EQ(std::ranges::adjacent_find(places), places.end()) << "a place stands twice";
    EXPECT_EQ(places.front(), 0);
    EXPECT_TRUE(count == 1 || places.back() == 999) << count;
  }
  const auto places = sampled_places(1000, 32);
  for (const std::int64_t edge : {255, 256, 767, 768})
    EXPECT_TRUE(std::ranges::binary_search(places, edge)) << edge;
  EXPECT_EQ(places, sampled_places(1000, 32));
  std::int64_t gap = 0;
  for (std::size_t k = 1; k < places.size(); ++k) gap = std::max(gap, places[k] - places[k - 1]);
  EXPECT_LE(gap, 2 * 1000 / 14 + 1) << "14 places are spread over the axis";
}

TEST(SampledPlaces, HalfAreThoseThatAreWantedMost) {
  const auto places = sampled_places(1000, 6, {500, 7, 500, 8, 9, 10});
  EXPECT_EQ(std::ssize(places), 6);
  for (const std::int64_t place : {0, 7, 8, 500, 999})
    EXPECT_TRUE(std::ranges::binary_search(places, place)) << place;
  EXPECT_FALSE(std::ranges::binary_search(places, 9));
  EXPECT_EQ(sampled_places(8, 1, {5}), (std::vector<std::int64_t>{5}));
}

}  // namespace
}  // namespace gradproof
