// SPDX-License-Identifier: Apache-2.0
// A standard stream that is closed, full or not read gives a documented exit code and, if standard
// error can be written, the reason.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

const std::vector<std::string> kPrintingCommands{"check sample",
                                                 "check --help",
                                                 "list",
                                                 "list sample",
                                                 "doctor",
                                                 "calibrate fair",
                                                 "explain sample",
                                                 "replay sample",
                                                 "audit sample",
                                                 "audit sample --json",
                                                 "check sample --json",
                                                 "doctor --json",
                                                 "plan sample",
                                                 "bench executor",
                                                 "exhaustive a",
                                                 "search a --cases 1",
                                                 "coverage a",
                                                 "audit sample --column 'x[0,0]'"};

/// Runs a verb with the fake worker and its streams as `streams` says.
Finished with_streams(const std::string& arguments, const std::string& streams) {
  const bool helps = has(arguments, "--help");
  const std::string worker = helps ? "" : " --worker " + fake_worker();
  return shell(front() + " " + arguments + worker + " " + streams, "output-streams");
}

TEST(Output, ThatCannotBeWrittenIsExitCode3) {
  for (const std::string& verb : kPrintingCommands) {
    const Finished full = with_streams(verb, ">/dev/full");
    EXPECT_EQ(full.code, 3) << verb;
    EXPECT_EQ(full.err, "gradproof: cannot write standard output: No space left on device\n")
        << verb;
    const Finished closed = with_streams(verb, ">&-");
    EXPECT_EQ(closed.code, 3) << verb;
    EXPECT_EQ(closed.err, "gradproof: cannot write standard output: Bad file descriptor\n") << verb;
  }
}

TEST(Output, OfAReportToo) {
  const std::string folder = scratch_directory("output-report");
  ASSERT_EQ(gradproof_with_fake("check sample --records " + folder, "output-records").code, 0);
  for (const std::string markdown : {"", " --format markdown"}) {
    const std::string report = front() + " report " + folder + markdown;
    EXPECT_EQ(shell(report + " >/dev/full", "output-full").code, 3);
    EXPECT_EQ(shell(report + " >/dev/null", "output-null").code, 0) << "the control";
  }
  const std::string update = front() + " baseline update " + folder + "/b --from " + folder;
  EXPECT_EQ(shell(update + " --reason r >/dev/full", "output-baseline").code, 3);
  const std::string merge = front() + " merge " + folder + " --into " + folder + "/merged";
  const Finished full = shell(merge + " >/dev/full", "output-merge");
  EXPECT_EQ(full.code, 3);
  EXPECT_EQ(full.err, "gradproof: cannot write standard output: No space left on device\n");
  EXPECT_EQ(shell(merge + " >/dev/null", "output-merge-null").code, 0) << "the control";
}

TEST(Output, ThatNobodyReadsEndsQuietly) {
  for (const std::string& verb : kPrintingCommands) {
    const std::string pipe = scratch_directory("output-pipe") + "/pipe";
    const std::string worker = has(verb, "--help") ? "" : " --worker " + fake_worker();
    // The pipe's only reader has gone when the program starts.
    const Finished done = shell("mkfifo " + pipe + "; exec 8<>" + pipe + " 9>" + pipe + " 8>&-; " +
                                    front() + " " + verb + worker + " >&9; echo code $? >&2",
                                "output-pipe-run");
    EXPECT_EQ(done.err, "code 141\n") << verb;
  }
}

TEST(Output, StandardErrorThatTakesNothingCostsTheMessageOnly) {
  for (const std::string streams : {"2>&-", "2>/dev/full"}) {
    EXPECT_EQ(with_streams("check nope", streams).code, 2) << streams;
    EXPECT_EQ(with_streams("chekc", streams).code, 2) << streams;
    EXPECT_EQ(with_streams("audit 'sample behave=crash'", streams).code, 3) << streams;
    EXPECT_EQ(with_streams("check 'sample behave=usage'", streams).code, 2) << streams;
    EXPECT_EQ(with_streams("check sample 'sample behave=fail'", streams).code, 1) << streams;
    EXPECT_EQ(with_streams("check sample", streams + " <&-").code, 0) << streams;
    EXPECT_EQ(with_streams("check nope", streams + " >&- <&-").code, 2) << streams;
  }
}

// If descriptor 2 were left free, the next file opened would take it and receive every message.
TEST(Output, NoFileTakesTheNumberOfAClosedStream) {
  const std::string folder = scratch_directory("output-number");
  const Finished done =
      with_streams("check 'sample behave=usage' sample --records " + folder, "<&- 2>&-");
  EXPECT_EQ(done.code, 2);
  EXPECT_FALSE(has(last_run_text(folder), "as planted\n"));
  const Finished report = shell(front() + " report " + folder, "output-number-report");
  EXPECT_TRUE(has(report.out, "RESULT passed=2 ")) << report.err;
}

TEST(Output, ARunThatCannotPrintEndsAndItsRecordsSaySo) {
  const std::string folder = scratch_directory("output-records-end");
  const Finished done = with_streams(
      "check sample 'sample behave=half' --workers 1 --records " + folder, ">/dev/full");
  EXPECT_EQ(done.code, 3);
  const Finished report = shell(front() + " report " + folder, "output-end-report");
  EXPECT_EQ(report.code, 4);
  EXPECT_TRUE(has(report.out, "incomplete: ")) << report.out;
  EXPECT_TRUE(has(last_run_text(folder), R"({"end":"failed")")) << last_run_text(folder);
}

}  // namespace
}  // namespace gradproof
