// SPDX-License-Identifier: Apache-2.0
// exhaustive, calibrate and search as plans of cells: what shards find gives, merged, the lines and
// the exit code of the verb itself.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/runs/found_cell.h"
#include "tests/support/run_support.h"

namespace gradproof {
namespace {

/// The text without times, and without lines that say how far a run is.
std::string comparable(const std::string& text) {
  static const std::regex kFar(
      "[0-9]+ of [0-9]+ .*|.*: [0-9]+ cases|.*convictions so far|.*/[0-9]+ cells.*");
  static const std::regex kSeconds("seconds=[0-9.]+");
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);)
    if (!std::regex_match(line, kFar)) all += std::regex_replace(line, kSeconds, "") + "\n";
  return all;
}

Finished run(const std::string& arguments, const std::string& name = "cells") {
  return shell(front() + " " + arguments, name);
}

/// The verb's words before its options: `calibrate fair`, `exhaustive`.
std::string verb_of(const std::string& arguments) {
  const std::string verb = arguments.substr(0, arguments.find(' '));
  if (verb != "calibrate") return verb;
  return arguments.substr(0, arguments.find(' ', verb.size() + 1));
}

/// A plan of the verb in two shards, each into a folder of its own.
struct Shards {
  explicit Shards(const std::string& arguments)
      : folder(scratch_directory("cells")), plan(folder + "/plan.jsonl"), verb(verb_of(arguments)) {
    const Finished printed = run(arguments + " --print-plan");
    EXPECT_EQ(printed.code, 0) << printed.err;
    std::ofstream(plan) << printed.out;
  }

  Finished judge(int shard, const std::string& options = "") const {
    return run(fmt::format("{} --plan {} --shard {}/2 --records {}/{} {}", verb, plan, shard,
                           folder, shard, options));
  }
  Finished merge(const std::string& folders) const {
    std::istringstream names(folders);
    std::string all;
    for (std::string name; names >> name;) all += folder + "/" + name + " ";
    return run("merge " + all + "--into " + folder + "/all");
  }

  std::string folder;
  std::string plan;
  std::string verb;
};

class InCells : public testing::TestWithParam<const char*> {};

std::string name_of_test(const testing::TestParamInfo<const char*>& verb) {
  std::string name = verb.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

TEST_P(InCells, ShardsTogetherSayWhatTheVerbSays) {
  const std::string arguments = GetParam();
  const Finished whole = run(arguments, "cells-whole");
  const Shards shards(arguments);
  for (const int shard : {1, 2}) {
    const Finished one = shards.judge(shard);
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_TRUE(last_line_of(one.out).starts_with("RESULT cells=")) << one.out;
  }
  const Finished merged = shards.merge("1 2");
  EXPECT_EQ(merged.code, whole.code) << merged.err << merged.out;
  const std::size_t behind = merged.out.find('\n') + 1;  // the first line says what was merged
  EXPECT_EQ(comparable(merged.out.substr(behind)), comparable(whole.out));
  const std::string text = last_run_text(shards.folder + "/all");
  EXPECT_EQ(shards.merge("2 1 all").code, whole.code);
  EXPECT_EQ(last_run_text(shards.folder + "/all"), text)
      << "whatever their order, a merge included";
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, InCells,
    testing::Values("exhaustive swish_bias --dtype bf16",
                    "exhaustive swish_bias/swish_by_overflowing_exp --dtype bf16",
                    "calibrate fair --kernel swish_bias --kernel groupnorm --cases 41 --seed 3",
                    "calibrate audit --kernel swish_bias --cases 9",
                    "calibrate tight --kernel swish_bias --cases 2",
                    "calibrate power --kernel swish_bias --cases 2",
                    "calibrate laws --kernel swish_bias --cases 1", "calibrate sizes --sizes 64",
                    "search swish_bias groupnorm --dtype f32 --cases 9 --seed 5"),
    name_of_test);

const std::string kSmall = "calibrate fair --kernel swish_bias --cases 8";

TEST(Cells, AShardThatIsMissingIsSaid) {
  const Shards shards(kSmall);
  ASSERT_EQ(shards.judge(2).code, 0);
  const Finished merged = shards.merge("2");
  EXPECT_EQ(merged.code, 4);
  EXPECT_TRUE(has(merged.out, "incomplete: 4 of 8 cells were not run to their end")) << merged.out;
  EXPECT_TRUE(has(merged.out, "shards without a run: 1/2")) << merged.out;
  EXPECT_FALSE(has(merged.out, "RESULT"));
}

/// Takes the last two lines of the folder's run, as if it had been killed there.
void cut_last_run(const std::string& folder) {
  std::string text = last_run_text(folder);
  for (int line = 0; line < 2; ++line) text.erase(text.rfind('\n', text.size() - 2) + 1);
  std::ofstream(run_files(folder).back()) << text;
}

TEST(Cells, AreNotRunAgainByResume) {
  const Shards shards(kSmall);
  const Finished whole = shards.judge(1);
  ASSERT_EQ(whole.code, 0) << whole.err;
  cut_last_run(shards.folder + "/1");
  const Finished resumed = shards.judge(1, "--resume");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "which has 3 of 4 cells")) << resumed.err;
  EXPECT_EQ(count_of(last_run_text(shards.folder + "/1"), "{\"cell\":"), 1u);
  const Finished again = shards.judge(1, "--resume");
  EXPECT_TRUE(has(again.err, "which has 4 of 4 cells")) << again.err;
  ASSERT_EQ(shards.judge(2).code, 0);
  const Finished merged = shards.merge("1 2");
  EXPECT_EQ(comparable(last_line_of(merged.out)), comparable(last_line_of(run(kSmall).out)));
}

