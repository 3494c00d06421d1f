// SPDX-License-Identifier: Apache-2.0
// Workers that do not start, and the verbs that only show.
#include <regex>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

/// `check sample` with a worker that starts as FAKE_WORKER says.
Finished start(const std::string& how) {
  return shell("FAKE_WORKER=" + how + " " + front() + " check sample --deadline 0.5 --worker " +
                   fake_worker(),
               "start-" + how);
}

TEST(Worker, ThatDoesNotStartIsInfrastructure) {
  const Finished absent = shell(front() + " check sample --worker /nonexistent", "absent");
  EXPECT_EQ(absent.code, 3);
  EXPECT_TRUE(has(absent.err, "cannot start '/nonexistent': No such file")) << absent.err;
  EXPECT_EQ(start("exit").code, 3);
  EXPECT_TRUE(has(start("exit").err, "exit code 7"));
  EXPECT_EQ(start("broken").code, 3);
  EXPECT_EQ(start("garbage").code, 3);
  EXPECT_TRUE(has(start("garbage").err, "hello there"));
  EXPECT_EQ(start("silent").code, 3);
  EXPECT_TRUE(has(start("silent").err, "silence"));
}

TEST(Worker, WhoseOwnKernelIsNoneIsAnErrorOfTheUsers) {
  const Finished done = start("refused");
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "gradproof: worker '" + fake_worker() + "': there is no such kernel\n");
}

TEST(Worker, OfAnotherVersionIsReported) {
  const Finished done = start("old");
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(has(done.err, "the worker speaks protocol 0, this program 9")) << done.err;
}

TEST(Worker, StartedByHandWithoutAFrontSaysSo) {
  const Finished done = shell("exec 3<&- 4>&-; " + fake_worker(), "alone");
  EXPECT_NE(done.code, 0);
}

TEST(List, ShowsKeysDefaultsAndChoices) {
  const Finished done = gradproof_with_fake("list sample", "list-one");
  EXPECT_EQ(done.code, 0);
  EXPECT_FALSE(has(done.out, "plain")) << done.out;
  for (const std::string part : {"sample ", "rows", "0..", "train eval", "a number none",
                                 "refused: rows=1 cannot train", "judged: y d_x"})
    EXPECT_TRUE(has(done.out, part)) << part;
}

// The schema has two rules that end in these words, and one that does not.
TEST(List, PrintsEachRefusalOnce) {
  const std::string text = gradproof_with_fake("list sample", "list-refusals").out;
  const std::string refusal = "  refused: rows=1 cannot train\n";
  const std::size_t first = text.find(refusal);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find(refusal, first + 1), std::string::npos) << text;
  EXPECT_TRUE(has(text, "  refused: two rows cannot exit\n")) << text;
}

TEST(List, IsATableOfSystems) {
  const Finished done = gradproof_with_fake("list", "list");
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(
      std::regex_search(done.out, std::regex("sample +f32 +train eval\n +computes +a kernel "
                                             ".*\n +contract +two-pass, made up\n")))
      << done.out;
  EXPECT_TRUE(std::regex_search(done.out, std::regex("plain +f32 f16 +any\n"))) << done.out;
}

TEST(Replay, PrintsTheDigestOfTheBits) {
  const Finished one = gradproof_with_fake("replay 'sample seed=3'", "replay-one");
  const Finished two = gradproof_with_fake("replay 'sample seed=4'", "replay-two");
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(has(one.out, "bits    0000000000000013  d_x"));
  EXPECT_FALSE(has(two.out, "bits    0000000000000013  d_x"));
  EXPECT_EQ(gradproof_with_fake("replay 'sample behave=fail'", "replay-fail").code, 1);
}

// Three rows come 0.4 s apart under a deadline of 1 s; another row is printed before a hang.
TEST(Bench, PrintsEachRowAsItComes) {
  const Finished done = gradproof_with_fake("bench oracle --deadline 1", "bench");
  EXPECT_EQ(done.code, 5) << done.err;
  EXPECT_EQ(done.out,
            "{\"verb\":\"bench\",\"name\":\"oracle\",\"parts\":[]}\nrow 1\nrow 2\nrow 3\n");
  const Finished hang = gradproof_with_fake("bench kernels --deadline 1", "bench-hang");
  EXPECT_EQ(hang.code, 3);
  EXPECT_EQ(hang.out, "a row\n");
  EXPECT_TRUE(has(hang.err, "TimedOut no answer in 1 s")) << hang.err;
}

