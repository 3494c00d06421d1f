// SPDX-License-Identifier: Apache-2.0
// `calibrate sizes` in small, and with judges that convict all or nobody.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.h"
#include "kernels/kernel.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/sizes/rules.h"
#include "tools/calibrate/text.h"
#include "tools/calibrate/undeclared.h"

namespace gradproof {
namespace {

CalibrationPlan plan_of_sizes(std::vector<std::int64_t> sizes) {
  CalibrationPlan plan{.catalog = catalog()};
  plan.undeclared = judged_undeclared;
  plan.sizes = std::move(sizes);
  return plan;
}

/// A judge that says the same of everything.
auto always(Outcome outcome) {
  return [outcome](const Case&, const Tensors&, const Tensors& got) {
    UndeclaredVerdicts verdicts;
    for (const auto& [name, tensor] : got) verdicts[name] = {outcome, 0.5};
    return verdicts;
  };
}

std::int64_t value_of(const CalibrationReport& report, const std::string& key) {
  for (const auto& [name, value] : report.result)
    if (name == key) return std::stoll(value);
  return -1;
}

std::string refusal_of(const CalibrationPlan& plan) {
  try {
    size_rows(plan);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CalibrateSizes, ConvictsWrongProgramsAndNoRightOne) {
  const CalibrationReport report = calibrate_sizes(plan_of_sizes({64}));
  EXPECT_EQ(report.code, 0) << (report.findings.empty() ? "" : report.findings.front());
  EXPECT_EQ(value_of(report, "false_alarms"), 0);
  EXPECT_GE(value_of(report, "wrong"), 150);
  EXPECT_LT(value_of(report, "missed_gradproof"), value_of(report, "wrong") / 4);
  EXPECT_GT(value_of(report, "missed_allclose_1e-2"), 0) << "a rule that sees less";
  for (const CalibrationTable& table : report.tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
}

TEST(CalibrateSizes, ARightProgramThatIsConvictedIsAnAlarm) {
  CalibrationPlan plan = plan_of_sizes({64});
  plan.undeclared = always(Outcome::failed);
  const CalibrationReport report = calibrate_sizes(plan);
  EXPECT_EQ(report.code, 1);
  EXPECT_EQ(value_of(report, "false_alarms"), value_of(report, "right"));
  EXPECT_NE(report.findings.front().find("of the right program 'chain'"), std::string::npos)
      << report.findings.front();
}

TEST(CalibrateSizes, AJudgeThatConvictsNobodyIsNoCheck) {
  CalibrationPlan plan = plan_of_sizes({64});
  plan.undeclared = always(Outcome::passed);
  const CalibrationReport report = calibrate_sizes(plan);
  EXPECT_EQ(report.code, 3);
  EXPECT_EQ(value_of(report, "missed_gradproof"), value_of(report, "wrong"));
  EXPECT_EQ(value_of(report, "unexplained"), 0) << "each is as far off as the right ones";
}

TEST(CalibrateSizes, RowsAreThatOfOneRunAndMergeInAnyOrder) {
  CalibrationPlan plan = plan_of_sizes({64, 128, 64});
  plan.undeclared = always(Outcome::passed);
  std::vector<std::string> names = size_rows(plan);
  EXPECT_EQ(names.size(), 2 * size_rows(plan_of_sizes({64})).size()) << "a size counts once";
  std::reverse(names.begin(), names.end());
  SizeTally parts;
  for (const std::string& name : names) parts.merge(size_tally(plan, name));
  const CalibrationReport whole = calibrate_sizes(plan);
  const CalibrationReport merged = size_report(plan, parts, 0);
  ASSERT_EQ(whole.tables.size(), merged.tables.size());
  for (std::size_t k = 0; k < whole.tables.size(); ++k)
    EXPECT_EQ(whole.tables[k].rows, merged.tables[k].rows);
  EXPECT_THROW(size_tally(plan, "mean f32 256"), UsageError);
}

/// A rule that flags right programs as well proves nothing; one that does not may see more.
TEST(CalibrateSizes, ARuleThatFlagsARightProgramProvesNothing) {
  SizeRow row;
  row.computation = "mean";
  row.dtype = "f32";
  row.size = 64;
  row.right = 10;
  row.wrong = 5;
  row.missed = {3, 0, 2, 5, 5, 5, 5, 5, 5, 0};
  row.flagged = {0, 1};
  row.misses = {{"last left out", "y", 0.5, ""}};
  const CalibrationReport report = size_report({.catalog = catalog()}, {{row}}, 0);
  EXPECT_EQ(report.code, 0);
  EXPECT_EQ(value_of(report, "missed_assert_close_type"), 0);
  EXPECT_EQ(value_of(report, "unproved_assert_close_type"), 5);
  EXPECT_EQ(value_of(report, "unproved_assert_close_f64"), 2);
  EXPECT_EQ(value_of(report, "rows_behind"), 1);
  EXPECT_EQ(value_of(report, "unexplained"), 1);
  row.missed.front() = 2;
  EXPECT_EQ(value_of(size_report({.catalog = catalog()}, {{row}}, 0), "rows_behind"), 0);
}

TEST(CalibrateSizes, CasesAreDrawsOfEachRow) {
  CalibrationPlan plan = plan_of_sizes({64});
  plan.undeclared = always(Outcome::passed);
  const SizeTally once = size_tally(plan, "mean f32 64");
  plan.cases = 3;
  const SizeTally thrice = size_tally(plan, "mean f32 64");
  EXPECT_EQ(thrice.rows.at(0).right, 3 * once.rows.at(0).right);
}

TEST(CalibrateSizes, RefusesSizesThatProgramsDoNotTake) {
  EXPECT_EQ(refusal_of(plan_of_sizes({64, 62})),
            "--sizes '62' is no even number from 64 to 1048576");
  EXPECT_EQ(refusal_of(plan_of_sizes({65})), "--sizes '65' is no even number from 64 to 1048576");
  EXPECT_NE(refusal_of(plan_of_sizes({2097152})), "");
  EXPECT_EQ(refusal_of(plan_of_sizes({1048576})), "");
}

TEST(CalibrateSizes, RefusesOptionsOfOtherCalibrations) {
  const auto refusal = [](const CalibrateRequest& request) -> std::string {
    try {
      plan_of(catalog(), request);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  CalibrateRequest fair{"fair", 0, 1, {}, "", false, {64}};
  EXPECT_EQ(refusal(fair), "--sizes has a meaning for 'sizes' alone, not for 'fair'");
  fair.sizes.clear();
  EXPECT_EQ(refusal(fair), "");
  EXPECT_EQ(refusal({"sizes", 0, 1, {"groupnorm"}, "", false, {}}),
            "--kernel has no meaning for 'sizes': its programs are no kernels");
  EXPECT_EQ(plan_of(catalog(), {"sizes", 2, 1, {}, "", false, {64, 256}}).sizes,
            (std::vector<std::int64_t>{64, 256}));
}

Tensors one(double value) {
  Tensor tensor(DType::f32, {2});
  tensor.set(0, 1);
  tensor.set(1, value);
  return {{"y", tensor}};
}

TEST(FieldRulesTest, FlagByErrorAgainstFloat64AndEager) {
  const Tensors reference = one(1), eager = one(1 + 4e-6);
  const auto flags = [&](double value) {
    return FieldRules(reference, eager).flags_of(one(value));
  };
  const auto are = [](const std::vector<Rule>& rules) {
    RuleFlags all{};
    for (const Rule rule : rules) all[static_cast<std::size_t>(rule)] = true;
    return all;
  };
  using enum Rule;
  EXPECT_EQ(flags(1), RuleFlags{});
  EXPECT_EQ(flags(1 + 9e-6), are({twice_eager}));
  EXPECT_EQ(flags(1 + 1.4e-5), are({assert_close_float64, twice_eager, thrice_eager}));
  EXPECT_EQ(flags(1 + 1e-3),
            are({assert_close_type, assert_close_float64, allclose_4, twice_eager, thrice_eager}));
  EXPECT_EQ(flags(1.05), are({assert_close_type, assert_close_float64, allclose_4, allclose_2,
                              twice_eager, thrice_eager, most_close}));
  EXPECT_EQ(flags(1.1), are({assert_close_type, assert_close_float64, allclose_4, allclose_2,
                             twice_eager, thrice_eager, cosine, most_close}));
}

}  // namespace
}  // namespace gradproof
