// SPDX-License-Identifier: Apache-2.0
// The straight line from a Case to its Records.
#include "judge/check_case.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/case/case.h"
#include "core/case/inputs.h"
#include "judge/cross_check.h"
#include "kernels/kernel.h"
#include "oracles/oracle.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

std::vector<Record> check(const std::string& text) {
  return check_case(test_systems(), read_case(text));
}

std::set<std::string> tensors_of(const std::vector<Record>& records) {
  std::set<std::string> names;
  for (const Record& r : records) names.insert(r.tensor);
  return names;
}

Claim claim_of(std::int64_t rows, std::int64_t cols, std::int64_t groups) {
  Claim claim;
  claim.extents = {{"rows", rows}, {"cols", cols}};
  if (groups > 0)
    claim.graph = parse_graph("y = group_norm(x, groups=" + std::to_string(groups) + ")");
  return claim;
}

TEST(Sample, IsAllOfASmallClaim) {
  EXPECT_EQ(sampled_blocks(claim_of(10, 7, 0), 70, 1).size(), 7u);
  EXPECT_EQ(sampled_blocks(claim_of(1000, 3, 0), 10, 1).size(),
            3u);  // three are asked about anyhow
  EXPECT_EQ(sampled_blocks(claim_of(0, 5, 0), 0, 1).size(), 5u);
}

TEST(Sample, OfALargeOneHasItsEndsFitsAndFollowsTheSeed) {
  for (const Claim& claim : {claim_of(100, 500, 0), claim_of(10, 5000, 500)}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto blocks = sampled_blocks(claim, 1000, seed);
      EXPECT_EQ(blocks.size(), 10u);
      EXPECT_EQ(blocks.front(), 0);
      EXPECT_EQ(blocks.back(), 499);
      EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
      EXPECT_EQ(std::set<std::int64_t>(blocks.begin(), blocks.end()).size(), blocks.size());
      EXPECT_EQ(blocks, sampled_blocks(claim, 1000, seed));
    }
    EXPECT_NE(sampled_blocks(claim, 1000, 1), sampled_blocks(claim, 1000, 2));
  }
}

TEST(Line, ASystemWithoutModesSaysAny) {
  const auto records = check("swish_bias rows=9 cols=5");
  EXPECT_EQ(tensors_of(records), (std::set<std::string>{"d_bias", "d_x", "y"}));
  for (const Record& r : records) {
    EXPECT_EQ(r.mode, kAnyMode);
    EXPECT_EQ(r.verdict.outcome, Outcome::passed) << r.tensor << ": " << r.verdict.reason;
    EXPECT_TRUE(r.witness.starts_with("double-double, LibTorch float64")) << r.witness;
  }
}

TEST(Line, OfALargeClaimLibTorchSeesASample) {
  for (const char* text :
       {"swish_bias rows=1024 cols=1100", "groupnorm rows=512 cols=2304 groups=64"})
    for (const Record& r : check(text)) {
      EXPECT_EQ(r.verdict.outcome, Outcome::passed) << r.tensor << ": " << r.verdict.reason;
      EXPECT_NE(r.witness.find(" of "), std::string::npos) << r.witness;
    }
}

TEST(Line, AbsentGradientsAreNotJudged) {
  EXPECT_EQ(tensors_of(check("swish_bias rows=9 cols=5 grads=input")),
            (std::set<std::string>{"d_x", "y"}));
  EXPECT_EQ(tensors_of(check("swish_bias rows=9 cols=5 grads=parameters op=backward")),
            (std::set<std::string>{"d_bias"}));
}

TEST(Line, AModelPairIsJudgedWithItsLinear) {
  const auto records = check("linear_scale_batchnorm rows=9 in=7 cols=5 eps=1");
  const std::set<std::string> names = tensors_of(records);
  for (const char* name :
       {"z", "d_input", "y", "mean", "rstd", "y end to end", "rstd end to end", "d_z end to end"})
    EXPECT_TRUE(names.contains(name)) << name;
  for (const Record& r : records) {
    // The BatchNorm takes the Linear's bias out again: its gradient is 0.
    EXPECT_EQ(r.known.has_value(), r.tensor == "d_gemm.bias") << r.tensor;
    EXPECT_EQ(r.verdict.outcome, Outcome::passed) << r.tensor << ": " << r.verdict.reason;
  }
}

