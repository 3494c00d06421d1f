// SPDX-License-Identifier: Apache-2.0
// The file of one run: what is written is read back, and whatever happened to it is noticed.
#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/record/record_json.h"
#include "reports/runs/found_cell.h"
#include "reports/runs/run_id.h"
#include "reports/runs/sealed_line.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/report_runs.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

const std::vector<std::vector<Record>> kTwoCases{{of_case("a", "y", "1"), of_case("a", "d_x", "2")},
                                                 {of_case("b", "y", "3")}};

/// The path of a whole run of two Cases.
std::string two_cases(const std::string& name) {
  const std::string folder = scratch_directory(name);
  return run_path(folder, write_run(folder, sample_header({"a", "b"}), kTwoCases));
}

std::optional<RunFile> read_text(const std::string& text) {
  return read_run(MemoryFile(text).path());
}

/// The reader's complaint about a file with this text; empty if it reads the file.
std::string complaint_of_run(const std::string& text) {
  try {
    read_text(text);
  } catch (const InstrumentError& error) {
    return error.what();
  }
  return "";
}

TEST(RunFile, WhatIsWrittenIsReadBack) {
  const std::string path = two_cases("run-file");
  const auto file = read_run(path);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->done.size(), 2u);
  EXPECT_EQ(record_line(file->done[0].records[1]), record_line(kTwoCases[0][1]));
  EXPECT_EQ(file->header.cases, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file->end->how, "complete");
  EXPECT_EQ(file->note, "");
  EXPECT_EQ(path, run_path(scratch_path("run-file"), file->header.id));
}

// A run of cells holds what was found in them, and no Records: each is refused in the other's file.
TEST(RunFile, OfCellsIsReadBack) {
  const std::string folder = scratch_directory("run-cells");
  RunHeader header = sample_header({"a f32", "b f32"});
  header.kind = RunKind::search;
  RunWriter writer(folder, header);
  writer.append(FoundCell{"b f32", R"({"ratio":0.5})"});
  writer.end(sample_end());
  const auto file = read_run(writer.path());
  ASSERT_TRUE(file);
  ASSERT_EQ(file->done.size(), 1u);
  EXPECT_EQ(file->done[0].text, "b f32");
  EXPECT_EQ(file->done[0].found, R"({"ratio":0.5})");
  EXPECT_EQ(file->done[0].lines, cell_line({"b f32", R"({"ratio":0.5})"}) + "\n");
  EXPECT_EQ(last_run(folder, RunKind::search)->missing(), (std::vector<std::string>{"a f32"}));
  EXPECT_FALSE(last_run(folder, RunKind::check));
  const std::string cells = file_text(writer.path());
  EXPECT_NE(complaint_of_run(cells + cell_line({"a f32", "{}"}) + "\n"), "")
      << "behind the last line";
  const std::string other = sealed(R"({"cell":"c f32","found":"{}"})");
  std::string changed = cells;
  changed.replace(changed.find("{\"cell\""), changed.find("{\"end\"") - changed.find("{\"cell\""),
                  other + "\n");
  EXPECT_NE(complaint_of_run(changed).find("the cell 'c f32', which the run was not to judge"),
            std::string::npos)
      << complaint_of_run(changed);
  std::string record = file_text(two_cases("run-no-cell"));
  record.replace(record.find("{\"schema_version\":5"), 0, other + "\n");
  EXPECT_NE(complaint_of_run(record), "");
}

// CRC-32C's check value, that of the nine digits, is 0xe3069283.
TEST(SealedLine, HasTheChecksumOfTheBytesBeforeIt) {
  EXPECT_EQ(sealed("123456789}"), R"(123456789,"crc":"e3069283"})");
  EXPECT_EQ(sealed(R"({"a":1})").substr(0, 14), R"({"a":1,"crc":")");
  EXPECT_NO_THROW(require_seal(sealed(R"({"a":1})")));
  EXPECT_THROW(require_seal(R"({"a":1})"), InstrumentError);
}

