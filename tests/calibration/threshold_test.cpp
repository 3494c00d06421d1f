// SPDX-License-Identifier: Apache-2.0
// Cases drawn where a range ends: they lie on both sides of it, and a judge that knows of no range
// convicts correct kernels on them.
#include "properties/calibration/threshold.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "properties/calibration/draw.h"
#include "properties/calibration/subject.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

bool has_finite_results(const CalibrationResult& result) {
  for (const auto& [name, answer] : result.answers) {
    const Tensor& got = get(result.got, name);
    for (std::int64_t i = 0; i < got.numel(); ++i)
      if (!std::isfinite(got.at(i))) return false;
  }
  return true;
}

std::int64_t alarms_of(const CalibrationResult& result, const CalibrationPlan& plan) {
  std::int64_t alarms = 0;
  for (const auto& [name, answer] : result.answers)
    alarms += judged(get(result.got, name), answer, plan).bad > 0;
  return alarms;
}

struct Seen {
  std::int64_t finite = 0;  ///< Cases without a NaN or Inf
  std::int64_t alarms = 0;
  std::int64_t unranged = 0;  ///< alarms of a judge without a range
};

Seen seen_of(const std::function<Case(std::int64_t, const RandomBits&)>& draw) {
  constexpr std::int64_t kCases = 90;
  Seen seen;
  for (std::int64_t number = 0; number < kCases; ++number) {
    const CalibrationResult result =
        kernel_subject(test_catalog(), draw(number, random_bits(3, std::to_string(number))));
    seen.finite += has_finite_results(result);
    seen.alarms += alarms_of(result, {.catalog = test_catalog()});
    seen.unranged += alarms_of(result, {.catalog = test_catalog(), .unranged = true});
  }
  return seen;
}

TEST(CalibrateThreshold, DrawsBothSidesOfWhereARangeEnds) {
  const CalibrationPlan plan{.catalog = test_catalog()};
  const Seen seen = seen_of([&](std::int64_t number, const RandomBits& next) {
    return draw_at_threshold(plan, number, next);
  });
  EXPECT_EQ(seen.alarms, 0);
  EXPECT_GT(seen.unranged, 5) << "the control";
  EXPECT_GT(seen.finite, 20);
  EXPECT_LT(seen.finite, 80);
}

TEST(CalibrateThreshold, DrawsTheSameTwice) {
  const CalibrationPlan plan{.catalog = test_catalog(), .kernels = {"groupnorm"}};
  const Case first = draw_at_threshold(plan, 1, random_bits(5, "threshold"));
  EXPECT_EQ(first, draw_at_threshold(plan, 1, random_bits(5, "threshold")));
  EXPECT_NE(first, draw_at_threshold(plan, 1, random_bits(6, "threshold")));
}

TEST(CalibrateFair, WithoutARangeRaisesAlarmsAtThresholds) {
  CalibrationPlan plan{.catalog = test_catalog(), .cases = 150, .unranged = true};
  EXPECT_EQ(calibrate_fair(plan).code, 1);
}

}  // namespace
}  // namespace gradproof
