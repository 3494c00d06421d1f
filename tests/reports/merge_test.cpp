// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/merge.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/runs/sealed_line.h"
#include "tests/support/report_runs.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

const std::vector<std::string> kPlan{"a", "b", "c"};

/// The header of one of two shards of the plan.
RunHeader shard_header(int index, const std::vector<std::string>& cases) {
  RunHeader h = sample_header(kPlan);
  h.cases = cases;
  h.shards = {{index, 2}};
  return h;
}

/// Two shards, each in a folder of its own: a and c, b.
struct TwoShards {
  std::string one, two;
  explicit TwoShards(const std::string& name)
      : one(scratch_directory(name + "-1")), two(scratch_directory(name + "-2")) {
    write_run(one, shard_header(1, {"a", "c"}),
              {{of_case("c", "y", "3")}, {of_case("a", "y", "1")}});
    write_run(two, shard_header(2, {"b"}), {{of_case("b", "y", "2"), of_case("b", "d_x", "2")}});
  }
};

std::string merged_text(const std::vector<std::string>& folders) {
  return merge_runs(folders).at(0).text;
}

TEST(Merge, ShardsBecomeTheWholeRun) {
  const TwoShards shards("merge-whole");
  const StoredRun run = merge_runs({shards.one, shards.two}).at(0).run;
  EXPECT_EQ(incompleteness(run), "");
  EXPECT_EQ(run.header.cases, kPlan);
  EXPECT_TRUE(run.header.shards.empty());
  EXPECT_EQ(run.header.merges.size(), 2u);
  EXPECT_EQ(run.end->how, "complete");
  EXPECT_EQ(records_of(run).records.size(), 4u);
}

TEST(Merge, NeitherOrderNorRepetitionNorStepsMatter) {
  const TwoShards shards("merge-pure");
  const std::string text = merged_text({shards.one, shards.two});
  EXPECT_EQ(merged_text({shards.two, shards.one}), text) << "commutative";
  EXPECT_EQ(merged_text({shards.one, shards.two, shards.one}), text) << "idempotent";
  const std::string half = scratch_directory("merge-pure-half");
  const std::string all = scratch_directory("merge-pure-all");
  write_merged(merge_runs({shards.two}).at(0), half);
  EXPECT_EQ(merged_text({half, shards.one}), text) << "associative";
  write_merged(merge_runs({shards.one, shards.two}).at(0), all);
  EXPECT_EQ(merged_text({all}), text) << "merged twice";
  EXPECT_EQ(merged_text({all, half, shards.two}), text);
  write_merged(merge_runs({shards.two, shards.one}).at(0), all);  // again: nothing changes
  EXPECT_EQ(file_text(run_path(all, run_ids(all).at(0))), text);
  EXPECT_NE(merged_text({shards.one}), text) << "the control";
}

TEST(Merge, WhatIsMissingIsNamed) {
  const TwoShards shards("merge-missing");
  const StoredRun run = merge_runs({shards.one}).at(0).run;
  EXPECT_EQ(incompleteness(run),
            "1 of 3 cases were not run to their end; shards without a run: 2/2");
  EXPECT_EQ(run.end->how, "incomplete");
  EXPECT_EQ(run.end->code, 4);
  const std::string begun = scratch_directory("merge-missing-begun");
  write_run(begun, shard_header(2, {"b"}), {});
  EXPECT_EQ(incompleteness(merge_runs({shards.one, begun}).at(0).run),
            "1 of 3 cases were not run to their end; the first is 'b'");
}

TEST(Merge, TwoAnswersForOneTensorAreNondeterministic) {
  const TwoShards shards("merge-differ");
  const std::string again = scratch_directory("merge-differ-again");
  write_run(again, shard_header(2, {"b"}), {{of_case("b", "y", "2"), of_case("b", "d_x", "9")}});
  const MergedRun merged = merge_runs({shards.one, shards.two, again}).at(0);
  const std::vector<Record> records = records_of(merged.run).records;
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[1].verdict.outcome, Outcome::passed) << "the other tensor";
  EXPECT_EQ(records[2].verdict.outcome, Outcome::nondeterministic);
  EXPECT_EQ(records[2].verdict.reason, "runs of it differ: Passed with bits 2; Passed with bits 9");
  EXPECT_EQ(merged.run.end->code, 1);
  const std::string kept = scratch_directory("merge-differ-kept");
  write_merged(merged, kept);
  EXPECT_EQ(merged_text({again, kept}), merged.text) << "both answers stay";
  EXPECT_EQ(records_of(last_run(kept, Measured::comparison).value()).records[2].verdict.outcome,
            Outcome::nondeterministic);
}

