// SPDX-License-Identifier: Apache-2.0
// The audit as JSON, text, table and folder.
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/audit/audit_summary.h"
#include "reports/audit/audit_text.h"
#include "reports/record/record_json.h"
#include "tests/core/doubles.h"
#include "tests/support/audit/sample.h"
#include "tests/support/report_runs.h"
#include "tests/support/scratch.h"
#include "tests/support/text.h"

namespace gradproof {
namespace {

TEST(AuditJson, RoundTripGivesTheSameRecord) {
  const AuditRow row = wrong_row();
  const std::string line = record_line(record_of(row));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Record record = read_record(line);
  EXPECT_EQ(record_line(record), line);
  EXPECT_EQ(record.case_text, "sample rows=5");
  EXPECT_EQ(record.kernel, "sample");
  EXPECT_EQ(record.verdict.outcome, Outcome::wrong);
  ASSERT_EQ(record.measured(), Measured::differences);
  const AuditFigures& back = record.audit();
  EXPECT_EQ(bits(back.worst_adjoint), bits(row.worst_adjoint));
  EXPECT_TRUE(std::isnan(back.worst_difference));
  EXPECT_EQ(back.reach + back.method + back.arithmetic, "columnstatisticsdouble-double");
  EXPECT_EQ(back.escalated, 2);
  EXPECT_EQ(back.wrong_entries, row.wrong_entries);
  ASSERT_EQ(back.inconclusive.size(), 1u);
  EXPECT_EQ(back.inconclusive[0].first, 7);
  ASSERT_EQ(back.sweep.size(), row.sweep.size());
  for (std::size_t i = 0; i < row.sweep.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(bits(back.sweep[i].error[k]), bits(row.sweep[i].error[k]));
      EXPECT_EQ(bits(back.sweep[i].own[k]), bits(row.sweep[i].own[k]));
    }
  ASSERT_EQ(back.witnesses.size(), 4u);
  EXPECT_EQ(back.witnesses[0].entries, row.witnesses[0].entries);
  EXPECT_TRUE(std::isinf(back.witnesses[2].digits));
  EXPECT_EQ(back.witnesses[3].text, "declared once only");
}

// Control: what is no audit's record of this version is refused.
TEST(AuditJson, RefusesWhatIsNoRecord) {
  const std::string line = record_line(record_of(sample_row()));
  EXPECT_THROW(read_record("{}"), InstrumentError);
  EXPECT_THROW(read_record(line.substr(0, line.size() / 2)), InstrumentError);
  for (const auto& [from, to] : {std::pair{"\"schema_version\":5", "\"schema_version\":1"},
                                 {"\"sweep\"", "\"swept\""},
                                 {"\"differences\",", "\"comparison\","},
                                 {"\"dual numbers\"", "\"real numbers\""},
                                 {"\"silent\"", "\"mute\""},
                                 {"\"certified\"", "\"sworn\""}})
    EXPECT_THROW(read_record(replaced(line, from, to)), InstrumentError) << to;
}

TEST(AuditJson, EveryWitnessAndVerdictComesBack) {
  for (int k = 0; k <= static_cast<int>(Witness::numbers); ++k)
    EXPECT_EQ(parse_witness(name_of(static_cast<Witness>(k))), static_cast<Witness>(k));
  for (int k = 0; k <= static_cast<int>(WitnessVerdict::silent); ++k)
    EXPECT_EQ(parse_witness_verdict(name_of(static_cast<WitnessVerdict>(k))),
              static_cast<WitnessVerdict>(k));
}

TEST(AuditText, ALineForEachRowAndWhatTheWitnessesSay) {
  const std::string text = audit_table({record_of(sample_row())}, 120);
  EXPECT_TRUE(has(text, "certified  d_x     column  15 of 15  29.5")) << text;
  EXPECT_TRUE(has(text, "[1,1]  2^-20, order 4  double-double, statistics  0.25")) << text;
  EXPECT_TRUE(has(text, "agree to digits (error/bound): kernel 6.5 (0.42); LibTorch 15.2 (0.12); "))
      << text;
  EXPECT_TRUE(has(text, "dual numbers exact")) << text;
  EXPECT_TRUE(has(text, "second order silent: declared once only")) << text;
  EXPECT_FALSE(has(text, "inconclusive")) << text;
}

// The control is the wide one above.
TEST(AuditText, ANarrowTableSaysTheStepInALineOfItsOwn) {
  const std::string text = audit_table({record_of(sample_row())}, 80);
  EXPECT_TRUE(has(text, "\n    step 2^-20, order 4; double-double, statistics; 0.25 s\n")) << text;
  EXPECT_FALSE(has(text, "STEP")) << text;
}

TEST(AuditText, WrongEntriesAndKinksAreNamed) {
  const std::string text = audit_table(std::vector<AuditRow>{wrong_row()});
  EXPECT_TRUE(has(text, "3 entries contradict the adjoint: [0,1] [0,2] [1,1]")) << text;
  EXPECT_TRUE(has(text, "2 entries inconclusive, the first [2,1]: kink")) << text;
  EXPECT_TRUE(has(text,
                  "kernel wrong in 15 of 15 entries, the worst [4,2] [1,0], 4e+06 of its "
                  "bound: off by 1/d"))
      << text;
}

TEST(AuditText, WhatTheReasonSaysIsNotSaidAgain) {
  AuditRow row = wrong_row();
  const AuditWitness kernel = row.witnesses.front();
  row.witnesses.erase(row.witnesses.begin());
  Record record = record_of(row);
  add_witness(record, kernel);
  const std::string text = audit_table({record});
  EXPECT_TRUE(has(text, "    kernel: 15 of 15 entries, the worst [4,2]; off by 1/d\n")) << text;
  EXPECT_FALSE(has(text, "kernel wrong in")) << text;
  EXPECT_TRUE(has(text, "second order silent: declared once only")) << text;
}

TEST(AuditText, WhereNothingIsKnownNoDigitIsShown) {
  AuditRow row = sample_row();
  row.inconclusive = {{OpenReason::domain, 15, 0}};
  EXPECT_TRUE(has(audit_table({record_of(row)}, 120), "15 of 15  -       -       -    -      -  "))
      << audit_table({record_of(row)}, 120);
  EXPECT_EQ(audit_summary({record_of(row)})[1][3], "-");
  row.inconclusive[0].entries = 14;
  EXPECT_TRUE(has(audit_table({record_of(row)}, 120), "15 of 15  29.5")) << "the control";
}

TEST(AuditSummary, KeepsTheWorstOfATensorAndCounts) {
  AuditRow worse = sample_row();
  worse.digits = 25.5;
  worse.worst_index = 14;
  worse.witnesses[0].ratio = 0.875;
  AuditRow open = sample_row();
  open.verdict = Outcome::inconclusive;
  open.witnesses[0].verdict = WitnessVerdict::mistrusted;
  const std::vector<Record> records{record_of(sample_row()), record_of(worse), record_of(open),
                                    record_of(wrong_row())};
  EXPECT_EQ(result_line(tally(records), 1.5, Measured::differences),
            "RESULT rows=4 certified=2 wrong=1 inconclusive=1 entries=60 seconds=1.50");
  const std::vector<TextRow> table = audit_summary(records);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1],
            (TextRow{"sample", "d_x", "4", "25.5", "[4,2]", "2^-20, order 4",
                     "4e+06 (1 mistrusted)", "0.12", "exact", "-", "1.00", "2", "1", "1"}));
}

// Check and audit of a Case are two runs: neither stands for the other, whole or not.
TEST(AuditStore, ACheckOfTheSameCaseIsAnotherRun) {
  const std::string folder = scratch_directory("audit-beside-check");
  write_run(folder, record_of(sample_row()));
  Record checked = sample_pass();
  checked.case_text = record_of(sample_row()).case_text;
  RunWriter writer(folder, sample_header({checked.case_text}));
  EXPECT_NE(last_records(folder).incomplete, "");
  EXPECT_EQ(last_records(folder, Measured::differences).incomplete, "");
  writer.append({checked});
  EXPECT_EQ(last_records(folder).incomplete, "");
  EXPECT_EQ(last_records(folder).records.at(0).digest, checked.digest);
  EXPECT_EQ(last_records(folder, Measured::differences).records.at(0).audit().entries, 15);
}

}  // namespace
}  // namespace gradproof
