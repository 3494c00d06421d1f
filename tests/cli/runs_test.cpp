// SPDX-License-Identifier: Apache-2.0
// Runs on the disk: their names, what they say of themselves, and lines that were changed. What a
// run that was ended leaves: tests/faults.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/run_support.h"

namespace gradproof {
namespace {

TEST(Runs, AreListedAndTakenByName) {
  const std::string folder = scratch_directory("runs-list");
  ASSERT_EQ(
      gradproof_with_fake("check 'sample behave=fail' --no-shrink --records " + folder, "runs-1")
          .code,
      1);
  ASSERT_EQ(gradproof_with_fake("check sample --records " + folder, "runs-2").code, 0);
  ASSERT_EQ(gradproof_with_fake("audit sample --records " + folder, "runs-3").code, 0);
  const std::vector<std::string> ids = run_ids(folder);
  const Finished list = report(folder + " --runs");
  EXPECT_EQ(list.code, 0);
  EXPECT_TRUE(has(list.out, ids.at(0) + "  check  1 of 1         complete, exit code 1, "))
      << list.out;
  EXPECT_TRUE(has(list.out, "gradproof check 'sample behave=fail' --no-shrink")) << list.out;
  EXPECT_TRUE(has(list.out, ids.at(2) + "  audit  1 of 1 ")) << list.out;
  EXPECT_TRUE(has(report(folder).out, "RESULT passed=2 failed=0 ")) << "the last of its kind";
  EXPECT_TRUE(has(report(folder).out, "RESULT rows=1 certified=1 ")) << "and of the other";
  EXPECT_TRUE(has(report(folder + " --run " + ids.at(0)).out, "RESULT passed=1 failed=1 "));
  const Finished none = report(folder + " --run 20260101T000000.000Z-0000");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(has(none.err, "no run '20260101T000000.000Z-0000' in '" + folder + "'; there are: "))
      << none.err;
  const std::string update =
      front() + " baseline update " + folder + "/b --reason r --from " + folder;
  EXPECT_EQ(shell(update + " --run " + ids.at(2), "runs-audit").code, 2)
      << "an audit has no bounds";
  EXPECT_EQ(shell(update + " --run " + ids.at(1), "runs-check").code, 0);
}

TEST(Runs, WhatWasWrongInTheLastOneIsJudgedAgain) {
  const std::string folder = scratch_directory("runs-rerun");
  const std::string two = "check 'sample behave=fail' sample --no-shrink";
  const std::string again = "check --no-shrink --rerun-failed " + folder;
  EXPECT_TRUE(has(gradproof_with_fake(again, "rerun-none").err, "has no run of 'check'"));
  ASSERT_EQ(gradproof_with_fake(two + " --records " + folder, "rerun-1").code, 1);
  const Finished done = gradproof_with_fake(again, "rerun-2");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out, "RESULT passed=1 failed=1 ")) << "of one Case: " << done.out;
  EXPECT_EQ(gradproof_with_fake("check sample --rerun-failed " + folder, "rerun-3").code, 2);
  ASSERT_EQ(gradproof_with_fake("check sample --records " + folder, "rerun-4").code, 0);
  const Finished green = gradproof_with_fake(again, "rerun-5");
  EXPECT_EQ(green.code, 2);
  EXPECT_TRUE(has(green.err, "nothing is wrong in the last run of")) << green.err;
}

TEST(Runs, ADamagedLineIsAnErrorWithItsPlace) {
  const std::string folder = scratch_directory("runs-damaged");
  ASSERT_EQ(gradproof_with_fake("check sample --records " + folder, "runs-good").code, 0);
  ASSERT_EQ(report(folder).code, 0);
  const std::string path = run_files(folder).at(0);
  std::string text = text_of(path);
  text[text.find("0.125")] = '1';
  std::ofstream(path) << text;
  const Finished done = report(folder);
  EXPECT_EQ(done.code, 3);
  EXPECT_EQ(done.err, "gradproof: " + path +
                          ":2: the line does not have the checksum at its end: it was changed\n");
  const std::string update = front() + " baseline update " + folder + "/b --reason r --from ";
  EXPECT_EQ(shell(update + folder, "runs-update").code, 3);
}

TEST(Runs, OfAnEarlierVersionAreRefusedByName) {
  const std::string folder = scratch_directory("runs-earlier");
  std::ofstream(folder + "/records.jsonl") << "{\"run\":\"begins\",\"cases\":[]}\n";
  for (const Finished& done :
       {report(folder), gradproof_with_fake("check sample --records " + folder, "runs-old")}) {
    EXPECT_EQ(done.code, 3);
    EXPECT_TRUE(has(done.err, folder + "/records.jsonl: records of an earlier version"))
        << done.err;
    EXPECT_TRUE(has(done.err, "run again, into another directory")) << done.err;
  }
}

TEST(Runs, SayWhatWasBuiltAndFromWhat) {
  const std::string folder = scratch_directory("runs-commit");
  const std::string git = "cd " + folder +
                          " && git init -q . && git -c user.name=a -c user.email=a@b commit -q "
                          "--allow-empty -m first && ";
  const std::string check = front() + " check sample --worker " + fake_worker() + " --records ";
  ASSERT_EQ(shell(git + check + "r", "runs-git").code, 0);
  const std::string commit = shell("git -C " + folder + " rev-parse HEAD", "runs-head").out;
  const std::string said = R"("checkout":{"commit":")" + commit.substr(0, commit.size() - 1) + '"';
  EXPECT_TRUE(has(last_run_text(folder + "/r"), said + R"(,"dirty":false,"from":"git"})"));
  EXPECT_TRUE(has(report(folder + "/r").out, commit.substr(0, 40)));
  const std::string without_git =
      "cd / && PATH=/nonexistent GITHUB_SHA=abc " + check + folder + "/ci";
  ASSERT_EQ(shell(without_git, "runs-ci").code, 0);
  EXPECT_TRUE(has(last_run_text(folder + "/ci"),
                  R"("checkout":{"commit":"abc","dirty":false,"from":"GITHUB_SHA"})"));
}

}  // namespace
}  // namespace gradproof