TEST(Cells, OfARunWithoutShardsAreSummedUpAtOnce) {
  const std::string folder = scratch_directory("cells-whole-run");
  const std::string records = " --records " + folder;
  const Finished whole = run(kSmall);
  const Finished kept = run(kSmall + records);
  EXPECT_EQ(kept.code, whole.code) << kept.err;
  EXPECT_EQ(comparable(kept.out), comparable(whole.out));
  const Finished again = run(kSmall + records + " --resume");
  EXPECT_EQ(comparable(again.out), comparable(whole.out)) << again.err;
  EXPECT_TRUE(has(run("report " + folder + " --runs").out, "calibrate  8 of 8")) << folder;
}

TEST(Cells, ThatDifferAreNondeterministic) {
  const Shards shards(kSmall);
  ASSERT_EQ(shards.judge(1).code, 0);
  ASSERT_EQ(shards.judge(2).code, 0);
  const std::string path = run_files(shards.folder + "/1").back();
  const std::vector<FoundCell> changed{{"cases 0 to 1", "{}"}};
  std::istringstream lines(text_of(path));
  std::string text;
  for (std::string line; std::getline(lines, line);)
    text += (has(line, "\"cases 0 to 1\",\"found\"") ? cell_line(changed.front()) : line) + "\n";
  const std::string name = std::filesystem::path(path).filename();
  std::filesystem::create_directory(shards.folder + "/3");
  std::ofstream(shards.folder + "/3/" + name) << text;
  const Finished merged = shards.merge("1 2 3");
  EXPECT_EQ(merged.code, 1) << merged.out << merged.err;
  EXPECT_TRUE(has(merged.out, "NONDETERMINISTIC  cases 0 to 1: 2 runs of it differ")) << merged.out;
}

TEST(Cells, OfAnotherRequestAreRefused) {
  const Shards fair(kSmall);
  const Finished other = run("calibrate tight --plan " + fair.plan);
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(has(other.err, "is a plan for calibrate fair, not for calibrate tight")) << other.err;
  EXPECT_EQ(run("check --plan " + fair.plan).code, 2);
  EXPECT_EQ(run("exhaustive --plan " + fair.plan).code, 2);
  EXPECT_EQ(run("calibrate fair --cases 9 --plan " + fair.plan).code, 2);
  ASSERT_EQ(fair.judge(1).code, 0);
  const Finished seed =
      run("calibrate fair --kernel swish_bias --cases 8 --seed 2 --resume "
          "--records " +
          fair.folder + "/1");
  EXPECT_EQ(seed.code, 2);
  EXPECT_TRUE(has(seed.err, "is another: plan ")) << seed.err;
  const Finished clock = run("search swish_bias --print-plan");
  EXPECT_EQ(clock.code, 2);
  EXPECT_TRUE(has(clock.err, "a search in cells needs --cases N")) << clock.err;
}

}  // namespace
}  // namespace gradproof
