// SPDX-License-Identifier: Apache-2.0
// The calibration of the audit in small, and what it must notice when the audit is wrong.
#include <chrono>
#include <future>

#include <gtest/gtest.h>

#include "judge/audit_case.h"
#include "properties/calibration/calibration.h"
#include "tests/support/systems.h"
#include "tests/support/trial_support.h"

namespace gradproof {
namespace {

CalibrationPlan audit_plan(std::int64_t cases) {
  CalibrationPlan plan{.catalog = test_catalog()};
  plan.cases = cases;
  plan.audited = [](const Case& c) { return audited_without_kernel(test_systems(), c); };
  return plan;
}

TEST(CalibrateAudit, CallsNoRightGradientWrongAndCertifiesNoWrongOne) {
  const CalibrationReport report = calibrate_audit(audit_plan(240));
  // So few Cases need not meet every kind of wrong entry.
  EXPECT_TRUE(report.code == 0 || report.code == 4) << joined(report.findings);
  EXPECT_GT(result_of(report, "rows"), 500);
  EXPECT_EQ(result_of(report, "wrong"), 0);
  EXPECT_EQ(result_of(report, "certified") + result_of(report, "inconclusive"),
            result_of(report, "rows"));
  EXPECT_GT(result_of(report, "certified"), result_of(report, "rows") / 2);
  EXPECT_GT(result_of(report, "planted"), 20);
  EXPECT_EQ(result_of(report, "planted_certified"), 0);
  EXPECT_GT(result_of(report, "planted_wrong"), result_of(report, "planted") / 2);
}

TEST(CalibrateAudit, ReportsARowThatIsWrong) {
  CalibrationPlan plan = audit_plan(1);
  plan.audited = [](const Case&) {
    AuditRow row;
    row.tensor = "d_x";
    row.shape = {2, 3};
    row.entries = 6;
    row.verdict = Outcome::wrong;
    row.reason = "said so";
    return std::vector<Record>{audit_record({}, row)};
  };
  const CalibrationReport report = calibrate_audit(plan);
  EXPECT_EQ(report.code, 1);
  EXPECT_EQ(result_of(report, "wrong"), 1);
  EXPECT_NE(joined(report.findings).find("wrong d_x: said so, worst [0,0]  gradproof audit '"),
            std::string::npos)
      << joined(report.findings);
}

TEST(CalibrateAudit, NamesACaseThatTakesLongWhileItRuns) {
  CalibrationPlan plan = audit_plan(1);
  plan.slow = std::chrono::milliseconds(1);
  std::promise<std::string> progress;
  plan.progress = [&](const std::string& line) {
    if (line.starts_with("still running")) progress.set_value(line);
  };
  plan.audited = [&](const Case& c) {
    const std::string line = progress.get_future().get();  // without it, the test's own time limit
    EXPECT_NE(line.find(": gradproof audit '" + to_string(c) + "'"), std::string::npos) << line;
    return std::vector<Record>();
  };
  calibrate_audit(plan);
}

TEST(CalibrateAudit, ReportsAWrongEntryThatIsCertified) {
  CalibrationPlan plan = audit_plan(40);
  plan.blunted = 0;  // what is planted is the right gradient
  const CalibrationReport report = calibrate_audit(plan);
  EXPECT_EQ(report.code, 3);
  EXPECT_GT(result_of(report, "planted_certified"), 0);
  EXPECT_NE(joined(report.findings).find("certified: "), std::string::npos);
}

TEST(CalibrateAudit, IsIncompleteWhereAKindWasNeverPlanted) {
  const CalibrationReport report = calibrate_audit(audit_plan(2));
  EXPECT_EQ(report.code, 4);
  EXPECT_NE(joined(report.findings).find("never planted"), std::string::npos);
}

TEST(CalibrateAudit, SaysTheSameTwice) {
  CalibrationReport first = calibrate_audit(audit_plan(20));
  CalibrationReport second = calibrate_audit(audit_plan(20));
  first.result.pop_back();  // the seconds
  second.result.pop_back();
  EXPECT_EQ(first.result, second.result);
  for (std::size_t k = 0; k < first.tables.size(); ++k)
    EXPECT_EQ(first.tables[k].rows, second.tables[k].rows);
}

}  // namespace
}  // namespace gradproof
