// SPDX-License-Identifier: Apache-2.0
// The audit as JSON, text, table and folder.
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/audit_svg.h"
#include "reports/record/audit_store.h"
#include "reports/record/audit_summary.h"
#include "reports/text/audit_text.h"
#include "tests/support/audit/sample.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(AuditJson, RoundTripGivesTheSameRow) {
  const AuditRow row = wrong_row();
  const std::string line = audit_line(row);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const AuditRow back = read_audit(line);
  EXPECT_EQ(audit_line(back), line);
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
  EXPECT_EQ(bits(back.curve.floor), bits(row.curve.floor));
  EXPECT_EQ(back.curve.plateau, 2);
  ASSERT_EQ(back.witnesses.size(), 4u);
  EXPECT_EQ(back.witnesses[0].entries, row.witnesses[0].entries);
  EXPECT_TRUE(std::isinf(back.witnesses[2].digits));
  EXPECT_EQ(back.witnesses[3].text, "declared once only");
}

TEST(AuditJson, ARecordNamesItsCase) {
  const AuditRecord back = read_audit_record(audit_line(record_of(sample_row())));
  EXPECT_EQ(back.case_text, "sample rows=5");
  EXPECT_EQ(back.kernel, "sample");
  EXPECT_EQ(audit_line(back.row), audit_line(sample_row()));
}

// Control: what is no row of this version is refused.
TEST(AuditJson, RefusesWhatIsNoRow) {
  const std::string line = audit_line(record_of(sample_row()));
  EXPECT_THROW(read_audit("{}"), InstrumentError);
  EXPECT_THROW(read_audit_record(audit_line(sample_row())), InstrumentError);
  EXPECT_THROW(read_audit_record(line.substr(0, line.size() / 2)), InstrumentError);
  EXPECT_THROW(read_audit_record(replaced(line, "\"schema_version\":1", "\"schema_version\":2")),
               InstrumentError);
  EXPECT_THROW(read_audit_record(replaced(line, "\"plateau\"", "\"plato\"")), InstrumentError);
}

TEST(AuditText, ALineForEachRowAndWhatTheWitnessesSay) {
  const std::string text = audit_table({sample_row()});
  EXPECT_TRUE(has(text, "certified  d_x     column  15 of 15  29.5")) << text;
  EXPECT_TRUE(has(text, "[1,1]  2^-20, order 4  double-double, statistics  0.25")) << text;
  EXPECT_TRUE(has(text, "agree to digits (error/bound): kernel 6.5 (0.42); LibTorch 15.2 (0.12); "))
      << text;
  EXPECT_TRUE(has(text, "dual numbers exact")) << text;
  EXPECT_TRUE(has(text, "second order silent: declared once only")) << text;
  EXPECT_FALSE(has(text, "inconclusive")) << text;
}

TEST(AuditText, WrongEntriesAndKinksAreNamed) {
  const std::string text = audit_table({wrong_row()});
  EXPECT_TRUE(has(text, "3 entries contradict the adjoint: [0,1] [0,2] [1,1]")) << text;
  EXPECT_TRUE(has(text, "2 entries inconclusive, the first [2,1]: a kink")) << text;
  EXPECT_TRUE(has(text,
                  "kernel wrong in 15 of 15 entries, the worst [4,2] [1,0], 4e+06 of its "
                  "bound: off by 1/d"))
      << text;
}

TEST(AuditText, WhereNothingIsKnownNoDigitIsShown) {
  AuditRow row = sample_row();
  row.inconclusive = {{"range", 15, 0}};
  EXPECT_TRUE(has(audit_table({row}), "15 of 15  -       -       -    -      -  "))
      << audit_table({row});
  EXPECT_EQ(audit_summary({record_of(row)})[1][3], "-");
  row.inconclusive[0].entries = 14;
  EXPECT_TRUE(has(audit_table({row}), "15 of 15  29.5")) << "the control";
}

TEST(AuditSummary, KeepsTheWorstOfATensorAndCounts) {
  AuditRow worse = sample_row();
  worse.digits = 25.5;
  worse.worst_index = 14;
  worse.witnesses[0].ratio = 0.875;
  AuditRow open = sample_row();
  open.verdict = "inconclusive";
  open.witnesses[0].verdict = "mistrusted";
  const std::vector<AuditRecord> records{record_of(sample_row()), record_of(worse), record_of(open),
                                         record_of(wrong_row())};
  const AuditTally t = tally(records);
  EXPECT_EQ(result_line(t, 1.5),
            "RESULT rows=4 certified=2 wrong=1 inconclusive=1 entries=60 seconds=1.50");
  const std::vector<TextRow> table = audit_summary(records);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1],
            (TextRow{"sample", "d_x", "4", "25.5", "[4,2]", "2^-20, order 4",
                     "4e+06 (1 mistrusted)", "0.12", "exact", "-", "1.00", "2", "1", "1"}));
}

TEST(AuditStore, KeepsTheLatestRowsWithTheirPictures) {
  const std::string folder = scratch_directory("audit-store");
  EXPECT_FALSE(has_audit(folder));
  EXPECT_THROW(read_audits(folder), UsageError);
  for (const AuditRow& row : {wrong_row(), sample_row()}) {
    AuditWriter writer(folder, {record_of(row).case_text});
    writer.append(record_of(row));
    writer.end();
  }
  std::ofstream(folder + "/audit.jsonl", std::ios::app) << "{\"schema_ver";
  const StoredAudit stored = read_audits(folder);
  ASSERT_EQ(stored.records.size(), 1u);
  EXPECT_EQ(stored.records[0].row.verdict, "certified");
  EXPECT_TRUE(has(stored.note, "audit.jsonl:7: the last line is incomplete")) << stored.note;
  std::ifstream page(folder + "/audit.md");
  std::ostringstream text;
  text << page.rdbuf();
  const std::string name = svg_name(stored.records[0]);
  EXPECT_TRUE(has(text.str(), "[curve](" + name + ")")) << text.str();
  EXPECT_TRUE(has(text.str(), "| sample | d_x | 1 | 29.5 |")) << text.str();
  EXPECT_FALSE(has(text.str(), "Not certified"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/" + name));
}

TEST(AuditStore, ADamagedLineIsNamed) {
  const std::string folder = scratch_directory("audit-damaged");
  std::ofstream(folder + "/audit.jsonl") << "{}\n";
  try {
    read_audits(folder);
    FAIL();
  } catch (const InstrumentError& error) {
    EXPECT_TRUE(has(error.what(), "audit.jsonl:1:")) << error.what();
  }
}

}  // namespace
}  // namespace gradproof
