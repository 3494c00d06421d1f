// SPDX-License-Identifier: Apache-2.0
// `gradproof audit` with several workers prints what it prints with one.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

std::string without_seconds(const std::string& text) {
  return std::regex_replace(text, std::regex("seconds=[0-9.]+"), "seconds=");
}

/// Records stand in the order in which Cases were done, which several workers do not share.
std::string sorted_records(const std::string& folder) {
  std::istringstream lines(last_run_text(folder));
  std::vector<std::string> records;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("{\"schema_version\"")) records.push_back(line + "\n");
  std::sort(records.begin(), records.end());
  return std::accumulate(records.begin(), records.end(), std::string());
}

std::string of_no_run(const std::string& text) {
  return std::regex_replace(text, std::regex("run [0-9].*"), "run");
}

/// The text without the lines that stand in the order in which Cases end.
std::string of_no_order(const std::string& text) {
  return std::regex_replace(text, std::regex("(wrong|FAILED)  .*\n(  .*\n)*"), "");
}

std::string result_without_seconds(const std::string& text) {
  return std::regex_replace(text, std::regex("\"seconds\":[0-9.]+\\}\\}"), "\"seconds\":#}}");
}

/// The text that an audit shows: exit code and both outputs.
std::string shown_by(const std::string& arguments, int workers, const std::string& name) {
  const Finished done =
      gradproof_with_fake("audit " + arguments + " --workers " + std::to_string(workers),
                          "pool-" + name + "-" + std::to_string(workers));
  return std::to_string(done.code) + "\n" + without_seconds(result_without_seconds(done.out)) +
         of_no_order(done.err);
}

/// Everything that an audit leaves: its records too.
std::string all_of(const std::string& arguments, int workers, const std::string& name) {
  const std::string folder = scratch_directory("pool-records") + "/run";
  const std::string shown = shown_by(arguments + " --records " + folder, workers, name);
  return shown + sorted_records(folder) + without_seconds(of_no_run(report_page_of(folder)));
}

/// The first Case ends last, the largest comes late, and one of each kind of trouble is among them.
const std::string kCases =
    "'sample behave=slow' sample 'sample behave=fail seed=2' 'sample behave=kernel_crash' plain "
    "'sample rows=50 behave=mistrust' 'sample behave=skip' 'sample behave=crash' 'plain rows=90' "
    "'sample behave=garbage' 'sample behave=usage' 'sample behave=nothing' 'sample seed=9' ";

TEST(SeveralWorkers, PrintWhatOnePrints) {
  for (const std::string more : {"", "--verbose", "--json"}) {
    const std::string one = all_of(kCases + more, 1, "all" + more);
    EXPECT_TRUE(has(one, "Crashed SIGABRT in 'sample behave=crash'")) << one;
    EXPECT_EQ(all_of(kCases + more, 3, "all" + more), one) << more;
  }
  // The control: another order prints another text.
  EXPECT_NE(all_of("sample plain --json", 3, "order"), all_of("plain sample --json", 3, "order"));
}

TEST(SeveralWorkers, ADeadWorkerOrAHungOneCostsItsCaseOnly) {
  const Finished done = gradproof_with_fake(
      "audit sample 'sample behave=hang' 'sample behave=crash seed=2' 'sample seed=3' 'sample "
      "seed=4' --workers 2 --deadline 0.5",
      "pool-lost");
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(has(done.err, "TimedOut no answer in 0.5")) << done.err;
  EXPECT_TRUE(has(done.err, "Crashed SIGABRT in 'sample behave=crash seed=2'")) << done.err;
  EXPECT_TRUE(has(done.out, "RESULT rows=5 certified=3 wrong=0 inconclusive=2 ")) << done.out;
}

/// Runs two Cases that each wait for the other.
Finished meeting(const std::string& options, const std::string& name) {
  const std::string folder = scratch_directory("meeting-" + name);
  return shell("FAKE_MEETING=" + folder + " " + front() +
                   " audit 'sample behave=meet' 'sample behave=meet seed=2' --worker " +
                   fake_worker() + " " + options,
               "pool-meeting-" + name);
}

TEST(SeveralWorkers, AreThereAtOnce) {
  EXPECT_EQ(meeting("--workers 2", "two").code, 0);
  // The first Case then waits in vain; its note is still there, though, when the second comes.
  const Finished alone = meeting("--workers 1 --deadline 0.5", "one");
  EXPECT_EQ(alone.code, 3);
  EXPECT_TRUE(has(alone.err, "TimedOut")) << alone.err;
  EXPECT_TRUE(has(alone.err, "in 'sample behave=meet'")) << alone.err;
}

