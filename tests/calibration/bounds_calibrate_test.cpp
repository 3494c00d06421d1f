// SPDX-License-Identifier: Apache-2.0
// The calibrations of the bounds in small, and what each of them must notice when bounds, kernels
// or the calibration itself are wrong.
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

CalibrationPlan fair_plan() {
  CalibrationPlan plan{.catalog = test_catalog()};
  plan.cases = 300;
  return plan;
}

const CalibrationTable& table_of(const CalibrationReport& report, std::string_view title) {
  for (const CalibrationTable& table : report.tables)
    if (table.title.starts_with(title)) return table;
  throw std::out_of_range("no table " + std::string(title));
}

TEST(CalibrateFair, AcquitsTheKernelsAndLibTorchAndConvictsWhatIsPlanted) {
  const CalibrationReport report = calibrate_fair(fair_plan());
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_EQ(result_of(report, "cases"), 300);
  EXPECT_EQ(result_of(report, "false_alarms"), 0);
  EXPECT_GT(result_of(report, "results"), 300);
  EXPECT_GT(result_of(report, "elements"), 0);
  const CalibrationTable& planted = table_of(report, "planted faults");
  EXPECT_EQ(planted.rows.size(), 6u);  // five faults and their sum
  for (const auto& row : planted.rows) {
    EXPECT_GT(std::stoll(row[1]), 0) << row[0];
    EXPECT_NE(row[3], "0.00%") << row[0];
  }
  EXPECT_EQ(table_of(report, "results by dtype").rows.size(), 6u);
}

TEST(CalibrateFair, RaisesAnAlarmForAKernelThatIsOff) {
  CalibrationPlan plan = fair_plan();
  plan.biased = 1.5;
  const CalibrationReport report = calibrate_fair(plan);
  EXPECT_EQ(report.code, 1);
  EXPECT_GT(result_of(report, "false_alarms"), 0);
  EXPECT_NE(joined(report.findings).find("replay '"), std::string::npos);
  plan.biased = 0.25;  // within the bound, so that the alarm is about the size
  plan.kernels = {"groupnorm"};
  plan.cases = 20;
  EXPECT_NE(calibrate_fair(plan).code, 3);
}

TEST(CalibrateFair, NoticesThatBoundsConvictNothing) {
  CalibrationPlan plan = fair_plan();
  plan.widened = 1000;
  const CalibrationReport report = calibrate_fair(plan);
  EXPECT_EQ(report.code, 3);
  EXPECT_NE(joined(report.findings).find("not convicted: one element"), std::string::npos);
}

TEST(CalibrateFair, IsIncompleteWhereAKindOfFaultNeverCame) {
  CalibrationPlan plan{.catalog = test_catalog()};
  for (const std::int64_t cases : {1, 4}) {
    plan.cases = cases;
    const CalibrationReport report = calibrate_fair(plan);
    EXPECT_EQ(report.code, 4) << joined(report.findings);
    const std::string said = joined(report.findings);
    EXPECT_NE(said.find("never planted"), std::string::npos) << said;
    EXPECT_NE(said.find("a mutant"), std::string::npos) << said;
  }
}

TEST(CalibrateFair, AsksForNoFaultThatTheKernelsCannotHave) {
  CalibrationPlan plan{.catalog = test_catalog()};
  plan.kernels = {"swish_bias"};  // no norm, no statistics
  plan.cases = 200;
  const CalibrationReport report = calibrate_fair(plan);
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_EQ(table_of(report, "planted faults").rows.size(), 5u);  // four faults and their sum
}

/// The cells of the row `a mutant`, after a calibration `fair` with this plan.
std::vector<std::string> mutants_that(const CalibrationPlan& plan, CalibrationReport& report) {
  report = calibrate_fair(plan);
  for (const auto& row : table_of(report, "planted faults").rows)
    if (row[0] == "a mutant") return row;
  return {};
}

TEST(CalibrateFair, DoesNotCountACrashAsTheBoundsConviction) {
  CalibrationPlan plan = fair_plan();
  plan.cases = 60;
  CalibrationReport report;
  EXPECT_NE(mutants_that(plan, report).at(3), "-");
  plan.before_mutant = [] { std::raise(SIGKILL); };
  const std::vector<std::string> row = mutants_that(plan, report);
  ASSERT_EQ(row.size(), 10u);
  EXPECT_EQ(row[2], "100.00%") << "executor";
  for (std::size_t judge = 3; judge < row.size(); ++judge) EXPECT_EQ(row[judge], "-");
}

TEST(CalibrateFair, ReportsAJudgeThatThrows) {
  CalibrationPlan plan = fair_plan();
  plan.cases = 60;
  plan.before_mutant = [] { throw InstrumentError("no such stage"); };
  CalibrationReport report;
  EXPECT_TRUE(mutants_that(plan, report).empty()) << "none was judged";
  EXPECT_EQ(report.code, 3);
  EXPECT_NE(joined(report.findings).find("not judged: no such stage"), std::string::npos);
}

