// SPDX-License-Identifier: Apache-2.0
#include "reports/text/evidence.h"

#include <limits>

#include <gtest/gtest.h>

#include "reports/histogram.h"
#include "reports/text/number_text.h"
#include "tests/support/report_sample.h"

namespace gradproof {
namespace {

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n') + 1); }

TEST(Evidence, PassIsOneLine) {
  EXPECT_EQ(evidence(sample_pass()),
            "passed  batchnorm_bias_divide_swish d_x  max 0.81 of bound  p99 0.22  1.9 ulp at "
            "[3,17]  resolves 2.4e-07 (median 4.8e-07)   why: two-pass, 256-lane tree, 1-ulp "
            "expf");
}

TEST(Evidence, NamesTheRung) {
  Record r = sample_pass();
  r.rung = Rung::fused_as_saved;
  EXPECT_NE(evidence(r).find("(median 4.8e-07)  rung 'fused, as saved'   why: "), std::string::npos)
      << evidence(r);
  r = sample_failure();
  r.rung = Rung::statistics_too;
  EXPECT_NE(evidence(r).find("over the bound  rung 'statistics too'   why: "), std::string::npos)
      << evidence(r);
}

// The control: without a likely bound the line says nothing of typical errors (PassIsOneLine).
TEST(Evidence, ALikelyBoundIsNamedWithTheTypicalError) {
  Record r = sample_pass();
  r.bound = ErrorBound::likely;
  r.discrepancy().rms_ratio = 0.125;
  EXPECT_NE(evidence(r).find("max 0.81 of likely  typical 0.12  p99 0.22  1.9 ulp"),
            std::string::npos)
      << evidence(r);
  r.bound = ErrorBound::certain;
  EXPECT_EQ(evidence(r).find("typical"), std::string::npos) << evidence(r);
}

TEST(Evidence, WhatNoFactorMovesHasNothingToResolve) {
  Record r = sample_pass();
  r.discrepancy().resolution.whole = std::numeric_limits<double>::infinity();
  EXPECT_EQ(evidence(r).find("resolves"), std::string::npos) << evidence(r);
}

TEST(Evidence, ALawHasNoLastPlace) {
  Record r = sample_pass();
  r.witness = "law dx_sum";
  EXPECT_EQ(evidence(r),
            "passed  batchnorm_bias_divide_swish d_x  max 0.81 of bound  p99 0.22  at [3,17]  "
            "resolves 2.4e-07 (median 4.8e-07)   why: two-pass, 256-lane tree, 1-ulp expf");
}

TEST(Evidence, FailureHasTheHouseOrder) {
  EXPECT_EQ(
      evidence(sample_failure()),
      "FAILED  batchnorm_bias_divide_swish d_x  64 of 2112 elements (3.0%) over the bound   why: "
      "two-pass, 256-lane tree, 1-ulp expf\n"
      "  worst [0,32]  got -0.0123291016 (-0x1.94p-7)  want -0.0124015808  error/bound 9.5  ulp "
      "77600\n"
      "  good  [0,29]..[0,31]   bad [0,32] [1,32] [2,32] [3,32] [4,32] ... [63,32]   all in column "
      "32\n"
      "  worst columns   32: 9.5, 64 bad   17: 0.81\n"
      "  error/bound  <=2^-7: 2048 | <=16: 64\n"
      "  replay: gradproof replay 'batchnorm_bias_divide_swish op=backward rows=64 cols=33 "
      "fill=offset:1000 seed=7'");
}

TEST(Evidence, WrongClassIsNamed) {
  Record r = sample_failure();
  r.discrepancy().wrong_class = 3;
  r.discrepancy().worst.got = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(evidence(r).find("3 of the wrong class (NaN, Inf)"), std::string::npos);
  EXPECT_NE(evidence(r).find("got nan"), std::string::npos);
  EXPECT_EQ(evidence(r).find("is wanted"), std::string::npos);  // not counted by class
  r.discrepancy().classes[0][1] = 3;
  EXPECT_NE(evidence(r).find("\n  got NaN where a finite number is wanted: 3\n  worst"),
            std::string::npos);
}

TEST(Evidence, FirstElementBadHasNoGoodBefore) {
  Record r = sample_failure();
  r.discrepancy().good_before.clear();
  r.discrepancy().last_bad.clear();
  EXPECT_EQ(evidence(r).find("good"), std::string::npos);
  EXPECT_EQ(evidence(r).find("..."), std::string::npos);
}

TEST(Evidence, EveryOtherOutcomeSaysWhyAndHowToReplay) {
  for (const Outcome o : {Outcome::mistrusted, Outcome::crashed, Outcome::timed_out,
                          Outcome::nondeterministic, Outcome::instrument_broken}) {
    Record r = sample_pass();
    r.verdict = {o, "because of this"};
    EXPECT_NE(evidence(r).find("because of this"), std::string::npos) << evidence(r);
    EXPECT_EQ(last_line(evidence(r)), "  replay: gradproof replay '" + r.case_text + "'");
    EXPECT_EQ(evidence(r).find("passed"), std::string::npos) << evidence(r);
  }
}

TEST(Evidence, SkipIsSpokenWithItsReason) {
  Record r = sample_pass();
  r.tensor = kExecution;
  r.figures = Discrepancy();
  r.verdict = {Outcome::skipped, "no device"};
  EXPECT_EQ(evidence(r), "skipped  batchnorm_bias_divide_swish execution  no device");
}

TEST(Evidence, WantGetsAllDigitsWhereItPrintsLikeGot) {
  Record r = sample_failure();
  r.discrepancy().worst.want = r.discrepancy().worst.got * (1 + 0x1p-40);
  const std::string text = evidence(r);
  EXPECT_NE(text.find("want -0.01232910156251"), std::string::npos) << text;
}

TEST(Evidence, AVectorHasNoWorstColumns) {
  Record r = sample_failure();
  r.discrepancy().worst_columns.clear();
  EXPECT_EQ(evidence(r).find("worst columns"), std::string::npos);
}

TEST(Histogram, NamesItsBinsAndBarsTheOnesOverTheBound) {
  Histogram h{};
  EXPECT_EQ(histogram_text(h), "");
  EXPECT_EQ(histogram_digits(h), "........... .....");
  h = {12, 5, 0, 0, 0, 0, 0, 0, 0, 7, 100, 1, 0, 0, 0, 99};
  EXPECT_EQ(histogram_text(h), "0: 12  <=2^-9: 5  <=2^-1: 7  <=1: 100 | <=2: 1  >16: 99");
  EXPECT_EQ(histogram_digits(h), "21.......13 1...2");
  h = {};
  h[13] = 4;
  EXPECT_EQ(histogram_text(h), "| <=8: 4");
}

// A ratio of 1.004 is a failure and 0.996 a pass: two digits would print both as 1.
TEST(NumberText, RatioKeepsItsSideOfOne) {
  EXPECT_EQ(ratio_text(0.996), "0.996");
  EXPECT_EQ(ratio_text(1.004), "1.004");
  EXPECT_EQ(ratio_text(1), "1");
  EXPECT_EQ(ratio_text(0.8125), "0.81");
  EXPECT_EQ(brief(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(brief(77612), "77600");
  EXPECT_EQ(brief(2.4e7), "2.4e+07");
}

}  // namespace
}  // namespace gradproof
