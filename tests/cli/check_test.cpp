// SPDX-License-Identifier: Apache-2.0
// The real front program and a worker that behaves as the Case says.
#include <regex>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

Finished check(const std::string& arguments) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return gradproof_with_fake("check " + arguments, std::string("check-") + test->name());
}

TEST(Check, PassLeavesEvidenceAndTheResultLine) {
  const Finished done = check("'sample rows=4 seed=3'");
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(has(done.out, "\n  passed   y       0.5 ")) << done.out;
  EXPECT_TRUE(has(done.out, "\n  passed   d_x     0.5 ")) << done.out;
  EXPECT_TRUE(has(check("'sample rows=4 seed=3' --verbose").out, "passed  sample y  max 0.5 of "));
  EXPECT_TRUE(std::regex_match(
      last_line_of(done.out),
      std::regex("RESULT passed=2 failed=0 mistrusted=0 skipped=0 incomplete=0 elements=24 "
                 "seconds=[0-9]+\\.[0-9]+\n")))
      << done.out;
}

TEST(Check, FailureIsPrintedShrunkAndExit1) {
  const Finished done = check("'sample rows=50 cols=4 behave=fail seed=3'");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out, "FAILED  sample d_x: as planted: 1 of 200 elements")) << done.out;
  EXPECT_TRUE(has(done.out, "  replay   " + front() + " replay ")) << done.out;
  // The fake fails from 3 rows on.
  EXPECT_TRUE(has(done.out, "shrunk")) << done.out;
  EXPECT_TRUE(has(done.out, "sample rows=3 cols=1 behave=fail")) << done.out;
  EXPECT_FALSE(has(check("sample").out, "--worker"));
  EXPECT_TRUE(has(last_line_of(done.out), "RESULT passed=1 failed=1 "));
}

TEST(Check, NoShrinkLeavesTheCaseAlone) {
  const Finished done = check("'sample rows=50 behave=fail' --no-shrink");
  EXPECT_EQ(done.code, 1);
  EXPECT_FALSE(has(done.out, "shrunk"));
}

TEST(Check, MutantIsAppliedToEveryCase) {
  const Finished done = check("sample 'sample rows=4' --with mutant=worse");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out, "FAILED  sample/worse d_x:"));
  EXPECT_TRUE(has(done.out, "sample rows=3 cols=1 mutant=worse"));
  EXPECT_TRUE(has(last_line_of(done.out), "failed=2 "));
}

TEST(Check, WhatAChangeIsNotForIsLeftOutAloud) {
  const Finished key = check("sample plain 'sample rows=4' --with mutant=worse --no-shrink");
  EXPECT_EQ(key.code, 1);
  EXPECT_TRUE(has(key.out, "1 of 3 cases left out: --with mutant=worse is not for them\n"));
  EXPECT_TRUE(has(last_line_of(key.out), "RESULT passed=2 failed=2 "));
  const Finished value = check("sample plain --with dtype=f16 --with seed=2");
  EXPECT_EQ(value.code, 0) << value.err;
  EXPECT_TRUE(has(value.out, "1 of 2 cases left out: --with dtype=f16 --with seed=2 is not"));
  const Finished refused = check("sample 'sample mode=eval' --with rows=1");
  EXPECT_TRUE(has(refused.out, "1 of 2 cases left out")) << refused.out;
}

// The controls: a change for all leaves nothing out, a change for none is refused.
TEST(Check, AChangeForAllOrForNone) {
  EXPECT_FALSE(has(check("sample plain --with seed=2").out, "left out"));
  const Finished none = check("plain 'plain rows=4' --with mutant=worse");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(has(none.err, "unknown key 'mutant'")) << none.err;
  EXPECT_EQ(none.out, "");
}

TEST(Check, ASystemWithoutModesIsCompleteInAnyMode) { EXPECT_EQ(check("plain").code, 0); }

TEST(Check, SaysThePeakOfItsMemoryBeforeTheResult) {
  const Finished done = check("sample");
  EXPECT_TRUE(
      std::regex_search(done.out, std::regex("\npeak memory [0-9.]+ GiB \\(worker\\), [0-9.]+ GiB "
                                             "\\(front\\)\nRESULT ")))
      << done.out;
}

TEST(Check, CrashCostsTheAnnouncedCaseAndTheRestGoesOn) {
  const Finished done = check("sample 'sample behave=crash' 'sample seed=2'");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out, "CRASHED  sample execution: SIGABRT"));
  EXPECT_TRUE(has(done.out, "sample behave=crash"));
  EXPECT_TRUE(has(last_line_of(done.out), "RESULT passed=4 failed=1 "));
}

TEST(Check, EarlyExitAndHalfALineAreCrashes) {
  const Finished done = check("'sample behave=exit' 'sample behave=partial' sample --no-shrink");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out, "CRASHED  sample execution: exit code 7"));
  EXPECT_TRUE(has(done.out, "CRASHED  sample execution: exit code 0"));
  EXPECT_TRUE(has(last_line_of(done.out), "RESULT passed=2 failed=2 "));
}

