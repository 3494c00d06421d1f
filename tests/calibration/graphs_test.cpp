// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "core/graph/stages.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/graphs/graph_trial.h"

namespace gradproof {
namespace {

std::string value_of(const CalibrationReport& report, const std::string& key) {
  for (const auto& [name, value] : report.result)
    if (name == key) return value;
  return "absent";
}

TEST(CalibrateGraphs, LibTorchIsWithinItsBoundAndWhatIsPlantedIsFound) {
  const CalibrationReport report = calibrate_graphs({.catalog = catalog(), .cases = 600});
  EXPECT_EQ(report.code, 0) << (report.findings.empty() ? "" : report.findings.front());
  EXPECT_EQ(value_of(report, "false_alarms"), "0");
  EXPECT_GT(std::stoi(value_of(report, "planted")), 50);
  EXPECT_EQ(value_of(report, "planted"), value_of(report, "convicted"));
}

/// The control judges LibTorch's results, each a hundredth off.
TEST(CalibrateGraphs, ResultsThatAreOffAreAlarms) {
  const CalibrationReport report =
      calibrate_graphs({.catalog = catalog(), .cases = 60, .biased = 0.01});
  EXPECT_EQ(report.code, 1);
  EXPECT_GT(std::stoi(value_of(report, "false_alarms")), 30);
}

TEST(CalibrateGraphs, TooFewGraphsAreIncomplete) {
  EXPECT_EQ(calibrate_graphs({.catalog = catalog(), .cases = 2}).code, 4);
}

/// The tally of 600 Cases, as if each stage had come eight times as often.
GraphTally reached(double widened) {
  GraphTally tally =
      graph_tally({.catalog = catalog(), .cases = 600, .widened = widened}, {0, 600});
  for (auto& [name, row] : tally.alone) {
    row.cases *= 8;
    for (StageReach* reach : {&row.value, &row.gradient}) reach->loose *= 8;
  }
  for (const GraphStage& s : graph_stages()) tally.drawn[std::string(s.word)] = 1;
  return tally;
}

TEST(CalibrateGraphs, ABoundAThousandTimesTooWideIsNamed) {
  // A stage that came once counts as eight times; its one Case may be far from its bound.
  const int own = std::stoi(value_of(graph_report(reached(1), 0), "wide"));
  const CalibrationReport report = graph_report(reached(1000), 0);
  EXPECT_EQ(report.code, 4);
  EXPECT_GT(std::stoi(value_of(report, "wide")), 10 * own);
  EXPECT_EQ(report.findings.front().find("wide: "), 0U) << report.findings.front();
}

/// The Case multiplies bfloat16 numbers; some rows of 40 have infinities, which AMX's tiles spread.
TEST(CalibrateGraphs, WhatOneDnnAloneDoesIsNoAlarm) {
  const char* const line =
      "{u = abs(x[rows,cols]); v = log(u); y = linear(v, t[m,cols])} rows=33 cols=40 m=6 "
      "dtype=bf16 fill=dyadic seed=683";
  const CalibrationPlan plan{.catalog = catalog()};
  const Suspect suspect{"y", line, "", true};
  Suspect off = suspect;
  off.is_nan_alone = false;
  EXPECT_FALSE(off.is_of_onednn(plan)) << "numbers that are off are never excused";
  EXPECT_FALSE(suspect.is_of_onednn({.catalog = catalog(), .biased = 10}))
      << "a fault that stays without oneDNN";
  Suspect without_product = suspect;
  without_product.case_text = "{u = abs(x); y = log(u)} dtype=bf16 fill=dyadic";
  EXPECT_FALSE(without_product.is_of_onednn(plan));
  EXPECT_TRUE(suspect.is_of_onednn(plan));
}

TEST(CalibrateGraphs, PartsMakeTheWhole) {
  const CalibrationPlan plan{.catalog = catalog(), .cases = 90};
  GraphTally parts;
  for (const CaseRange& range : ranges_of(90)) parts.merge(graph_tally(plan, range));
  const GraphTally whole = graph_tally(plan, {0, 90});
  EXPECT_EQ(parts.graphs, whole.graphs);
  EXPECT_EQ(parts.elements, whole.elements);
  EXPECT_EQ(parts.drawn, whole.drawn);
  EXPECT_EQ(parts.planted, whole.planted);
}

}  // namespace
}  // namespace gradproof
