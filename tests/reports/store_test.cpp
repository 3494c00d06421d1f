// SPDX-License-Identifier: Apache-2.0
#include "reports/record/store.h"

#include <fstream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/record/record_json.h"
#include "tests/support/report_sample.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

Record of_case(const std::string& text, const std::string& tensor, const std::string& digest) {
  Record r = sample_pass();
  r.case_text = text;
  r.tensor = tensor;
  r.digest = digest;
  return r;
}

/// A whole run of one Case with one record.
void append(const std::string& directory, const Record& record) {
  RecordWriter writer(directory, record.measured(), {record.case_text});
  writer.append(record);
  writer.end();
}

void write_raw(const std::string& directory, const std::string& text) {
  std::ofstream(directory + "/records.jsonl", std::ios::app) << text;
}

TEST(Store, WhatIsAppendedIsReadBack) {
  const std::string directory = scratch_directory("store-append") + "/new";
  append(directory, sample_pass());
  Record other = sample_failure();
  other.case_text += "0";
  append(directory, other);
  const StoredRecords stored = read_records(directory);
  ASSERT_EQ(stored.records.size(), 2u);
  EXPECT_EQ(record_line(stored.records[1]), record_line(other));
  EXPECT_EQ(stored.note, "");
  EXPECT_EQ(stored.incomplete, "");
}

TEST(Store, TornLastLineIsLeftOutAndSaid) {
  const std::string directory = scratch_directory("store-torn");
  append(directory, sample_pass());
  write_raw(directory, R"({"schema_version":4,"ca)");
  const StoredRecords stored = read_records(directory);
  EXPECT_EQ(stored.records.size(), 1u);
  EXPECT_NE(stored.note.find("records.jsonl:4: the last line is incomplete"), std::string::npos);
  Record later = sample_pass();
  later.case_text = "later";
  append(directory, later);
  EXPECT_EQ(read_records(directory).records.size(), 2u);
  EXPECT_EQ(read_records(directory).note, "");
}

// The control: the same torn text with a line feed is damage, not the end of a killed run.
TEST(Store, BadLineIsAnErrorWithItsPlace) {
  const std::string directory = scratch_directory("store-bad");
  append(directory, sample_pass());
  write_raw(directory, "{\"schema_version\":4,\"ca\n");
  try {
    read_records(directory);
    FAIL() << "no error";
  } catch (const InstrumentError& error) {
    EXPECT_NE(std::string(error.what()).find("records.jsonl:4: no record"), std::string::npos);
  }
}

TEST(Store, MissingDirectoryIsAUserError) {
  EXPECT_THROW(read_records("/nonexistent"), UsageError);
  EXPECT_THROW(RecordWriter("/proc/nonexistent", Measured::comparison, {}), UsageError);
}

TEST(Store, ALaterRunOfACaseReplacesTheEarlier) {
  const auto kept = latest_of_each_case({of_case("a", "y", "1"), of_case("a", "d_x", "1"),
                                         of_case("b", "y", "1"), of_case("a", "y", "2")});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].case_text, "b");
  EXPECT_EQ(kept[1].digest, "2");
}

TEST(Store, TheSameCaseTwiceInARowIsTwoRuns) {
  const auto kept = latest_of_each_case({of_case("a", "y", "1"), of_case("a", "d_x", "1"),
                                         of_case("a", "y", "2"), of_case("a", "d_x", "2")});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].digest, "2");
  EXPECT_EQ(kept[1].digest, "2");
}

// A run names its Cases and says its end: what is missing is known whatever happened between.
TEST(Store, WhatARunDidNotComeToIsMissing) {
  const std::string directory = scratch_directory("store-missing");
  const auto incomplete = [&] { return read_records(directory).incomplete; };
  {
    RecordWriter writer(directory, Measured::comparison, {"b", "a", "c"});
    EXPECT_EQ(incomplete(), "3 of 3 cases were not run to their end; the first is 'b'");
    writer.append(of_case("b", "y", "1"));
    writer.append(of_case("a", "y", "1"));
    EXPECT_EQ(incomplete(), "2 of 3 cases were not run to their end; the first is 'a'")
        << "the last may have had more to say";
    writer.end();
    EXPECT_EQ(incomplete(), "1 of 3 cases were not run to their end; the first is 'c'");
  }
  append(directory, of_case("c", "y", "1"));
  EXPECT_EQ(incomplete(), "");
  RecordWriter again(directory, Measured::comparison, {"a"});
  EXPECT_EQ(incomplete(), "1 of 3 cases were not run to their end; the first is 'a'")
      << "what it held before is no word of this run";
}

TEST(Store, ARunWithoutItsEndIsNotEndedByTheNext) {
  const std::string directory = scratch_directory("store-begun-twice");
  RecordWriter(directory, Measured::comparison, {"a"}).append(of_case("a", "y", "1"));
  append(directory, of_case("b", "y", "1"));
  EXPECT_EQ(read_records(directory).incomplete,
            "1 of 2 cases were not run to their end; the first is 'a'");
}

// Files that no run of ours wrote are no evidence of a whole run.
TEST(Store, RecordsWithoutARunAreIncomplete) {
  const std::string directory = scratch_directory("store-bare");
  write_raw(directory, record_line(of_case("a", "y", "1")) + "\n");
  EXPECT_NE(read_records(directory).incomplete, "");
  write_raw(directory, "{\"run\":\"halts\"}\n");
  EXPECT_THROW(read_records(directory), InstrumentError);
}

// Pieces of 64 KiB are read from the end.
TEST(Store, ATornLineIsCutOffHoweverLong) {
  const std::string directory = scratch_directory("store-long");
  append(directory, sample_pass());
  write_raw(directory, std::string(200000, 'x'));
  append(directory, sample_pass());
  const StoredRecords stored = read_records(directory);
  EXPECT_EQ(stored.records.size(), 1u);
  EXPECT_EQ(stored.note, "1 records of earlier runs of the same cases left out");
}

}  // namespace
}  // namespace gradproof