TEST(CalibrateFair, SaysTheSameTwice) {
  CalibrationPlan plan = fair_plan();
  plan.cases = 60;
  const CalibrationReport first = calibrate_fair(plan);
  const CalibrationReport second = calibrate_fair(plan);
  ASSERT_EQ(first.tables.size(), second.tables.size());
  for (std::size_t k = 0; k < first.tables.size(); ++k)
    EXPECT_EQ(first.tables[k].rows, second.tables[k].rows) << first.tables[k].title;
  plan.seed = 2;
  EXPECT_NE(calibrate_fair(plan).result, first.result);
}

CalibrationPlan tight_plan() {
  CalibrationPlan plan{.catalog = test_catalog()};
  plan.cases = 8;
  plan.kernels = {"swish_bias"};
  return plan;
}

TEST(CalibrateTight, ComesNearEveryBoundAndPassesNone) {
  const CalibrationReport report = calibrate_tight(tight_plan());
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_EQ(result_of(report, "tensors"), 12);  // y, d_x and d_bias in four types
  EXPECT_EQ(table_of(report, "smallest relative").rows.size(), 12u);
  EXPECT_EQ(table_of(report, "largest sum").rows.size(), 4u);
}

TEST(CalibrateTight, NoticesBoundsThatAreTooWideAndTooNarrow) {
  CalibrationPlan plan = tight_plan();
  plan.widened = 1000;
  EXPECT_EQ(calibrate_tight(plan).code, 4);
  plan.widened = 1;
  plan.biased = 1.5;
  EXPECT_EQ(calibrate_tight(plan).code, 1);
}

CalibrationPlan power_plan() {
  CalibrationPlan plan{.catalog = test_catalog()};
  plan.kernels = {"swish_bias"};
  for (const char* keys : {"", " rows=5", " rows=65 cols=33"})
    plan.suite.push_back(parse_case(std::string("swish_bias") + keys, schemas()));
  return plan;
}

TEST(CalibratePower, SaysWhoConvictsAMutantAndWhoTheRightKernel) {
  const CalibrationReport report = calibrate_power(power_plan());
  const CalibrationTable& table = table_of(report, "cases of the suite");
  std::map<std::string, std::vector<std::string>> rows;
  for (const auto& row : table.rows) rows[row[0]] = row;
  EXPECT_EQ(rows.at("slope_behind_the_bias")[4], "3") << "given the statistics";
  EXPECT_EQ(rows.at("slope_behind_the_bias")[5], "3") << "end to end";
  for (int judge = 3; judge < 6; ++judge)
    EXPECT_EQ(rows.at("right kernels flagged, of cases").at(static_cast<std::size_t>(judge)), "0");
}

TEST(CalibratePower, NamesTheMutantsThatNobodyConvicts) {
  CalibrationPlan plan = power_plan();
  plan.widened = 1e30;
  const CalibrationReport report = calibrate_power(plan);
  EXPECT_EQ(report.code, 1);
  EXPECT_NE(joined(report.findings).find("slope_behind_the_bias"), std::string::npos);
}

TEST(CalibratePower, LeavesToTheExecutorWhatCrashes) {
  CalibrationPlan plan = power_plan();
  plan.before_mutant = [] { std::raise(SIGKILL); };
  const CalibrationReport report = calibrate_power(plan);
  EXPECT_EQ(report.code, 0) << joined(report.findings);
  EXPECT_GT(result_of(report, "executor"), 0);
  EXPECT_EQ(result_of(report, "executor"), result_of(report, "mutants"));
  EXPECT_EQ(result_of(report, "bound_given"), 0);
}

TEST(CalibratePower, ConvictsNobodyByAJudgeThatThrows) {
  CalibrationPlan plan = power_plan();
  plan.before_mutant = [] { throw std::bad_alloc(); };
  const CalibrationReport report = calibrate_power(plan);
  EXPECT_EQ(report.code, 3);
  EXPECT_NE(joined(report.findings).find("not judged: std::bad_alloc  replay '"),
            std::string::npos);
  EXPECT_EQ(result_of(report, "executor"), 0);
  EXPECT_EQ(result_of(report, "survivors"), result_of(report, "mutants"));
}

TEST(CalibratePower, IsIncompleteWithoutACase) {
  CalibrationPlan plan = power_plan();
  plan.suite.clear();
  const CalibrationReport report = calibrate_power(plan);
  EXPECT_EQ(report.code, 4);
  EXPECT_EQ(report.findings, std::vector<std::string>{kNothingJudged});
}

}  // namespace
}  // namespace gradproof