Verdict verdict_of(const std::vector<Record>& records, const std::string& tensor) {
  for (const Record& r : records)
    if (r.tensor == tensor) return r.verdict;
  return {};
}

/// Seen from truth and bound alone: float32 has a few of the bits left that the offset took.
TEST(Line, APassThatResolvesLittleIsMistrusted) {
  const std::string keys = "groupnorm rows=17 cols=80 groups=2 fill=offset:";
  const auto far = check(keys + "1e6");
  EXPECT_TRUE(verdict_of(far, "y").reason.starts_with("zeros would pass in "));
  EXPECT_NE(verdict_of(far, "rstd").reason.find("% of the truth"), std::string::npos);
  const auto ones = check("scale_batchnorm rows=37 cols=46 fill=offset:10 dy=ones");
  EXPECT_TRUE(verdict_of(ones, "d_x").reason.starts_with("zeros would pass in "));
  for (const Record& r : check(keys + "1e3"))
    EXPECT_EQ(r.verdict.outcome, Outcome::passed) << r.tensor << ": " << r.verdict.reason;
}

/// The Discrepancy of an exact d_scale, with the bound of a kernel that sums x times the norm's
/// d_x: all but eps rstd^2 of the terms cancels.
Discrepancy exact_d_scale(const std::string& keys) {
  const Case c = read_case("scale_batchnorm rows=1024 cols=64 " + keys);
  Claim claim = kernel_named("scale_batchnorm").claim(c);
  claim.contract.scale_in_closed_form = false;
  const Answers all = evaluate(claim, make_inputs(c, claim), std::nullopt);
  const Answer& answer = all.find("d_scale")->second;
  Tensor got(DType::f64, {answer.size()});
  for (std::int64_t i = 0; i < got.numel(); ++i) got.set(i, answer.hi[static_cast<std::size_t>(i)]);
  return compare(got, answer);
}

TEST(Line, TheBoundOfACancellingSumIsNoPass) {
  for (const char* keys : {"dy=normal", "fill=offset:10"}) {
    const Discrepancy d = exact_d_scale(keys);
    EXPECT_EQ(judge(d).outcome, Outcome::mistrusted) << keys;
    EXPECT_TRUE(judge(d).reason.starts_with("zeros would pass in 6")) << judge(d).reason;
    EXPECT_GT(d.resolution.whole, 0.5) << keys;
    EXPECT_GT(d.resolution.median, 1) << keys;
  }
  const Discrepancy resolved = exact_d_scale("eps=1");  // beside a variance of 1
  EXPECT_EQ(judge(resolved).outcome, Outcome::passed) << judge(resolved).reason;
}

TEST(Line, ARaceIsSeenWhereThePassIsDoubtedToo) {
  const std::string keys = "batchnorm_bias_divide_swish rows=64 cols=5 fill=scaled:0x1p100";
  EXPECT_EQ(verdict_of(check(keys), "rstd").outcome, Outcome::mistrusted);
  EXPECT_EQ(verdict_of(check(keys + " mutant=missing_barrier"), "rstd").outcome,
            Outcome::nondeterministic);
}

TEST(Line, WhatNobodyWroteIsSeenWhereTheTruthIsNaN) {
  const std::string keys = "batchnorm_bias_divide_swish rows=33 cols=17 set=x@0,16:nan";
  EXPECT_EQ(verdict_of(check(keys), "y").outcome, Outcome::passed);
  EXPECT_EQ(verdict_of(check(keys + " mutant=unwritten_tail"), "y").outcome,
            Outcome::nondeterministic);
}

TEST(Line, ControlAMutantFails) {
  bool failed = false;
  for (const Record& r : check("batchnorm_bias_divide_swish rows=9 cols=5 mutant=missing_divide"))
    failed = failed || r.verdict.outcome == Outcome::failed;
  EXPECT_TRUE(failed);
}

}  // namespace
}  // namespace gradproof
