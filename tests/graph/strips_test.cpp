// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graph/graph_parts.h"
#include "oracles/graph/segments/segment_blocks.h"
#include "oracles/graph/segments/segments.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// The number of strips that the whole graph of the line is cut into.
std::int64_t strips_of_line(const std::string& line) {
  const Ran ran(line);
  const Segment whole = segments_of(ran.claim).at(0);
  return strips_of(whole.claim, block_axis(whole.claim.graph, whole.claim.extents));
}

TEST(GraphStrips, HaveWholeGroups) {
  const std::map<std::string, std::int64_t> strips{
      {"{y = group_norm(x, weight, beta, groups=16)} rows=64 cols=1024", 8},
      // One group is wider than a strip should be: each is one.
      {"{y = group_norm(x, weight, beta, groups=4)} rows=64 cols=1024", 4},
      {"{y = group_norm(bias(silu(x), b), weight, beta, groups=6)} rows=64 cols=768", 6},
      // Both norms' groups lie inside a strip.
      {"{y = group_norm(group_norm(x, groups=24), groups=16)} rows=64 cols=1536", 8},
      {"{y = group_norm(x[n,c,h,w], weight, beta, groups=8)} n=64 c=16 h=8 w=8", 8}};
  for (const auto& [line, count] : strips) EXPECT_EQ(strips_of_line(line), count) << line;
}

TEST(GraphStrips, AreOneWhereSomethingCrosses) {
  for (const char* line :
       {"{y = group_norm(x, weight, beta, groups=16)} rows=8 cols=64",  // one block has it all
        "{y = layer_norm(x, weight, beta)} rows=64 cols=1024",
        "{y = softmax(group_norm(x, groups=16))} rows=64 cols=1024",
        "{y = group_norm(scale(x, s[]), groups=16)} rows=64 cols=1024",
        "{y = group_norm(add(x, r[rows]), groups=16)} rows=64 cols=1024",
        "{y = sum(group_norm(x, groups=16), cols)} rows=64 cols=1024"})
    EXPECT_EQ(strips_of_line(line), 1) << line;
}

/// Compares what a graph in strips says of all elements with what its groups say, one after the
/// other, each as a graph of its own.
class InStrips : public testing::TestWithParam<const char*> {
 protected:
  static constexpr std::int64_t kRows = 70;  // no whole number of packs
  static constexpr std::int64_t kGroups = 16;
  static constexpr std::int64_t kWidth = 48;

  static std::string line(std::int64_t groups) {
    return fmt::format(
        "{{y = silu(group_norm(bias(x, b), weight, beta, groups={}))}} rows={} "
        "cols={} fill=offset:3 dtype={}",
        groups, kRows, groups * kWidth, GetParam());
  }

  /// The channels of one group of a tensor.
  static Tensor of_group(const Tensor& whole, std::int64_t group) {
    const std::int64_t rows = whole.shape().size() > 1 ? kRows : 1;
    Tensor part(whole.dtype(), whole.shape().size() > 1 ? Shape{kRows, kWidth} : Shape{kWidth});
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < kWidth; ++c)
        part.set(r * kWidth + c, whole.at((r * kGroups + group) * kWidth + c));
    return part;
  }

  /// Truths agree within their radii, bounds but for the order in which sums are added.
  static void expect_equal(const GraphTruths& whole, std::size_t at, const GraphTruths& part,
                           std::size_t of_part, const std::string& what) {
    const Truth one = whole.truths.at(at);
    const Truth other = part.truths.at(of_part);
    if (std::isfinite(one.hi)) {
      const double apart = (one.hi - other.hi) + (one.lo - other.lo);
      EXPECT_LE(std::abs(apart), one.radius + other.radius) << what;
    } else {
      EXPECT_EQ(std::isnan(one.hi), std::isnan(other.hi)) << what;
      EXPECT_EQ(std::isinf(one.hi), std::isinf(other.hi)) << what;
    }
    if (one.bound != other.bound) {
      EXPECT_LE(std::abs(one.bound - other.bound), 1e-9 * one.bound) << what;
    }
    EXPECT_EQ(one.any_nonfinite, other.any_nonfinite) << what;
    EXPECT_EQ(whole.escalated[at], part.escalated[of_part]) << what;
  }

  static void expect_equal_by_group(const Ran& ran) {
    ASSERT_GT(strips_of_line(line(kGroups)), 1);
    for (std::int64_t group = 0; group < kGroups; ++group) {
      Ran part(line(1));
      for (auto& [name, tensor] : part.inputs) tensor = of_group(ran.inputs.at(name), group);
      for (const char* target : {"y", "d_x", "d_b", "d_weight", "d_beta"}) {
        const Tensor& like = ran.got.at(target);
        const GraphTruths all = truths_of_graph(ran.claim, ran.inputs, target, like);
        const GraphTruths own =
            truths_of_graph(part.claim, part.inputs, target, of_group(like, group));
        const std::int64_t rows = like.shape().size() > 1 ? kRows : 1;
        for (std::int64_t i = 0; i < rows * kWidth; ++i)
          expect_equal(all, place(i / kWidth, group, i % kWidth), own, static_cast<std::size_t>(i),
                       fmt::format("{} of group {} at {}", target, group, i));
      }
    }
  }

  static std::size_t place(std::int64_t row, std::int64_t group, std::int64_t channel) {
    return static_cast<std::size_t>((row * kGroups + group) * kWidth + channel);
  }
};

TEST_P(InStrips, SayWhatEachGroupAloneSays) { expect_equal_by_group(Ran(line(kGroups))); }

/// An infinity makes a row of its group NaN and the sums over it, and nothing else.
TEST_P(InStrips, LeaveWhatIsNotFiniteInItsGroup) {
  Ran ran(line(kGroups));
  ran.inputs.at("x").set(static_cast<std::int64_t>(place(5, 9, 7)),
                         std::numeric_limits<double>::infinity());
  ran.inputs.at("dy").set(static_cast<std::int64_t>(place(66, 15, 0)),
                          std::numeric_limits<double>::quiet_NaN());
  expect_equal_by_group(ran);
}

INSTANTIATE_TEST_SUITE_P(Types, InStrips, testing::Values("f32", "f64", "bf16"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace gradproof
