// SPDX-License-Identifier: Apache-2.0
// The trials of the bounds in small, and what each of them must notice when bounds, kernels or the
// trial itself are wrong.
#include <algorithm>
#include <csignal>
#include <map>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/error.h"
#include "kernels/kernel.h"
#include "properties/calibration/calibration.h"
#include "tests/support/catalog.h"
#include "tests/support/trial_support.h"

namespace gradproof {
namespace {

TrialPlan fair_plan() {
  TrialPlan plan;
  plan.cases = 300;
  return plan;
}

const TrialTable& table_of(const TrialReport& report, std::string_view title) {
  for (const TrialTable& table : report.tables)
    if (table.title.starts_with(title)) return table;
  throw std::out_of_range("no table " + std::string(title));
}

TEST(TrialFair, AcquitsTheKernelsAndLibTorchAndConvictsWhatIsPlanted) {
  const TrialReport report = trial_fair(fair_plan());
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_EQ(result_of(report, "cases"), 300);
  EXPECT_EQ(result_of(report, "false_alarms"), 0);
  EXPECT_GT(result_of(report, "results"), 300);
  EXPECT_GT(result_of(report, "elements"), 0);
  const TrialTable& planted = table_of(report, "planted faults");
  EXPECT_EQ(planted.rows.size(), 6u);  // five faults and their sum
  for (const auto& row : planted.rows) {
    EXPECT_GT(std::stoll(row[1]), 0) << row[0];
    EXPECT_NE(row[3], "0.00%") << row[0];
  }
  EXPECT_EQ(table_of(report, "results by dtype").rows.size(), 6u);
}

TEST(TrialFair, RaisesAnAlarmForAKernelThatIsOff) {
  TrialPlan plan = fair_plan();
  plan.biased = 1.5;
  const TrialReport report = trial_fair(plan);
  EXPECT_EQ(report.code, 1);
  EXPECT_GT(result_of(report, "false_alarms"), 0);
  EXPECT_NE(joined(report.findings).find("replay '"), std::string::npos);
  plan.biased = 0.25;  // within the bound, so that the alarm is about the size
  plan.kernels = {"groupnorm"};
  plan.cases = 20;
  EXPECT_NE(trial_fair(plan).code, 3);
}

TEST(TrialFair, NoticesThatBoundsConvictNothing) {
  TrialPlan plan = fair_plan();
  plan.widened = 1000;
  const TrialReport report = trial_fair(plan);
  EXPECT_EQ(report.code, 3);
  EXPECT_NE(joined(report.findings).find("not convicted: one element"), std::string::npos);
}

TEST(TrialFair, IsIncompleteWhereAKindOfFaultNeverCame) {
  TrialPlan plan;
  for (const std::int64_t cases : {1, 4}) {
    plan.cases = cases;
    const TrialReport report = trial_fair(plan);
    EXPECT_EQ(report.code, 4) << joined(report.findings);
    const std::string said = joined(report.findings);
    EXPECT_NE(said.find("never planted"), std::string::npos) << said;
    EXPECT_NE(said.find("a mutant"), std::string::npos) << said;
  }
}

TEST(TrialFair, AsksForNoFaultThatTheKernelsCannotHave) {
  TrialPlan plan;
  plan.kernels = {"swish_bias"};  // no norm, no statistics
  plan.cases = 200;
  const TrialReport report = trial_fair(plan);
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_EQ(table_of(report, "planted faults").rows.size(), 5u);  // four faults and their sum
}

/// The cells of the mutants in a trial of fair in which each of them meets this first.
std::vector<std::string> mutants_that(TrialPlan plan, TrialReport& report) {
  report = trial_fair(plan);
  for (const auto& row : table_of(report, "planted faults").rows)
    if (row[0] == "a mutant") return row;
  return {};
}

TEST(TrialFair, DoesNotCountACrashAsTheBoundsConviction) {
  TrialPlan plan = fair_plan();
  plan.cases = 60;
  TrialReport report;
  EXPECT_NE(mutants_that(plan, report).at(3), "-");
  plan.before_mutant = [] { std::raise(SIGKILL); };
  const std::vector<std::string> row = mutants_that(plan, report);
  ASSERT_EQ(row.size(), 10u);
  EXPECT_EQ(row[2], "100.00%") << "executor";
  for (std::size_t judge = 3; judge < row.size(); ++judge) EXPECT_EQ(row[judge], "-");
}

TEST(TrialFair, ReportsAJudgeThatThrows) {
  TrialPlan plan = fair_plan();
  plan.cases = 60;
  plan.before_mutant = [] { throw InstrumentError("no such stage"); };
  TrialReport report;
  EXPECT_TRUE(mutants_that(plan, report).empty()) << "none was judged";
  EXPECT_EQ(report.code, 3);
  EXPECT_NE(joined(report.findings).find("not judged: no such stage"), std::string::npos);
}

TEST(TrialFair, SaysTheSameTwice) {
  TrialPlan plan = fair_plan();
  plan.cases = 60;
  const TrialReport first = trial_fair(plan);
  const TrialReport second = trial_fair(plan);
  ASSERT_EQ(first.tables.size(), second.tables.size());
  for (std::size_t k = 0; k < first.tables.size(); ++k)
    EXPECT_EQ(first.tables[k].rows, second.tables[k].rows) << first.tables[k].title;
  plan.seed = 2;
  EXPECT_NE(trial_fair(plan).result, first.result);
}

TrialPlan tight_plan() {
  TrialPlan plan;
  plan.cases = 8;
  plan.kernels = {"swish_bias"};
  return plan;
}

TEST(TrialTight, ComesNearEveryBoundAndPassesNone) {
  const TrialReport report = trial_tight(tight_plan());
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_EQ(result_of(report, "tensors"), 12);  // y, d_x and d_bias in four types
  EXPECT_EQ(table_of(report, "smallest relative").rows.size(), 12u);
  EXPECT_EQ(table_of(report, "largest sum").rows.size(), 4u);
}

TEST(TrialTight, NoticesBoundsThatAreTooWideAndTooNarrow) {
  TrialPlan plan = tight_plan();
  plan.widened = 1000;
  EXPECT_EQ(trial_tight(plan).code, 4);
  plan.widened = 1;
  plan.biased = 1.5;
  EXPECT_EQ(trial_tight(plan).code, 1);
}

TrialPlan power_plan() {
  TrialPlan plan;
  plan.kernels = {"swish_bias"};
  for (const char* keys : {"", " rows=5", " rows=65 cols=33"})
    plan.suite.push_back(parse_case(std::string("swish_bias") + keys, schemas()));
  return plan;
}

TEST(TrialPower, SaysWhoConvictsAMutantAndWhoTheRightKernel) {
  const TrialReport report = trial_power(power_plan());
  const TrialTable& table = table_of(report, "cases of the suite");
  std::map<std::string, std::vector<std::string>> rows;
  for (const auto& row : table.rows) rows[row[0]] = row;
  EXPECT_EQ(rows.at("slope_behind_the_bias")[4], "3") << "given the statistics";
  EXPECT_EQ(rows.at("slope_behind_the_bias")[5], "3") << "end to end";
  for (int judge = 3; judge < 6; ++judge)
    EXPECT_EQ(rows.at("right kernels flagged, of cases").at(static_cast<std::size_t>(judge)), "0");
}

TEST(TrialPower, NamesTheMutantsThatNobodyConvicts) {
  TrialPlan plan = power_plan();
  plan.widened = 1e30;
  const TrialReport report = trial_power(plan);
  EXPECT_EQ(report.code, 1);
  EXPECT_NE(joined(report.findings).find("slope_behind_the_bias"), std::string::npos);
}

TEST(TrialPower, LeavesToTheExecutorWhatCrashes) {
  TrialPlan plan = power_plan();
  plan.before_mutant = [] { std::raise(SIGKILL); };
  const TrialReport report = trial_power(plan);
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_GT(result_of(report, "executor"), 0);
  EXPECT_EQ(result_of(report, "executor"), result_of(report, "mutants"));
  EXPECT_EQ(result_of(report, "bound_given"), 0);
}

TEST(TrialPower, ConvictsNobodyByAJudgeThatThrows) {
  TrialPlan plan = power_plan();
  plan.before_mutant = [] { throw std::bad_alloc(); };
  const TrialReport report = trial_power(plan);
  EXPECT_EQ(report.code, 3);
  EXPECT_NE(joined(report.findings).find("not judged: std::bad_alloc  replay '"),
            std::string::npos);
  EXPECT_EQ(result_of(report, "executor"), 0);
  EXPECT_EQ(result_of(report, "survivors"), result_of(report, "mutants"));
}

TEST(TrialPower, IsIncompleteWithoutACase) {
  TrialPlan plan = power_plan();
  plan.suite.clear();
  const TrialReport report = trial_power(plan);
  EXPECT_EQ(report.code, 4);
  EXPECT_EQ(report.findings, std::vector<std::string>{kNothingJudged});
}

}  // namespace
}  // namespace gradproof
