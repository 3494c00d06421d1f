// SPDX-License-Identifier: Apache-2.0
#include "reports/causes/causes.h"

#include <limits>

#include <gtest/gtest.h>

#include "reports/causes/cause_text.h"
#include "reports/formats/failures.h"
#include "tests/support/report_made.h"
#include "tests/support/report_sample.h"

namespace gradproof {
namespace {

Record failed(const std::string& tensor, double ratio = 9.5, const std::string& c = "k rows=64") {
  Record r = sample_failure();
  r.case_text = c;
  r.kernel = "k";
  r.tensor = tensor;
  r.discrepancy().max_ratio = ratio;
  return r;
}

Record passed(const std::string& tensor, const std::string& c = "k rows=64") {
  Record r = sample_pass();
  r.case_text = c;
  r.kernel = "k";
  r.tensor = tensor;
  return r;
}

std::vector<std::string> tensors_of(const WrongCase& c) {
  std::vector<std::string> names;
  for (const Record* r : c.wrong) names.push_back(r->tensor);
  return names;
}

using Names = std::vector<std::string>;

TEST(Causes, TheFirstOutputIsTheCauseThoughAGradientIsFurtherOff) {
  const std::vector<Record> records{failed("d_x", 1e6), failed("y"), passed("mean"),
                                    failed("d_weight", 1e7)};
  const auto causes = causes_of(records);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].part, FaultyPart::forward);
  EXPECT_EQ(causes[0].first().tensor, "y");
  EXPECT_EQ(causes[0].followers(), (Names{"d_weight", "d_x"}));
  EXPECT_EQ(causes[0].cases[0].judged, 4);
}

TEST(Causes, ABufferOfACandidateComesBehindTheOutputs) {
  const std::vector<Record> both{failed("after.norm.running_mean"), failed("y")};
  EXPECT_EQ(causes_of(both)[0].first().tensor, "y");
  const std::vector<Record> alone{failed("after.x"), passed("y")};
  EXPECT_EQ(causes_of(alone)[0].first().tensor, "after.x") << "the control";
}

TEST(Causes, AValueOfALineComesBeforeThoseMadeOfIt) {
  const std::string line = "{h = add(x, r); y = silu(h); outputs y h}";
  const std::vector<Record> both{failed("y", 9, line), failed("h", 2, line)};
  EXPECT_EQ(causes_of(both)[0].first().tensor, "h");
  const std::vector<Record> no_line{failed("y"), failed("h")};
  EXPECT_EQ(causes_of(no_line)[0].first().tensor, "y") << "the control";
}

// The control of the first one: with a right y the same gradients are the backward's fault.
TEST(Causes, GradientsAloneAreTheBackwards) {
  const std::vector<Record> records{passed("y"), failed("d_x", 2), failed("d_weight", 30)};
  const auto causes = causes_of(records);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].part, FaultyPart::backward);
  EXPECT_EQ(tensors_of(causes[0].cases[0]), (Names{"d_weight", "d_x"}))
      << "the largest ratio first";
  EXPECT_EQ(order_text(causes[0]), "every output is right: the backward is at fault");
}

TEST(Causes, AStatisticAloneIsTheForwards) {
  const std::vector<Record> records{passed("y"), failed("running_var"), passed("d_x")};
  const auto causes = causes_of(records);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].part, FaultyPart::forward);
  EXPECT_EQ(order_text(causes[0]), "running_var alone is wrong");
}

TEST(Causes, WhatIsRightHasNone) {
  EXPECT_TRUE(causes_of(std::vector<Record>{passed("y"), passed("d_x")}).empty());
  Record known = failed("y");
  known.verdict.outcome = Outcome::known_failure;
  EXPECT_TRUE(causes_of(std::vector<Record>{known}).empty());
}

TEST(Causes, CasesOfAKernelAndAPartAreOneCauseAndTheMostSevereStandsFirst) {
  const std::vector<Record> records{failed("y", 3, "k rows=1"),     failed("y", 30, "k rows=2"),
                                    failed("d_x", 5, "k rows=2"),   passed("y", "k rows=3"),
                                    failed("d_x", 1e9, "k rows=3"), passed("y", "k rows=4")};
  const auto causes = causes_of(records);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].part, FaultyPart::forward);  // though rows=3 is more severe
  ASSERT_EQ(causes[0].cases.size(), 2u);
  EXPECT_EQ(causes[0].first().case_text, "k rows=2");
  EXPECT_EQ(causes[0].judged_cases, 4);
  EXPECT_EQ(
      what_text(causes[0]),
      "y: 64 of 2112 elements over the bound, up to 30 times, in the worst of 2 wrong Cases of "
      "4; d_x follows, or is wrong too");
  EXPECT_EQ(causes[1].part, FaultyPart::backward);
  EXPECT_EQ(causes[1].first().case_text, "k rows=3");
}

TEST(Causes, KernelsStandBySeverity) {
  Record crash = failed("execution");
  crash.kernel = "z";
  crash.figures = Discrepancy();
  crash.verdict = {Outcome::crashed, "signal SIGSEGV"};
  const std::vector<Record> records{failed("y", std::numeric_limits<double>::infinity()), crash};
  const auto causes = causes_of(records);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].part, FaultyPart::execution);
  EXPECT_EQ(what_text(causes[0]), "execution: signal SIGSEGV");
  EXPECT_EQ(causes[1].kernel, "k");
}

TEST(Causes, ABrokenInstrumentIsNoFaultOfTheKernel) {
  Record broken = failed("y");
  broken.verdict = {Outcome::instrument_broken, "LibTorch disagrees"};
  EXPECT_EQ(causes_of(std::vector<Record>{broken})[0].part, FaultyPart::instrument);
  // The control: beside a wrong gradient it is not in front.
  const std::vector<Record> both{broken, failed("d_x")};
  EXPECT_EQ(causes_of(both)[0].part, FaultyPart::backward);
}

TEST(Causes, WhereIsSaidByRowsAndColumns) {
  Record r = failed("y");
  EXPECT_EQ(where_text(r), "all in column 32; rows 0 to 63 of 64, column 32 of 33");
  r.discrepancy().worst_columns[0].bad = 60;  // of the other four no column is named
  r.discrepancy().pattern.clear();
  EXPECT_EQ(where_text(r), "rows 0 to 63 of 64, in no regular pattern");
  r.discrepancy().bad = r.discrepancy().elements;
  EXPECT_EQ(where_text(r), "every element");
  EXPECT_EQ(where_text(passed("y")), "");
}

TEST(Causes, AReasonWithoutElementsIsTheAmount) {
  Record r = passed("y");
  r.verdict = {Outcome::nondeterministic, "the bits differ\nand more"};
  EXPECT_EQ(amount_text(r), "the bits differ");
  r = failed("y", std::numeric_limits<double>::infinity());
  r.discrepancy().wrong_class = 64;
  EXPECT_EQ(amount_text(r),
            "64 of 2112 elements over the bound, all of the wrong class (NaN, Inf)");
}

TEST(Causes, AnAuditsDiagnosisStandsWithTheChecksCause) {
  Report report = report_of({passed("y"), failed("d_x")});
  Record wrong = failed("d_x");
  wrong.figures = AuditFigures();
  wrong.verdict = {Outcome::wrong, "off by 1/d"};
  report.audit = reported({wrong}, Measured::differences);
  auto causes = reported_causes(report);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].diagnosis, "off by 1/d");
  // The control: where the check passes, the audit's own cause is there.
  report.check = reported({passed("y"), passed("d_x")});
  causes = reported_causes(report);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].cause.measured, Measured::differences);
}

}  // namespace
}  // namespace gradproof