/// The number of starts of a worker that takes seconds to start.
std::size_t starts_for(const std::string& cases, const std::string& name) {
  const std::string folder = scratch_directory("pool-starts-" + name);
  std::ofstream(folder + "/worker") << "#!/bin/sh\necho start >> " << folder
                                    << "/starts\nsleep 2\nexec " << fake_worker() << "\n";
  std::filesystem::permissions(folder + "/worker", std::filesystem::perms::owner_all);
  std::filesystem::create_directory(folder + "/meeting");
  const Finished done = shell("FAKE_MEETING=" + folder + "/meeting " + front() + " audit " + cases +
                                  " --workers 2 --worker " + folder + "/worker",
                              "pool-starts-run-" + name);
  EXPECT_EQ(done.code, 0) << done.err;
  std::ifstream starts(folder + "/starts");
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(starts), {}, '\n'));
}

TEST(SeveralWorkers, StartWhereCasesStillWaitAfterAsLong) {
  EXPECT_EQ(starts_for("sample 'sample seed=2' plain", "few"), 1u);
  EXPECT_EQ(starts_for("'sample behave=meet' 'sample behave=meet seed=2'", "meeting"), 2u);
}

TEST(SeveralWorkers, TakeNoMoreMemoryThanThereIs) {
  // A Case of the fake worker takes 1500 bytes.
  EXPECT_EQ(meeting("--workers 2 --memory 2.9e-6", "room").code, 0);
  const Finished small = meeting("--workers 2 --memory 2.7e-6 --deadline 0.5", "no-room");
  EXPECT_EQ(small.code, 3);
  EXPECT_TRUE(has(small.err, "TimedOut")) << small.err;
}

TEST(SeveralWorkers, FailFastEndsWhatIsBehindTheFirstWrongCase) {
  const std::string cases =
      "'sample behave=slow' 'sample behave=fail' 'sample behave=fail seed=2' 'sample behave=hang "
      "rows=70' plain ";
  const std::string fast = shown_by(cases + "--fail-fast", 1, "fast");
  EXPECT_TRUE(has(fast, "3 of 5 cases did not run")) << fast;
  EXPECT_TRUE(has(fast, "RESULT rows=5 certified=4 wrong=1 ")) << fast;
  EXPECT_EQ(shown_by(cases + "--fail-fast", 3, "fast"), fast);
  // The control: without --fail-fast the hung Case is reported.
  EXPECT_TRUE(has(shown_by(cases + "--deadline 1", 3, "slow"), "TimedOut"));
}

// The second worker has done `sample` when the third Case comes to the meeting; the first hangs.
TEST(SeveralWorkers, CtrlCPrintsWhatIsDoneBehindACaseThatIsNot) {
  const std::string folder = scratch_directory("meeting-interrupt");
  const Finished done =
      shell("FAKE_MEETING=" + folder + " " + front() +
                " audit 'sample behave=hang rows=50' sample 'sample behave=meet seed=2' --workers 2"
                " --worker " +
                fake_worker() + " & pid=$!; until test -e " + folder +
                "/2; do sleep 0.02; done; kill -INT $pid; wait $pid",
            "pool-interrupt");
  EXPECT_EQ(done.code, 4) << done.err;
  EXPECT_TRUE(has(done.out, "incomplete: 2 of 3 cases did not run")) << done.out;
  EXPECT_TRUE(has(done.out, "RESULT rows=1 certified=1 ")) << done.out;
}

// The worker starts once only.
TEST(SeveralWorkers, OneThatDoesNotStartIsInfrastructure) {
  const std::string folder = scratch_directory("pool-once");
  std::ofstream(folder + "/worker")
      << "#!/bin/sh\nmkdir " << folder << "/once 2>/dev/null || exit 7\n"
      << "exec " << fake_worker() << "\n";
  std::filesystem::permissions(folder + "/worker", std::filesystem::perms::owner_all);
  std::filesystem::create_directory(folder + "/meeting");
  const Finished done =
      shell("FAKE_MEETING=" + folder + "/meeting " + front() +
                " audit 'sample behave=meet' 'sample behave=meet seed=2' --workers 2 --deadline 1"
                " --worker " +
                folder + "/worker",
            "pool-once-run");
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(has(done.err, "did not say hello: exit code 7")) << done.err;
}

}  // namespace
}  // namespace gradproof
