// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/record_json.h"
#include "reports/store.h"
#include "tests/report_sample.h"
#include "tests/scratch.h"

namespace gradproof {
namespace {

Record of_case(const std::string& text, const std::string& tensor, const std::string& digest) {
  Record r = sample_pass();
  r.case_text = text;
  r.tensor = tensor;
  r.digest = digest;
  return r;
}

void write_raw(const std::string& directory, const std::string& text) {
  std::ofstream(directory + "/records.jsonl", std::ios::app) << text;
}

TEST(Store, WhatIsAppendedIsReadBack) {
  const std::string directory = scratch_directory("store-append") + "/new";
  RecordWriter(directory).append(sample_pass());
  Record other = sample_failure();
  other.case_text += "0";
  RecordWriter(directory).append(other);
  const StoredRecords stored = read_records(directory);
  ASSERT_EQ(stored.records.size(), 2u);
  EXPECT_EQ(record_line(stored.records[1]), record_line(other));
  EXPECT_EQ(stored.note, "");
}

TEST(Store, TornLastLineIsLeftOutAndSaid) {
  const std::string directory = scratch_directory("store-torn");
  RecordWriter(directory).append(sample_pass());
  write_raw(directory, R"({"schema_version":2,"ca)");
  const StoredRecords stored = read_records(directory);
  EXPECT_EQ(stored.records.size(), 1u);
  EXPECT_NE(stored.note.find("records.jsonl:2: the last line is incomplete"), std::string::npos);
  Record later = sample_pass();
  later.case_text = "later";
  RecordWriter(directory).append(later);
  EXPECT_EQ(read_records(directory).records.size(), 2u);
  EXPECT_EQ(read_records(directory).note, "");
}

// The control: the same torn text with a line feed is damage, not the end of a killed run.
TEST(Store, BadLineIsAnErrorWithItsPlace) {
  const std::string directory = scratch_directory("store-bad");
  RecordWriter(directory).append(sample_pass());
  write_raw(directory, "{\"schema_version\":2,\"ca\n");
  try {
    read_records(directory);
    FAIL() << "no error";
  } catch (const InstrumentError& error) {
    EXPECT_NE(std::string(error.what()).find("records.jsonl:2: no record"), std::string::npos);
  }
}

TEST(Store, MissingDirectoryIsAUserError) {
  EXPECT_THROW(read_records("/nonexistent"), UsageError);
  EXPECT_THROW(RecordWriter("/proc/nonexistent"), UsageError);
}

TEST(Store, ALaterRunOfACaseReplacesTheEarlier) {
  const auto kept = latest_runs({of_case("a", "y", "1"), of_case("a", "d_x", "1"),
                                 of_case("b", "y", "1"), of_case("a", "y", "2")});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].case_text, "b");
  EXPECT_EQ(kept[1].digest, "2");
}

TEST(Store, TheSameCaseTwiceInARowIsTwoRuns) {
  const auto kept = latest_runs({of_case("a", "y", "1"), of_case("a", "d_x", "1"),
                                 of_case("a", "y", "2"), of_case("a", "d_x", "2")});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].digest, "2");
  EXPECT_EQ(kept[1].digest, "2");
}

}  // namespace
}  // namespace gradproof
