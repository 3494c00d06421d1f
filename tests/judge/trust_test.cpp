// SPDX-License-Identifier: Apache-2.0
// Passes that say nothing about a parameter: which tensors are doubted, and that no others are.
#include <set>

#include <gtest/gtest.h>

#include "core/case/case.h"
#include "judge/check_case.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

using Names = std::set<std::string>;

/// The tensors that are Mistrusted for this reason; all others passed, but for those that are one
/// constant.
Names doubted(const std::string& text, const std::string& reason) {
  Names names;
  for (const Record& r : check_case(test_systems(), read_case(text))) {
    if (r.verdict.outcome == Outcome::passed || r.discrepancy().constant_would_pass) continue;
    EXPECT_EQ(r.verdict.outcome, Outcome::mistrusted) << r.tensor << ": " << r.verdict.reason;
    EXPECT_EQ(r.verdict.reason, reason) << r.tensor;
    names.insert(r.tensor);
  }
  return names;
}

constexpr const char* kNone = "none is expected";

TEST(Variation, AnAffineWeightThatIsTheSameForAllChannels) {
  const std::string keys = "batchnorm_bias_divide_swish rows=9 cols=2 set=weight@0:0.75;weight@1:";
  EXPECT_EQ(doubted(keys + "0.75", "weight is 0.75 everywhere: a wrong index would pass"),
            (Names{"y", "d_x", "d_weight", "d_beta", "d_bias"}));
  EXPECT_EQ(doubted(keys + "0.875", kNone), Names{});
}

TEST(Variation, WhatIsAddedShowsInGradientsOnlyWhereSomethingBends) {
  const std::string last = "scale_batchnorm rows=9 cols=2 eps=1 set=beta@0:0.5;beta@1:";
  EXPECT_EQ(doubted(last + "0.5", "beta is 0.5 everywhere: a wrong index would pass"), Names{"y"});
  EXPECT_EQ(doubted(last + "0.25", kNone), Names{});
  const std::string bent = "batchnorm_bias_divide_swish rows=9 cols=2 set=beta@0:0.5;beta@1:";
  EXPECT_EQ(doubted(bent + "0.5", "beta is 0.5 everywhere: a wrong index would pass"),
            (Names{"y", "d_x", "d_weight", "d_beta", "d_bias"}));
}

TEST(Variation, AnIdentity) {
  const std::string keys = "scale_batchnorm rows=9 cols=2 eps=1 set=scale@0:1;scale@1:";
  EXPECT_EQ(
      doubted(keys + "1", "scale is 1 everywhere: a kernel without it would pass"),
      (Names{"y", "mean", "rstd", "running_mean", "running_var", "d_x", "d_scale", "d_weight"}));
  EXPECT_EQ(doubted(keys + "2", kNone), Names{});
  const std::string bias = "swish_bias rows=9 cols=1 set=bias@0:";
  EXPECT_EQ(doubted(bias + "0", "bias is 0 everywhere: a kernel without it would pass"),
            Names{"y"});
  EXPECT_EQ(doubted(bias + "0.5", kNone), Names{});  // of one channel: no index
}

TEST(Variation, ADivisionByOne) {
  const std::string keys = "bias_divide_swish rows=9 cols=3 divide=";
  EXPECT_EQ(doubted(keys + "1", "divide is 1: a kernel without it would pass"),
            (Names{"y", "d_x", "d_bias"}));
  EXPECT_EQ(doubted(keys + "2", kNone), Names{});
}

TEST(Variation, RunningStatisticsInEvalAndInTraining) {
  const std::string keys = " rows=9 cols=2 set=running_mean@0:0.5;running_mean@1:";
  const std::string reason = "running_mean is 0.5 everywhere: a wrong index would pass";
  // mean is the constant itself, and says so.
  EXPECT_EQ(doubted("scale_batchnorm mode=eval" + keys + "0.5", reason), (Names{"y", "d_weight"}));
  EXPECT_EQ(doubted("scale_batchnorm mode=train" + keys + "0.5", reason), Names{"running_mean"});
  EXPECT_EQ(doubted("scale_batchnorm mode=eval" + keys + "1", kNone), Names{});
  EXPECT_EQ(doubted("scale_batchnorm mode=train" + keys + "1", kNone), Names{});
}

TEST(Variation, AMomentumThatHidesAWrongUpdate) {
  const Names buffers{"running_mean", "running_var"};
  const std::string keys = "scale_batchnorm rows=9 cols=3 momentum=";
  EXPECT_EQ(doubted(keys + "0", "momentum is 0: a kernel that never updates would pass"), buffers);
  EXPECT_EQ(doubted(keys + "0.5", "momentum is 0.5: a kernel that exchanges the shares would pass"),
            buffers);
  EXPECT_EQ(doubted(keys + "1", "momentum is 1: a kernel that forgets the old number would pass"),
            buffers);
  EXPECT_EQ(doubted(keys + "0.75", kNone), Names{});
  EXPECT_EQ(doubted(keys + "none", kNone), Names{});
  EXPECT_EQ(doubted("scale_batchnorm mode=eval rows=9 cols=3 momentum=1", kNone), Names{});
}

}  // namespace
}  // namespace gradproof
