// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/runs/sealed_line.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/report_runs.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

RunPlan sample_plan() {
  return make_plan(Measured::comparison, {{"b", 7}, {"d", 1}, {"a", 4}, {"c", 5}, {"b", 7}});
}

/// The reader's complaint about a plan's text; empty if it reads the text.
std::string complaint_of_plan(const std::string& text) {
  try {
    read_plan(MemoryFile(text).path());
  } catch (const InstrumentError& error) {
    return error.what();
  }
  return "";
}

TEST(Plan, IsSortedAndHasEachCaseOnce) {
  const RunPlan plan = sample_plan();
  ASSERT_EQ(plan.cases.size(), 4u);
  EXPECT_EQ(plan.cases[1].text, "b");
  EXPECT_EQ(plan_id(Measured::comparison, {"d", "c", "b", "a"}), plan_id(plan));
  EXPECT_NE(plan_id(Measured::differences, {"a", "b", "c", "d"}), plan_id(plan));
  EXPECT_NE(plan_id(Measured::comparison, {"a", "b", "c"}), plan_id(plan));
}

// Two requests for the same cells are two plans: their findings may differ.
TEST(Plan, OfCellsHasTheirRequest) {
  const std::vector<PlannedCase> cells{{"a f32", 1}, {"b f32", 1}};
  const RunPlan plan = make_plan(RunKind::search, cells, "seed 1");
  EXPECT_NE(plan_id(plan), plan_id(make_plan(RunKind::search, cells, "seed 2")));
  EXPECT_NE(plan_id(plan), plan_id(make_plan(RunKind::calibrate, cells, "seed 1")));
  const std::string path = scratch_directory("plan-cells") + "/plan.jsonl";
  write_text(path, plan_lines(plan));
  EXPECT_EQ(read_plan(path).request, "seed 1");
  EXPECT_EQ(plan_lines(read_plan(path)), plan_lines(plan));
}

TEST(Plan, ReadsBackItsOwnText) {
  const std::string text = plan_lines(sample_plan());
  const std::string path = scratch_directory("plan-text") + "/plan.jsonl";
  write_text(path, text);
  EXPECT_EQ(plan_lines(read_plan(path)), text);
}

TEST(Plan, OneThatWasChangedIsRefused) {
  const std::string text = plan_lines(sample_plan());
  ASSERT_EQ(complaint_of_plan(text), "") << "the control";
  const std::string without_last = text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  EXPECT_NE(complaint_of_plan(without_last).find("its 3 cases are not the 4 of plan"),
            std::string::npos);
  EXPECT_NE(complaint_of_plan("").find("it has no line"), std::string::npos);
  for (std::size_t byte = 0; byte + 1 < text.size(); ++byte) {
    std::string flipped = text;
    flipped[byte] = static_cast<char>(flipped[byte] ^ 1);
    EXPECT_NE(complaint_of_plan(flipped), "") << byte;
  }
  const std::string head = text.substr(0, text.find('\n') + 1);
  const std::string id = case_id(Measured::comparison, "a");
  EXPECT_NE(
      complaint_of_plan(head + sealed(R"({"id":")" + id + R"(","case":"z","cost":1.0})") + "\n")
          .find(":2: '" + id + "' is not the id of 'z'"),
      std::string::npos);
}

TEST(Plan, ShardsHaveEachCaseOnceAndCostAlike) {
  const RunPlan plan = sample_plan();
  EXPECT_EQ(cases_of_shard(plan, {1, 2}), (std::vector<std::string>{"b", "d"}));
  EXPECT_EQ(cases_of_shard(plan, {2, 2}), (std::vector<std::string>{"a", "c"}));
  for (const int count : {1, 2, 3, 4, 7}) {
    std::vector<std::string> all;
    for (int index = 1; index <= count; ++index)
      for (const std::string& text : cases_of_shard(plan, {index, count})) all.push_back(text);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<std::string>{"a", "b", "c", "d"})) << count;
  }
}

}  // namespace
}  // namespace gradproof
