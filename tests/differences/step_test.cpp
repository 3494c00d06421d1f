// SPDX-License-Identifier: Apache-2.0
// Values that change over far less than the width that is known of them: D(h) still grows there as
// h shrinks, and |D(h) - D(2h)| estimates nothing.
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/differences/tally.h"
#include "tests/support/audit/tiny_target.h"

namespace gradproof::oracle_tests {
namespace {

/// amplitude * x / sqrt(x^2 + s^2) at x = s/2: bounded, and all of its change within s = 2^log2_s.
TinyTerm narrow(int log2_s, const char* factor = "1", double slope = 0) {
  const Digits400 s = ldexp(Digits400(1), log2_s);
  const auto value = [s, slope](const Digits400& x) {
    return Digits400(x / sqrt(x * x + s * s) + slope * sin(x));
  };
  const double at = std::ldexp(1, log2_s - 1);
  const Digits400 x(at);
  const Digits400 root = sqrt(x * x + s * s);
  return {at, value, Real(Digits400(factor) * (s * s / (root * root * root) + slope * cos(x)))};
}

TEST(AuditStep, ARightClaimIsNeverWrongHoweverNarrowTheValue) {
  for (const double slope : {0.0, 1.0, 1e10})
    for (int log2_s = 0; log2_s >= -200; log2_s -= 10) {
      const AuditRow row = row_of({narrow(log2_s, "1", slope)});
      EXPECT_EQ(row.wrong, 0) << log2_s << " " << slope << ": " << row.reason;
      if (log2_s >= -160) {
        EXPECT_EQ(row.verdict, Outcome::certified) << log2_s << " " << slope << ": " << row.reason;
      }
    }
}

TEST(AuditStep, AWrongClaimIsWrongWhereAStepResolvesIt) {
  for (const double slope : {0.0, 1.0})
    for (int log2_s = 0; log2_s >= -200; log2_s -= 10) {
      const AuditRow row = row_of({narrow(log2_s, "1.000001", slope)});
      EXPECT_NE(row.verdict, Outcome::certified) << log2_s << " " << slope;
      if (log2_s >= -160) {
        EXPECT_EQ(row.verdict, Outcome::wrong) << log2_s << " " << slope << ": " << row.reason;
      }
    }
}

TEST(AuditStep, WhatNoStepResolvesSaysSo) {
  for (const char* factor : {"1", "1.000001", "-1"}) {
    const AuditRow row = row_of({narrow(-400, factor)});
    EXPECT_EQ(row.verdict, Outcome::inconclusive) << row.reason;
    ASSERT_EQ(row.inconclusive.size(), 1u);
    EXPECT_EQ(row.inconclusive[0].reason, OpenReason::too_fine);
  }
}

/// A number beside it has a gradient of 1.
TEST(AuditStep, BesideAWideOne) {
  const auto sine = [](const Digits400& x) { return Digits400(sin(x)); };
  const TinyTerm wide{0.75, sine, cos(Real(0.75))};
  for (int log2_s = 0; log2_s >= -100; log2_s -= 10) {
    const AuditRow right = row_of({wide, narrow(log2_s), wide});
    EXPECT_EQ(right.verdict, Outcome::certified) << log2_s << ": " << right.reason;
    const AuditRow wrong = row_of({wide, narrow(log2_s, "1.000001"), wide});
    EXPECT_EQ(wrong.wrong_entries, std::vector<std::int64_t>{1}) << log2_s << ": " << wrong.reason;
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