TEST(SealedLine, EveryFlippedBitIsFound) {
  const std::string good = sealed(record_line(sample_failure()));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string line = good;
    line[bit / 8] = static_cast<char>(line[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(require_seal(line), InstrumentError) << bit;
  }
}

// A bit of each byte of a file is flipped. A last line without its line feed is told instead.
TEST(RunFile, AFlippedBitIsFoundWhereverItIs) {
  const std::string good = file_text(two_cases("run-flips"));
  ASSERT_EQ(complaint_of_run(good), "") << "the control";
  for (std::size_t byte = 0; byte + 1 < good.size(); ++byte) {
    std::string text = good;
    text[byte] = static_cast<char>(text[byte] ^ (1 << (byte % 8)));
    EXPECT_NE(complaint_of_run(text), "") << byte;
  }
  const std::string no_end = good.substr(0, good.size() - 1) + "J";
  EXPECT_EQ(complaint_of_run(no_end), "");
  EXPECT_FALSE(read_text(no_end)->end);
  EXPECT_NE(read_text(no_end)->note, "");
}

TEST(RunFile, AMissingLineInTheMiddleIsNamed) {
  const std::string good = file_text(two_cases("run-gap"));
  const std::size_t second = good.find('\n') + 1;  // part 1 of 2 of 'a'
  const std::size_t third = good.find('\n', second) + 1;
  EXPECT_NE(complaint_of_run(good.substr(0, second) + good.substr(third))
                .find(":2: part 2 of 2 of 'a' does not follow the line before it"),
            std::string::npos);
  const std::size_t fourth = good.find('\n', third) + 1;
  EXPECT_NE(complaint_of_run(good.substr(0, third) + good.substr(fourth))
                .find(":3: part 2 of 2 of 'a' is missing in front of it"),
            std::string::npos);
  EXPECT_NE(complaint_of_run(good + good.substr(second, third - second))
                .find(":6: a line behind the run's last"),
            std::string::npos);
}

// However a run is cut off, a Case is there whole or not at all, and what is left out is said.
TEST(RunFile, CutAnywhereItHasWholeCasesOnly) {
  const std::string good = file_text(two_cases("run-cut"));
  for (std::size_t size = 0; size < good.size(); ++size) {
    ASSERT_EQ(complaint_of_run(good.substr(0, size)), "") << size;
    const auto file = read_text(good.substr(0, size));
    if (size <= good.find('\n')) {
      EXPECT_FALSE(file) << size;
      continue;
    }
    ASSERT_TRUE(file) << size;
    EXPECT_FALSE(file->end) << size;
    for (const CaseRecords& one : file->done)
      EXPECT_EQ(one.records.size(), one.text == "a" ? 2u : 1u) << size;
    constexpr auto kHalfOfA = 2;  // lines: the header and its first part
    const auto lines =
        std::count(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size), '\n');
    EXPECT_EQ(file->note.empty(), good[size - 1] == '\n' && lines != kHalfOfA) << file->note;
  }
}

TEST(RunFile, RecordsThatARunWasNotToMakeAreRefused) {
  const std::string folder = scratch_directory("run-foreign");
  const std::string other = write_run(folder, sample_header({"a"}), {{of_case("b", "y", "1")}});
  EXPECT_THROW(read_run(run_path(folder, other)), InstrumentError);
  const std::string audit =
      write_run(folder, sample_header({"a"}, Measured::differences), {{of_case("a", "y", "1")}});
  EXPECT_THROW(read_run(run_path(folder, audit)), InstrumentError);
}

TEST(RunFile, ThoseOfSeveralThreadsAreAllThere) {
  const std::string folder = scratch_directory("run-threads");
  std::vector<std::string> cases;
  for (int i = 0; i < 200; ++i) cases.push_back(std::to_string(i));
  {
    RunWriter writer(folder, sample_header(cases));
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&writer, &cases, t] {
        for (std::size_t i = static_cast<std::size_t>(t); i < cases.size(); i += 4)
          writer.append({of_case(cases[i], "y", "1"), of_case(cases[i], "d_x", "2")});
      });
  }
  EXPECT_EQ(last_records(folder).incomplete, "");
  EXPECT_EQ(last_run(folder, Measured::comparison)->end->how, "failed") << "nobody wrote its end";
}

TEST(RunId, NamesTheTimeAndSortsByIt) {
  const Milliseconds time = 1795415265123;
  const std::string id = make_run_id(time, "7f3a");
  EXPECT_EQ(id, "20261123T062745.123Z-7f3a");
  EXPECT_EQ(start_of_run_id(id), time);
  EXPECT_EQ(time_text(time), "2026-11-23T06:27:45.123Z");
  EXPECT_EQ(parse_time(time_text(time)), time);
  for (const std::string none :
       {"", "records", "20261323T062745.123Z-7f3a", "20261123T062745.123Z-7f3",
        "20261123T062745Z-7f3a", "20261123T062745.123Z-7F3A", "20261123T062745.123Z-7f3a.jsonl"})
    EXPECT_FALSE(start_of_run_id(none)) << none;
}

// A clock that was set back hides no run behind an older one.
TEST(RunId, ALaterRunHasTheGreaterName) {
  const std::string future = make_run_id(now_utc() + 3600 * 1000, "ffff");
  EXPECT_GT(new_run_id({"20261123T062745.123Z-7f3a", future}), future);
  EXPECT_LT(new_run_id({"20261123T062745.123Z-7f3a"}), future) << "the control";
}

}  // namespace
}  // namespace gradproof