TEST(Relay, PrintsTheWorkersLinesAndTakesItsExitCode) {
  const Finished calibrate =
      gradproof_with_fake("calibrate fair --cases 7 --kernel a --kernel b", "calibrate");
  EXPECT_EQ(calibrate.code, 5) << calibrate.err;
  EXPECT_EQ(calibrate.out,
            R"({"verb":"calibrate","name":"fair","cases":7,"seed":1,"kernels":["a","b"],)"
            R"("suite":"","json":false,"sizes":[]})"
            "\na\nb\n");
  const Finished explain = gradproof_with_fake("explain 'sample rows=3' 'd_x[1,2]'", "explain");
  EXPECT_EQ(explain.code, 5) << explain.err;
  EXPECT_EQ(explain.out, R"({"verb":"explain","case":"sample rows=3","element":"d_x[1,2]",)"
                         R"("json":false,"replay":")" +
                             front() + " replay 'sample rows=3' --worker " + fake_worker() +
                             "\"}\n");
  const Finished every =
      gradproof_with_fake("exhaustive a b --dtype f16 --part 3/16 --json", "exhaustive");
  EXPECT_EQ(every.out,
            R"({"verb":"exhaustive","kernels":["a","b"],"dtype":"f16","part":"3/16","json":true})"
            "\n")
      << every.err;
}

// Four lines come 0.4 s apart under a deadline of 1 s, which each renews. The control is silent.
TEST(Relay, ALineRenewsTheDeadline) {
  const Finished talks =
      gradproof_with_fake("calibrate fair --deadline 1 --kernel a --kernel b --kernel c", "talks");
  EXPECT_EQ(talks.code, 5) << talks.err;
  const Finished silent =
      gradproof_with_fake("explain 'sample behave=hang' --deadline 1", "relay-hang");
  EXPECT_EQ(silent.code, 1);
  EXPECT_TRUE(has(silent.out, "TIMED OUT  sample execution  no answer in 1 s")) << silent.out;
}

// A Case whose worker dies over it gets the verdict of check. Where check judges the Case, the verb
// alone is at fault.
TEST(Relay, ACaseThatTakesItsWorkerDownIsCrashed) {
  for (const std::string verb :
       {"explain 'sample behave=crash'", "audit 'sample behave=crash' --column 'x[0,0]'"}) {
    const Finished crash = gradproof_with_fake(verb, "relay-crash");
    EXPECT_EQ(crash.code, 1) << verb;
    EXPECT_TRUE(has(crash.out, "CRASHED  sample execution  SIGABRT")) << crash.out;
    EXPECT_TRUE(has(crash.out, "gradproof replay 'sample behave=crash' ")) << crash.out;
    EXPECT_TRUE(has(crash.out, "\nRESULT incomplete=1 ")) << crash.out;
  }
  const Finished json = gradproof_with_fake("explain 'sample behave=crash' --json", "relay-json");
  EXPECT_EQ(json.code, 1);
  EXPECT_TRUE(has(json.out, R"("verdict":"Crashed","reason":"SIGABRT")")) << json.out;
  const Finished babble = gradproof_with_fake("explain 'sample behave=garbage'", "relay-babble");
  EXPECT_EQ(babble.code, 3);
  EXPECT_TRUE(has(babble.err, "InstrumentBroken")) << babble.err;
}

TEST(Relay, AVerbThatDiesOverACaseThatPassesIsInfrastructure) {
  const std::string folder = scratch_directory("relay-once");
  const Finished done = shell("export FAKE_MEETING=" + folder + "; " + front() +
                                  " explain 'sample behave=crash_once' --worker " + fake_worker(),
                              "relay-once-run");
  EXPECT_EQ(done.code, 3) << done.out;
  EXPECT_TRUE(has(done.err, "explain: Crashed SIGABRT; alone none of these does it")) << done.err;
}

