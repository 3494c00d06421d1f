// SPDX-License-Identifier: Apache-2.0
// Evidence on the disk: whatever ends a run, what it had judged is there and what it had not is
// told.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/run_support.h"

namespace gradproof {
namespace {

constexpr int kCases = 300;

std::string check_into(const std::string& folder, const std::string& cases) {
  return front() + " check --cases " + cases + " --worker " + fake_worker() + " --records " +
         folder;
}

Finished report(const std::string& arguments) {
  return shell(front() + " report " + arguments, "runs-report");
}

// Killed when so many lines are there: one worker is at a Case of 1.2 s, the other at 300 short
// ones.
TEST(Runs, KilledAtAnyMomentLoseNoFinishedCase) {
  const std::string folder = scratch_directory("runs-killed");
  const std::string cases = case_file(folder, kCases);
  std::ofstream(cases, std::ios::app) << "sample rows=50 behave=work\n";
  const std::string two = " --workers 2";
  ASSERT_EQ(shell(check_into(folder + "/whole", cases) + two, "runs-whole").code, 0);
  const std::vector<std::string> whole = all_records(folder + "/whole");
  ASSERT_EQ(whole.size(), 2u * kCases + 2);
  for (const std::string lines : {"1", "100", "500"}) {
    const std::string own = folder + "/" + lines;
    const std::string printed = folder + "/printed";
    shell(check_into(own, cases) + two + " --verbose >" + printed + " & pid=$!; until [ $(cat " +
              own + "/*.jsonl | wc -l) -ge " + lines + " ]; do :; done; kill -9 $pid; wait $pid",
          "runs-kill");
    const std::vector<std::string> kept = all_records(own);
    EXPECT_GE(kept.size() + 1, std::stoul(lines));
    // What was printed had been kept before.
    EXPECT_GE(kept.size(), 2 * count_of(text_of(printed), "passed  sample d_x"));
    EXPECT_TRUE(std::includes(whole.begin(), whole.end(), kept.begin(), kept.end()));
    const Finished told = report(own);
    EXPECT_EQ(told.code, 4) << told.err;
    EXPECT_TRUE(has(told.out, " of 301 cases were not run to their end; the first is '"))
        << told.out;
    EXPECT_EQ(shell(check_into(own, cases) + two + " --resume", "runs-resume").code, 0);
    EXPECT_EQ(report(own).code, 0);
    EXPECT_EQ(last_line_of(report(own).out), last_line_of(report(folder + "/whole").out));
  }
}

TEST(Runs, TwoAtOnceAreTwoRuns) {
  const std::string folder = scratch_directory("runs-two");
  const std::string check = check_into(folder + "/r", case_file(folder, kCases));
  const Finished both =
      shell(check + " & one=$!; " + check + "; two=$?; wait $one; echo $? $two", "runs-two-run");
  EXPECT_EQ(last_line_of(both.out), "0 0\n") << both.err;
  ASSERT_EQ(run_ids(folder + "/r").size(), 2u);
  for (const std::string& id : run_ids(folder + "/r")) {
    const Finished one = report(folder + "/r --run " + id);
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_TRUE(has(one.out, "RESULT passed=600 ")) << one.out;
  }
}

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

TEST(Runs, AFolderThatTakesNoFileIsSaid) {
  const Finished done = gradproof_with_fake("check sample --records /proc", "runs-read-only");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "gradproof: cannot write '/proc/2")) << done.err;
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
  EXPECT_TRUE(has(report(folder + "/r").out, ", commit " + commit.substr(0, 40)));
  const std::string without_git =
      "cd / && PATH=/nonexistent GITHUB_SHA=abc " + check + folder + "/ci";
  ASSERT_EQ(shell(without_git, "runs-ci").code, 0);
  EXPECT_TRUE(has(last_run_text(folder + "/ci"),
                  R"("checkout":{"commit":"abc","dirty":false,"from":"GITHUB_SHA"})"));
}

}  // namespace
}  // namespace gradproof