TEST(Merge, SaysOfWhatCommitItIs) {
  const TwoShards shards("merge-commit");
  const auto commit_with = [&](const std::string& commit) {
    RunHeader header = shard_header(2, {"b"});
    header.checkout = {commit, false, "git"};
    const std::string folder = scratch_directory("merge-commit-" + commit);
    write_run(folder, header, {});
    return folder;
  };
  const auto said = [](const std::vector<std::string>& folders) {
    return merge_runs(folders).at(0).run.header.checkout.commit;
  };
  const std::string a = commit_with("a"), b = commit_with("b");
  EXPECT_EQ(said({shards.one}), "");
  EXPECT_EQ(said({shards.one, a}), "a");
  EXPECT_EQ(said({a, shards.one, a}), "a");
  EXPECT_EQ(said({a, b}), "several");
  EXPECT_EQ(merged_text({a, shards.one, b}), merged_text({b, a, shards.one}));
}

TEST(Merge, OtherTimesAreTheSameAnswer) {
  const TwoShards shards("merge-times");
  const std::string again = scratch_directory("merge-times-again");
  Record later = of_case("b", "y", "2");
  later.seconds += 1;
  write_run(again, shard_header(2, {"b"}), {{later, of_case("b", "d_x", "2")}});
  EXPECT_EQ(merge_runs({shards.one, shards.two, again}).at(0).run.end->code, 0);
  EXPECT_EQ(merged_text({shards.one, shards.two, again}),
            merged_text({again, shards.one, shards.two}));
}

// A machine that failed says nothing against the kernel once another one has judged the Case.
TEST(Merge, ABrokenInstrumentGivesWay) {
  const TwoShards shards("merge-broken");
  const std::string broken = scratch_directory("merge-broken-first");
  Record lost = of_case("b", "execution", "");
  lost.verdict = {Outcome::instrument_broken, "no memory"};
  write_run(broken, shard_header(2, {"b"}), {{lost}});
  EXPECT_EQ(merge_runs({shards.one, broken}).at(0).run.end->code, 3);
  EXPECT_EQ(merge_runs({shards.one, broken, shards.two}).at(0).run.end->code, 0);
  EXPECT_EQ(merged_text({broken, shards.two, shards.one}),
            merged_text({shards.one, shards.two, broken}));
}

TEST(Merge, OtherRunsAreRefused) {
  const TwoShards shards("merge-other");
  const auto refusal = [&](const RunHeader& header) -> std::string {
    const std::string folder = scratch_directory("merge-other-run");
    write_run(folder, header, {});
    try {
      merge_runs({shards.one, folder});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(refusal(shard_header(2, {"b"})), "") << "the control";
  EXPECT_TRUE(has(refusal(sample_header({"a"})), "do not belong together: plan '"));
  RunHeader other = shard_header(2, {"b"});
  other.context.toolkit = "another";
  EXPECT_TRUE(has(refusal(other), "context 'cpu, executor sm_90, g++ 12.2 -O2, 0.1.0' and 'cpu, "));
  other = shard_header(2, {"b"});
  other.worker = "fedcba9876543210";
  EXPECT_TRUE(has(refusal(other), "worker '"));
  other = shard_header(2, {"b"});
  other.options = {"--digits 33"};
  EXPECT_TRUE(has(refusal(other), "options none and '--digits 33'"));
  EXPECT_THROW(merge_runs({scratch_directory("merge-other-none")}), UsageError);
}

TEST(Merge, CheckAndAuditAreTwoRuns) {
  const TwoShards shards("merge-kinds");
  const std::string audit = scratch_directory("merge-kinds-audit");
  write_run(audit, sample_header({"a"}, Measured::differences), {});
  EXPECT_EQ(merge_runs({shards.one, shards.two, audit}).size(), 2u);
}

TEST(Merge, AnotherTextUnderItsNameIsAnError) {
  const TwoShards shards("merge-taken");
  const std::string into = scratch_directory("merge-taken-into");
  const MergedRun merged = merge_runs({shards.one}).at(0);
  write_text(run_path(into, merged.run.header.id), "mine\n");
  EXPECT_THROW(write_merged(merged, into), InstrumentError);
}

}  // namespace
}  // namespace gradproof