TEST(Doctor, SaysWhatIsThereAndWhatToDo) {
  const Finished done = gradproof_with_fake("doctor", "doctor");
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(has(done.out, "ok       worker"));
  EXPECT_TRUE(has(done.out, "missing  LibTorch     none"));
  EXPECT_TRUE(has(done.out, "-> install it"));
  const Finished none = shell(front() + " doctor --worker /nonexistent", "doctor-none");
  EXPECT_EQ(none.code, 3);
  EXPECT_TRUE(has(none.out, "missing  worker"));
}

// A copy of the program that lies in no build tree is an installed one.
TEST(Doctor, OfAnInstalledProgramMissesNoCompiler) {
  EXPECT_TRUE(has(gradproof_with_fake("doctor", "doctor-built").out, " cmake ")) << "the control";
  const std::string folder = scratch_directory("doctor-installed");
  const Finished done =
      shell("mkdir " + folder + "/bin; cp " + front() + " " + folder + "/bin; PATH=/nowhere " +
                folder + "/bin/gradproof doctor --worker " + fake_worker(),
            "doctor-installed-run");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "ok       compiler     not needed")) << done.out;
  for (const std::string program : {"cmake", "c++", "nvcc"})
    EXPECT_FALSE(has(done.out, program)) << done.out;
}

// The Case has another arithmetic: within the bound, so nothing is wrong, but less accurate.
TEST(Baseline, RegressionAloneIsExitCode5) {
  const std::string folder = scratch_directory("baseline-rough");
  const std::string check = front() + " check sample --worker " + fake_worker() + " --records ";
  ASSERT_EQ(shell(check + folder + "/1", "rough-1").code, 0);
  ASSERT_EQ(shell("FAKE_WORKER=rough " + check + folder + "/2", "rough-2").code, 0);
  const std::string file = folder + "/b.baseline";
  ASSERT_EQ(shell(front() + " baseline update " + file + " --from " + folder + "/1 --reason r",
                  "rough-update")
                .code,
            0);
  EXPECT_EQ(shell(front() + " report " + folder + "/1 --against " + file, "rough-same").code, 0);
  const Finished worse = shell(front() + " report " + folder + "/2 --against " + file, "rough-5");
  EXPECT_EQ(worse.code, 5);
  EXPECT_TRUE(has(worse.out,
                  "regressed  f32    d_x     rms     0.12    0.88  7      2.2     near the bound"))
      << worse.out;
}

TEST(Baseline, FromRunToRegressionReport) {
  const std::string folder = scratch_directory("baseline-whole");
  const std::string run = folder + "/run";
  const std::string file = folder + "/b.baseline";
  ASSERT_EQ(gradproof_with_fake("check sample --records " + run, "baseline-run").code, 0);
  const std::string update = front() + " baseline update " + file + " --from " + run;
  ASSERT_EQ(shell(update + " --reason first", "baseline-update").code, 0);
  const std::string against = front() + " report " + run + " --against " + file;
  EXPECT_EQ(shell(against, "baseline-same").code, 0);
  // One more case is new; a case that is gone is missing, which is no green light.
  ASSERT_EQ(
      gradproof_with_fake("check sample 'sample rows=4' --records " + run, "baseline-more").code,
      0);
  EXPECT_TRUE(has(shell(against, "baseline-new").out,
                  "0 regressed, 0 missing, 2 new, 0 improved, 2 unchanged"));
  ASSERT_EQ(gradproof_with_fake("check 'sample rows=4' --records " + run + "2", "baseline-2").code,
            0);
  const Finished gone = shell(front() + " report " + run + "2 --against " + file, "baseline-gone");
  EXPECT_EQ(gone.code, 4);
  EXPECT_TRUE(has(gone.out, "2 missing")) << gone.out;
  std::ofstream(file, std::ios::app) << "more\n";
  EXPECT_EQ(shell(against, "baseline-edited").code, 2);
}

}  // namespace
}  // namespace gradproof
