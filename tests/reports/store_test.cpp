// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/store.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/report_runs.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

TEST(Store, TheLastRunOfEachKindIsTaken) {
  const std::string folder = scratch_directory("store-last") + "/new";
  EXPECT_FALSE(last_run(folder, Measured::comparison));
  const std::string first = write_run(folder, of_case("a", "y", "1"));
  write_run(folder, of_case("a", "y", "2"));
  EXPECT_EQ(last_records(folder).records.at(0).digest, "2");
  EXPECT_EQ(records_of(read_stored_run(folder, first)).records.at(0).digest, "1");
  EXPECT_FALSE(last_run(folder, Measured::differences));
  EXPECT_THROW(read_stored_run(folder, "20261123T062745.123Z-7f3a"), UsageError);
}

TEST(Store, RecordsComeInTheOrderOfTheCases) {
  const std::string folder = scratch_directory("store-order");
  write_run(folder, sample_header({"b", "a"}),
            {{of_case("a", "y", "1")}, {of_case("b", "y", "2")}});
  EXPECT_EQ(last_records(folder).records.at(0).case_text, "b");
}

TEST(Store, WhatARunDidNotComeToIsMissing) {
  const std::string folder = scratch_directory("store-missing");
  const auto incomplete = [&] { return last_records(folder).incomplete; };
  RunWriter writer(folder, sample_header({"b", "a"}));
  EXPECT_EQ(incomplete(), "2 of 2 cases were not run to their end; the first is 'b'");
  writer.append({of_case("b", "y", "1")});
  EXPECT_EQ(incomplete(), "1 of 2 cases were not run to their end; the first is 'a'");
  EXPECT_EQ(tally(last_records(folder)).gaps.back(), incomplete());
  writer.append({of_case("a", "y", "1")});
  EXPECT_EQ(incomplete(), "") << "whether it came to say its end is nothing to the Cases";
}

TEST(Store, ARunThatWasKilledBeforeItsFirstLineIsNoRun) {
  const std::string folder = scratch_directory("store-empty");
  write_run(folder, of_case("a", "y", "1"));
  const std::string empty = run_path(folder, "29991231T000000.000Z-0000");
  for (const std::string text : {"", "{\"run\":\"2999"}) {
    write_text(empty, text);
    EXPECT_EQ(last_records(folder).records.size(), 1u);
    EXPECT_NE(last_records(folder).note.find("0000.jsonl has no first line"), std::string::npos);
  }
  write_text(empty, "{\"run\":\"2999\n");  // the control: a whole line that is none
  EXPECT_THROW(last_run(folder, Measured::comparison), InstrumentError);
}

TEST(Store, AResumedRunIsOneWithWhatItResumes) {
  const std::string folder = scratch_directory("store-resumed");
  RunHeader header = sample_header({"a", "b", "c"});
  for (const std::string text : {"a", "b", "c"})
    header.resumes = write_run(folder, header, {{of_case(text, "y", text)}});
  EXPECT_EQ(last_records(folder).incomplete, "");
  EXPECT_EQ(last_records(folder).records.size(), 3u);
  std::filesystem::remove(run_path(folder, run_ids(folder).front()));
  EXPECT_EQ(last_records(folder).incomplete,
            "1 of 3 cases were not run to their end; the first is 'a'");
  EXPECT_NE(last_records(folder).note.find("which was resumed, is missing"), std::string::npos);
}

TEST(Store, ARunThatResumesAnotherPlanIsAnError) {
  const std::string folder = scratch_directory("store-resumed-other");
  RunHeader header = sample_header({"a"});
  header.resumes = write_run(folder, of_case("b", "y", "1"));
  write_run(folder, header, {{of_case("a", "y", "1")}});
  EXPECT_THROW(last_run(folder, Measured::comparison), InstrumentError);
}

TEST(Store, RecordsOfAnEarlierVersionAreAnError) {
  for (const std::string name : {"records", "audit"}) {
    const std::string folder = scratch_directory("store-earlier");
    write_run(folder, of_case("a", "y", "1"));
    EXPECT_EQ(run_ids(folder).size(), 1u) << "the control";
    write_text(folder + "/" + name + ".jsonl", "{}\n");
    EXPECT_THROW(run_ids(folder), InstrumentError);
    EXPECT_THROW(RunWriter(folder, sample_header({"a"})), InstrumentError);
  }
}

TEST(Store, OtherFilesAreNotLookedAt) {
  const std::string folder = scratch_directory("store-beside");
  write_text(folder + "/plan.jsonl", "none\n");
  write_text(folder + "/20261123T062745.123Z-7f3a.txt", "none\n");
  EXPECT_TRUE(run_ids(folder).empty());
  EXPECT_TRUE(run_ids("/nonexistent").empty());
  EXPECT_THROW(RunWriter("/proc/nonexistent", sample_header({"a"})), UsageError);
}

}  // namespace
}  // namespace gradproof
