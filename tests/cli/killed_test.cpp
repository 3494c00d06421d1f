// SPDX-License-Identifier: Apache-2.0
// A worker that a signal ends: the kernel is blamed at once where its own instructions raise it,
// and where it came from outside (the way memory runs out) only when it comes again to a fresh
// worker.
#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

/// A verb, with an empty folder where Cases leave that they were there.
Finished with_memory(const std::string& arguments, const std::string& name) {
  const std::string folder = scratch_directory("killed-" + name);
  return shell(
      "FAKE_MEETING=" + folder + " " + front() + " " + arguments + " --worker " + fake_worker(),
      "killed-run-" + name);
}

TEST(Killed, OnceIsNoWordAgainstTheKernel) {
  for (const std::string how : {"killed_once", "terminated_once"}) {
    const std::string line = "'sample behave=" + how + "'";
    const Finished done = with_memory("check " + line, how);
    EXPECT_EQ(done.code, 0) << done.out;
    EXPECT_EQ(done.err,
              "gradproof: a worker was killed from outside, or for want of memory, over " + line +
                  "; asked again, alone\n");
    EXPECT_TRUE(has(done.out, "RESULT passed=2 failed=0 ")) << done.out;
    const Finished replay = with_memory("replay " + line, "replay-" + how);
    EXPECT_EQ(replay.code, 0) << replay.out;
    EXPECT_TRUE(has(replay.err, "asked again, alone")) << replay.err;
  }
}

TEST(Killed, TwiceIsACrashThatIsNotShrunk) {
  const Finished done = with_memory("check 'sample rows=50 behave=killed' sample", "twice");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out,
                  "CRASHED  sample execution: SIGKILL from outside, twice; nothing says that it "
                  "was memory\n"))
      << done.out;
  EXPECT_FALSE(has(done.out, "shrunk")) << done.out;
  EXPECT_TRUE(has(done.out, "RESULT passed=2 failed=1 ")) << done.out;
}

// The control: what the kernel's own instructions raise is its fault at once, and is shrunk.
TEST(Killed, ACrashOfItsOwnIsBlamedAtOnce) {
  const Finished done = with_memory("check 'sample rows=50 behave=crash'", "crash");
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(has(done.out, "CRASHED  sample execution: SIGABRT\n")) << done.out;
  EXPECT_TRUE(has(done.out, "sample rows=0 cols=1 behave=crash")) << done.out;
}

TEST(Killed, WhatDoesNotComeAgainIsNotShrunk) {
  const Finished done = with_memory("check 'sample rows=50 behave=crash_once'", "once-crash");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(done.out, "CRASHED  sample execution: SIGABRT\n")) << done.out;
  EXPECT_TRUE(has(done.out, "not shrunk (execution passed when asked again):\n  " + front()))
      << done.out;
}

TEST(Killed, AnAuditAsksAgainBeforeItBlamesTheKernel) {
  for (const std::string how : {"killed_once", "kernel_killed_once"}) {
    const Finished done =
        with_memory("audit sample 'sample behave=" + how + "' plain", "audit-" + how);
    EXPECT_EQ(done.code, 0) << done.out << done.err;
    EXPECT_TRUE(has(done.err, "asked again, alone")) << done.err;
    EXPECT_TRUE(has(done.out, "RESULT rows=3 certified=3 ")) << done.out;
  }
  const Finished twice = with_memory("audit 'sample behave=kernel_killed'", "audit-twice");
  EXPECT_EQ(twice.code, 1) << twice.err;
  EXPECT_TRUE(has(twice.out, "kernel: Crashed SIGKILL from outside")) << twice.out;
}

// Lost evidence is said wherever one looks: text, RESULT, exit code, records, report.
TEST(Killed, AnAuditSaysWhatIsMissing) {
  const std::string folder = scratch_directory("killed-audit-records");
  const std::string cases = "audit sample 'sample behave=killed' 'sample seed=2' 'sample seed=3' ";
  const Finished done = with_memory(cases + "--records " + folder, "audit-missing");
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(has(done.out, "Crashed SIGKILL from outside")) << done.out;
  EXPECT_TRUE(has(done.out, "RESULT rows=4 certified=3 wrong=0 inconclusive=1 ")) << done.out;
  const Finished report = shell(front() + " report " + folder, "killed-report");
  EXPECT_TRUE(has(report.out, "sample behave=killed\n")) << report.out;
  EXPECT_TRUE(has(report.out, "RESULT rows=4 certified=3 wrong=0 inconclusive=1 ")) << report.out;
  EXPECT_TRUE(has(report_page_of(folder), "Crashed SIGKILL")) << "and the page";
}

}  // namespace
}  // namespace gradproof