TEST(Check, HangMeetsTheDeadlineAndTheRestGoesOn) {
  const Finished done = check("'sample behave=hang' sample --deadline 0.5");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out, "TIMED OUT  sample execution: no answer in 0.5 s"));
  EXPECT_TRUE(has(last_line_of(done.out), "RESULT passed=2 failed=1 "));
}

// Three signs of progress 0.4 s apart, a deadline of 1 s: each renews it. The control
// reports no more.
TEST(Check, AnExecutorThatGetsOnIsWaitedFor) {
  const Finished works = check("'sample behave=work' --deadline 1");
  EXPECT_EQ(works.code, 0) << works.out;
  const Finished stuck = check("'sample behave=stuck' --deadline 0.5");
  EXPECT_EQ(stuck.code, 1);
  EXPECT_TRUE(has(stuck.out,
                  "TIMED OUT  sample execution: no answer in 0.5 s after 3e+06 steps of the "
                  "executor"))
      << stuck.out;
}

TEST(Check, GarbageBreaksTheInstrumentAndTheRestGoesOn) {
  const Finished done = check("'sample behave=garbage' 'sample behave=elsewhere' sample");
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(has(done.out, "no message of the protocol: 'Segmentation fault"));
  EXPECT_TRUE(has(done.out, "the worker judged 'sample behave=elsewhere seed=99'"));
  EXPECT_TRUE(has(last_line_of(done.out),
                  "RESULT passed=2 failed=0 mistrusted=0 skipped=0 "
                  "incomplete=2 "));
}

TEST(Check, WhatProvesLittleIsIncomplete) {
  const Finished done = check("'sample behave=mistrust'");
  EXPECT_EQ(done.code, 4);
  EXPECT_TRUE(has(done.out, "incomplete: sample f32 train d_x: no trusted pass"));
  EXPECT_TRUE(has(last_line_of(done.out),
                  "RESULT passed=1 failed=0 mistrusted=1 skipped=0 "
                  "incomplete=1 "));
}

// The control: with a trusted pass beside it the run is complete, and the doubt still counted.
TEST(Check, MistrustBesideATrustedPassIsGreen) {
  const Finished done = check("'sample behave=mistrust' sample");
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(has(last_line_of(done.out), "mistrusted=1 "));
}

TEST(Check, OtherWaysToEnd) {
  EXPECT_EQ(check("'sample behave=differ'").code, 1);
  EXPECT_EQ(check("'sample behave=broken'").code, 3);
  EXPECT_EQ(check("'sample behave=instrument'").code, 3);
  EXPECT_EQ(check("'sample behave=nothing'").code, 4);
  EXPECT_EQ(check("'sample behave=skip'").code, 4);
  EXPECT_EQ(check("'sample behave=skip' sample").code, 0);
  EXPECT_EQ(check("'sample behave=usage' sample").code, 2);
}

TEST(Check, TheFirstOf23145Wins) {
  EXPECT_EQ(check("'sample behave=mistrust mode=eval' 'sample behave=fail'").code, 1);
  EXPECT_EQ(check("'sample behave=fail' 'sample behave=broken'").code, 3);
  EXPECT_EQ(check("'sample behave=broken' 'sample behave=usage'").code, 2);
}

TEST(Check, ManyCasesInAPipeShowOnlyWhatDidNotPass) {
  const std::string four = "sample 'sample seed=2' 'sample seed=3' 'sample behave=fail'";
  const Finished quiet = check(four + " --no-shrink");
  EXPECT_FALSE(has(quiet.out, "\n  passed "));
  EXPECT_TRUE(has(quiet.out, "FAILED  "));
  EXPECT_FALSE(has(quiet.out, "\r"));
  EXPECT_TRUE(has(check(four + " --no-shrink --verbose").out, "passed  sample "));
}

TEST(Check, ItsRecordsHoldWhatItSaid) {
  const std::string folder = scratch_directory("check-records");
  const Finished done = check("'sample behave=fail' 'sample behave=crash' --records " + folder);
  EXPECT_EQ(done.code, 1);
  const Finished report = shell(front() + " report " + folder + " --format markdown", "records");
  EXPECT_EQ(report.code, 0);
  EXPECT_TRUE(has(report.out, "FAILED  sample d_x"));
  EXPECT_TRUE(has(report.out, "CRASHED  sample execution  SIGABRT"));
}

// `rows=5` is the default.
TEST(Check, ACaseThatStandsTwiceIsJudgedOnce) {
  const Finished done = check("sample plain 'sample rows=5'");
  EXPECT_TRUE(has(done.out, "1 cases that stand twice are judged once\n")) << done.out;
  EXPECT_TRUE(has(done.out, "RESULT passed=4 ")) << done.out;
  EXPECT_FALSE(has(check("sample plain").out, "twice")) << "the control";
}

TEST(Check, FailFastStopsAtTheFirstWrongCase) {
  const std::string cases = " 'sample rows=4 mutant=worse' sample 'sample rows=6' --no-shrink";
  const Finished all = check(cases);
  EXPECT_EQ(all.code, 1);
  EXPECT_FALSE(has(all.out, "did not run"));
  const Finished first = check(cases + " --fail-fast");
  EXPECT_EQ(first.code, 1);
  EXPECT_TRUE(has(first.out, "2 of 3 cases did not run")) << first.out;
}

}  // namespace
}  // namespace gradproof
