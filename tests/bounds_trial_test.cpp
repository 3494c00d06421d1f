// SPDX-License-Identifier: Apache-2.0
// The trials of the bounds in small, and what each of them must notice when bounds, kernels or the
// trial itself are wrong.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>

#include <gtest/gtest.h>

#include "kernels/kernel.h"
#include "properties/trial.h"
#include "properties/trial_draw.h"
#include "properties/trial_faults.h"
#include "properties/trial_fork.h"
#include "properties/trial_tolerances.h"

namespace gradproof {
namespace {

TrialPlan fair_plan() {
  TrialPlan plan;
  plan.cases = 300;
  return plan;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::int64_t result_of(const TrialReport& report, const std::string& name) {
  for (const auto& [key, text] : report.result)
    if (key == name) return std::stoll(text);
  ADD_FAILURE() << "no " << name;
  return -1;
}

const TrialTable& table_of(const TrialReport& report, const std::string& title) {
  for (const TrialTable& table : report.tables)
    if (table.title.starts_with(title)) return table;
  throw std::out_of_range("no table " + title);
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
    EXPECT_NE(row[2], "0.00%") << row[0];
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

TEST(TrialFork, TellsWhatWasSaidAndWhatWasNot) {
  EXPECT_EQ(in_own_process([] { return std::string(10000, 'x'); }), std::string(10000, 'x'));
  EXPECT_EQ(in_own_process([]() -> std::string { throw 1; }), std::nullopt);
  EXPECT_EQ(in_own_process([]() -> std::string {
              std::raise(SIGKILL);
              return "";
            }),
            std::nullopt);
  const auto forever = []() -> std::string {
    for (volatile bool more = true; more;) {
    }
    return "";
  };
  EXPECT_EQ(in_own_process(forever, 0.1), std::nullopt);
}

TEST(TrialFaults, AreBeyondTheBoundByAsMuchAsTheySay) {
  const RandomBits next = random_bits(1, "faults");
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    const Subject subject =
        kernel_subject(Case(kernel_named("groupnorm").schema).with("dtype", dtype));
    for (int k = 0; k < 200; ++k) {
      const auto planted = plant_in_element(subject, next);
      ASSERT_TRUE(planted);
      const auto& [name, tensor] = *planted->changed.begin();
      const Discrepancy d = compare(tensor, subject.answers.at(name));
      EXPECT_GE(d.max_ratio, 2 * (1 - unit_roundoff(DType::f32))) << dtype << " " << name;
      EXPECT_EQ(d.bad, 1);
    }
  }
}

TEST(TrialTolerances, FollowTorchsRule) {
  const auto of = [](double value, DType dtype = DType::f32) {
    Tensor tensor(dtype, {1});
    tensor.set(0, value);
    return tensor;
  };
  using Flagged3 = std::array<bool, kTolerances>;
  EXPECT_EQ(flagged(of(1), of(1)), (Flagged3{false, false, false}));
  EXPECT_EQ(flagged(of(1.001), of(1)), (Flagged3{true, false, true}));
  EXPECT_EQ(flagged(of(1.001, DType::bf16), of(1)), (Flagged3{false, false, false}));
  EXPECT_EQ(flagged(of(1.1), of(1)), (Flagged3{true, true, true}));
  EXPECT_EQ(flagged(of(INFINITY), of(INFINITY)), (Flagged3{false, false, false}));
  EXPECT_EQ(flagged(of(INFINITY), of(1)), (Flagged3{true, true, true}));
  EXPECT_EQ(flagged(of(NAN), of(NAN)), (Flagged3{true, true, true}));
}

}  // namespace
}  // namespace gradproof
