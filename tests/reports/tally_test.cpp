// SPDX-License-Identifier: Apache-2.0
#include "reports/record/tally.h"

#include <gtest/gtest.h>

#include "tests/support/report_sample.h"

namespace gradproof {
namespace {

using Records = std::vector<Record>;  // StoredRecords have a tally too

Record with(Record r, Outcome outcome, const std::string& tensor = "d_x") {
  r.verdict = {outcome, "reason"};
  r.tensor = tensor;
  return r;
}

TEST(ExitCode, FirstOf23145WinsInEveryCombination) {
  for (unsigned mask = 0; mask < 32; ++mask) {
    const Findings f{.usage = (mask & 1) != 0,
                     .infrastructure = (mask & 2) != 0,
                     .wrong = (mask & 4) != 0,
                     .incomplete = (mask & 8) != 0,
                     .regressed = (mask & 16) != 0};
    const int expected = mask == 0          ? 0
                         : f.usage          ? 2
                         : f.infrastructure ? 3
                         : f.wrong          ? 1
                         : f.incomplete     ? 4
                                            : 5;
    EXPECT_EQ(exit_code(f), expected) << mask;
  }
}

TEST(Tally, NothingRanIsNeverGreen) {
  const Tally t = tally(Records{});
  EXPECT_EQ(exit_code(findings_of(t)), 4);
  ASSERT_EQ(t.gaps.size(), 1u);
  EXPECT_EQ(t.gaps[0], "no case ran");
}

TEST(Tally, EveryOutcomeHasItsExitCode) {
  const Record r = sample_pass();
  const auto code = [&](Outcome o) { return exit_code(findings_of(tally(Records{with(r, o)}))); };
  EXPECT_EQ(code(Outcome::passed), 0);
  for (const Outcome o :
       {Outcome::failed, Outcome::nondeterministic, Outcome::crashed, Outcome::timed_out})
    EXPECT_EQ(code(o), 1);
  EXPECT_EQ(code(Outcome::instrument_broken), 3);
  for (const Outcome o : {Outcome::mistrusted, Outcome::skipped, Outcome::incomplete})
    EXPECT_EQ(code(o), 4);
  EXPECT_EQ(code(Outcome::regressed), 5);
}

TEST(Tally, OneTrustedPassMakesATensorComplete) {
  const Record r = sample_pass();
  const Record doubted = with(r, Outcome::mistrusted);
  EXPECT_EQ(tally(Records{doubted, doubted}).gaps.size(), 1u);
  const Tally t = tally(Records{doubted, with(r, Outcome::passed), doubted});
  EXPECT_TRUE(t.gaps.empty());
  EXPECT_EQ(t.mistrusted, 2);
  EXPECT_EQ(exit_code(findings_of(t)), 0);
}

TEST(Tally, ATensorWhoseTruthIsKnownNeedsNoOtherPass) {
  Record known = sample_pass();
  known.known = KnownTruth::vanishes;
  const Tally t = tally(Records{known});
  EXPECT_EQ(t.passed, 1);
  EXPECT_EQ(exit_code(findings_of(t)), 0);
  known.verdict.outcome =
      Outcome::mistrusted;  // the controls: its bound is infinite, or it did not run
  EXPECT_EQ(exit_code(findings_of(tally(Records{known}))), 4);
  known.verdict.outcome = Outcome::skipped;
  EXPECT_EQ(exit_code(findings_of(tally(Records{known}))), 4);
}

TEST(Tally, NoElementsPassAndCompleteNothing) {
  Record empty = sample_pass();
  empty.known = KnownTruth::no_elements;
  const Tally t = tally(Records{empty});
  EXPECT_EQ(t.passed, 1);
  ASSERT_EQ(t.gaps.size(), 1u);
  EXPECT_TRUE(t.gaps[0].ends_with("no trusted pass (Passed: no elements)")) << t.gaps[0];
  EXPECT_TRUE(tally(Records{empty, sample_pass()}).gaps.empty());
}

/// A step's passes count for its candidate, and the candidate's for the step. The control: as a
/// system of its own the step has none.
TEST(Tally, ATrainingStepIsOfItsCandidate) {
  const Record trusted = sample_pass();
  Record step = with(trusted, Outcome::mistrusted);
  step.kernel = trusted.kernel + ".step1";
  EXPECT_EQ(tally(Records{trusted, step}).gaps.size(), 1u);
  step.part_of = trusted.kernel;
  EXPECT_TRUE(tally(Records{trusted, step}).gaps.empty());
  EXPECT_EQ(tally(Records{step}).gaps.size(), 1u);
}

// The control: a pass of another tensor, mode, dtype or kernel proves nothing about this one.
TEST(Tally, APassElsewhereDoesNotCompleteATensor) {
  const Record doubted = with(sample_pass(), Outcome::mistrusted);
  Record other = sample_pass();
  other.mode = "eval";
  EXPECT_EQ(tally(Records{doubted, other}).gaps.size(), 1u);
  other = sample_pass();
  other.kernel += "/mutant";
  EXPECT_EQ(tally(Records{doubted, other}).gaps.size(), 1u);
  other = with(sample_pass(), Outcome::passed, "y");
  EXPECT_EQ(tally(Records{doubted, other}).gaps.size(), 1u);
}

TEST(Tally, SkippedCasesAreAGapOnlyWhereNothingElseRan) {
  const Record skip = with(sample_pass(), Outcome::skipped, kExecution);
  EXPECT_EQ(tally(Records{skip}).gaps.size(), 1u);
  EXPECT_TRUE(tally(Records{skip, sample_pass()}).gaps.empty());
}

TEST(Tally, ResultLineIsStable) {
  Record skip = with(sample_pass(), Outcome::skipped, kExecution);
  skip.figures = Discrepancy();
  const std::vector<Record> records{sample_pass(), with(sample_failure(), Outcome::failed, "y"),
                                    with(sample_pass(), Outcome::mistrusted), skip};
  EXPECT_EQ(result_line(tally(records), 1.5),
            "RESULT passed=1 failed=1 mistrusted=1 skipped=1 incomplete=0 elements=6336 "
            "seconds=1.50");
}

TEST(Tally, TiersAreCountedOverAllRecords) {
  Record doubted = with(sample_pass(), Outcome::mistrusted);
  doubted.discrepancy().undecided = 2;
  Record law = sample_pass();
  law.certified = law.escalated = 0;
  law.discrepancy().undecided = 5;  // another witness's
  EXPECT_EQ(truth_line(tally(Records{sample_pass(), doubted, law})),
            "truth  4200 elements in double-double, 24 at 50 digits or by class, 2 undecided");
  EXPECT_EQ(truth_line(tally(Records{law})), "");
}

TEST(Tally, ABrokenInstrumentJudgesNoElements) {
  const Tally t = tally(Records{with(sample_pass(), Outcome::instrument_broken), sample_pass()});
  EXPECT_EQ(t.incomplete, 1);
  EXPECT_EQ(t.elements, sample_pass().discrepancy().elements);
}

}  // namespace
}  // namespace gradproof
