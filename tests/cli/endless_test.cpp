// SPDX-License-Identifier: Apache-2.0
// Input without end is refused instead of held: answers of workers, records, case files, baselines.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

TEST(Endless, AnswersBreakTheInstrumentAndTheRestGoesOn) {
  const Finished line =
      gradproof_with_fake("check 'sample behave=endless_line' sample", "endless-line");
  EXPECT_EQ(line.code, 3);
  EXPECT_TRUE(has(line.out, "the worker's line has no end: over 16 MiB")) << line.out;
  EXPECT_TRUE(has(line.out, "RESULT passed=2 ")) << line.out;
  for (const std::string how : {"endless_records", "endless_lines"}) {
    const Finished done =
        gradproof_with_fake("check 'sample behave=" + how + "' sample", "endless-" + how);
    EXPECT_EQ(done.code, 3) << how;
    EXPECT_TRUE(has(done.out, "the worker's answer has no end: over 16 MiB")) << done.out;
    EXPECT_TRUE(has(done.out, "RESULT passed=2 ")) << "what it said counts for nothing";
  }
  const Finished audit =
      gradproof_with_fake("audit 'sample behave=endless_lines' sample", "endless-audit");
  EXPECT_EQ(audit.code, 3);
  EXPECT_TRUE(has(audit.err, "the worker's answer has no end")) << audit.err;
  EXPECT_TRUE(has(audit.out, "RESULT rows=2 certified=1 ")) << audit.out;
}

TEST(Endless, FilesAreRefused) {
  const std::string folder = scratch_directory("endless-files");
  std::filesystem::create_symlink("/dev/zero", folder + "/29991231T000000.000Z-0000.jsonl");
  const Finished report = shell(front() + " report " + folder, "endless-report");
  EXPECT_EQ(report.code, 2);
  EXPECT_TRUE(has(report.err, "0000.jsonl': line 1 has over 16 MiB")) << report.err;
  const Finished cases = gradproof_with_fake("check --cases /dev/zero", "endless-cases");
  EXPECT_EQ(cases.code, 2);
  EXPECT_TRUE(has(cases.err, "cannot read '/dev/zero': line 1 has over 16 MiB")) << cases.err;
  const std::string run = folder + "/run";
  ASSERT_EQ(gradproof_with_fake("check sample --records " + run, "endless-run").code, 0);
  const Finished against =
      shell(front() + " report " + run + " --against /dev/zero", "endless-against");
  EXPECT_EQ(against.code, 2);
  EXPECT_TRUE(has(against.err, "cannot read '/dev/zero': line 1 has over 16 MiB")) << against.err;
}

}  // namespace
}  // namespace gradproof
