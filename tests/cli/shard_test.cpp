// SPDX-License-Identifier: Apache-2.0
// A plan judged in shards, by plain shell, is what it is judged at once.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/run_support.h"

namespace gradproof {
namespace {

/// A plan of ten Cases, and a folder of records for each of its four shards.
class Shards : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = scratch_directory("shards-" + GetParam());
    const std::string cases = case_file(folder_, 9);
    std::ofstream(cases, std::ios::app) << "plain rows=90\n";
    ASSERT_EQ(run("$G plan --cases " + cases + " --kind " + GetParam() + " $W >plan.jsonl").code,
              0);
    ASSERT_EQ(run("for i in 1 2 3 4; do $V --shard $i/4 --records s$i $W & done; wait").code, 0);
  }

  /// In the folder; $G is the program, $V judges the plan and $W names the worker.
  Finished run(const std::string& command) const {
    return shell("cd " + folder_ + "; G=" + front() + "; V=\"$G " + GetParam() +
                     " --plan plan.jsonl\"; W=\"--worker " + fake_worker() + "\"; " + command,
                 "shards-run");
  }
  std::string merged(const std::string& name) const {
    return timeless(last_run_text(folder_ + "/" + name));
  }

  std::string folder_;
};

INSTANTIATE_TEST_SUITE_P(Verbs, Shards, testing::Values("check", "audit"),
                         [](const auto& verb) { return std::string(verb.param); });

TEST_P(Shards, MergedAreTheUnshardedRunByteForByte) {
  ASSERT_EQ(run("$V --records whole $W && $G merge whole --into one").code, 0);
  const Finished done = run("$G merge s1 s2 s3 s4 --into four");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(merged("four"), merged("one"));
  EXPECT_EQ(count_of(merged("four"), R"("case":)"), GetParam() == "check" ? 20u : 10u);
  EXPECT_EQ(all_records(folder_ + "/four"), all_records(folder_ + "/whole"));
  EXPECT_EQ(run("COLUMNS=1000 $G report four").code, 0);
  EXPECT_EQ(timeless(run("COLUMNS=1000 $G report four | grep -v ^note").out),
            timeless(run("COLUMNS=1000 $G report one | grep -v ^note").out));
  ASSERT_EQ(run("$G merge s4 s2 s2 s3 s1 four --into again").code, 0);
  EXPECT_EQ(last_run_text(folder_ + "/again"), last_run_text(folder_ + "/four")) << "and its times";
  ASSERT_EQ(run("$G merge s1 s2 s3 s4 --into four").code, 0);
  EXPECT_EQ(run_ids(folder_ + "/four").size(), 1u);
}

TEST_P(Shards, OneThatIsMissingIsIncomplete) {
  const Finished done = run("$G merge s1 s2 s4 --into three");
  EXPECT_EQ(done.code, 4);
  EXPECT_TRUE(has(done.out, "of 10 cases were not run to their end; shards without a run: 3/4"))
      << done.out;
  EXPECT_EQ(run("COLUMNS=1000 $G report three").code, 4);
  EXPECT_EQ(run("COLUMNS=1000 $G report s1").code, 4) << "a shard is not the run";
  // The way out: what is missing, as the plan's own run.
  EXPECT_EQ(run("$V --records three --resume $W").code, 0);
  EXPECT_EQ(run("COLUMNS=1000 $G report three").code, 0);
}

TEST_P(Shards, OneThatWasCutIsResumed) {
  const std::string path = run_files(folder_ + "/s2").at(0);
  const std::string text = text_of(path);
  std::filesystem::resize_file(path, text.find('\n') + 400);  // in its first Record
  const Finished cut = run("$G merge s1 s2 s3 s4 --into cut");
  EXPECT_EQ(cut.code, 4);
  EXPECT_TRUE(has(cut.out, "cases were not run to their end; the first is '")) << cut.out;
  EXPECT_TRUE(has(cut.out, "the last line is incomplete")) << cut.out;
  EXPECT_EQ(run("$V --shard 2/4 --records s2 --resume $W").code, 0);
  EXPECT_EQ(run("$G merge s1 s2 s3 s4 --into whole").code, 0);
}

TEST_P(Shards, AChangedAnswerIsNondeterministic) {
  const std::string path = run_files(folder_ + "/s1").at(0);
  std::istringstream lines(text_of(path));
  std::string changed;
  const bool check = GetParam() == "check";
  for (std::string line; std::getline(lines, line);)
    changed += resealed(line, check ? R"("digest":"0)" : R"("verdict":"certified")",
                        check ? R"("digest":"1)" : R"("verdict":"inconclusive")") +
               "\n";
  ASSERT_EQ(run("mkdir other; cp s1/*.jsonl other; $G merge s1 other s2 s3 s4 --into same").code, 0)
      << "the control";
  std::ofstream(folder_ + "/other/" + std::filesystem::path(path).filename().string()) << changed;
  const Finished done = run("$G merge s1 other s2 s3 s4 --into differ");
  EXPECT_EQ(done.code, 1) << done.out;
  EXPECT_TRUE(has(done.out, "NONDETERMINISTIC")) << done.out;
  EXPECT_TRUE(has(done.out, "runs of it differ: ")) << done.out;
}

TEST_P(Shards, OfAnotherPlanAreRefused) {
  ASSERT_EQ(run("$G " + GetParam() + " sample --records other $W").code, 0);
  const Finished done = run("$G merge s1 other --into none");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "do not belong together: plan '")) << done.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/none"));
  const std::string verb = GetParam() == "check" ? "audit" : "check";
  const Finished kind = run("$G " + verb + " --plan plan.jsonl $W");
  EXPECT_EQ(kind.code, 2);
  EXPECT_TRUE(has(kind.err, "'plan.jsonl' is a plan for " + GetParam() + ", not for " + verb));
}

// More shards than Cases: those that have none have nothing to say against anybody.
TEST_P(Shards, MayBeEmpty) {
  const Finished empty = run("$V --shard 12/12 --records empty $W");
  EXPECT_EQ(empty.code, 0) << empty.out;
  EXPECT_EQ(run("$G merge s1 s2 s3 s4 empty --into whole").code, 0);
}

}  // namespace
}  // namespace gradproof
