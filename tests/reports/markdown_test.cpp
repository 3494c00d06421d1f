// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/report_sample.h"

namespace gradproof {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Markdown, RowNamesTheWorstCaseOfATensor) {
  Record worse = sample_pass();
  worse.case_text = "batchnorm_bias_divide_swish rows=7";
  worse.discrepancy().max_ratio = 0.9375;
  const std::string text = markdown(StoredRecords{{sample_pass(), worse}, ""});
  EXPECT_TRUE(has(text, "| batchnorm_bias_divide_swish | d_x | 2 | 2 | 0 | 0 | 0 | 0.94 | 0.22 |"));
  EXPECT_TRUE(has(text, "`gradproof replay 'batchnorm_bias_divide_swish rows=7'`"));
  EXPECT_TRUE(has(text, "- cpu: executor sm_90, g++ 12.2 -O2, gradproof 0.1.0"));
  EXPECT_FALSE(has(text, "## Wrong"));
}

TEST(Markdown, TheWorstResolutionOfThePassesIsReported) {
  Record coarse = sample_pass();
  coarse.case_text = "batchnorm_bias_divide_swish rows=7";
  coarse.discrepancy().resolution = {0.03125, 0.0625, 0.25, 8, 3, 5};
  Record narrow = sample_pass();
  narrow.dtype = "bf16";
  Record nothing = sample_pass();  // neither zeros or NaN alone nor what is no pass has a row
  nothing.tensor = "d_bias";
  nothing.discrepancy().resolution.whole = std::numeric_limits<double>::infinity();
  Record doubted = sample_pass();
  doubted.tensor = "d_weight";
  doubted.verdict = {Outcome::mistrusted, "a reason"};
  const StoredRecords stored{{sample_pass(), coarse, narrow, nothing, doubted}, ""};
  const std::string start = "| batchnorm_bias_divide_swish | d_x | ";
  const std::string text = markdown(stored);
  EXPECT_TRUE(has(text, start + "f32 | 2 | 0.031 | 0.062 | 0.031 | batchnorm_bias_divide_swish "
                                "rows=7 |\n"));
  EXPECT_TRUE(has(text, start + "bf16 | 1 | 2.4e-07 | 4.8e-07 | 2.4e-07 | "));
  const std::string table = text.substr(text.find("## What the passes resolve"));
  EXPECT_FALSE(has(table.substr(0, table.find("\n## ", 1)), "d_bias"));
  EXPECT_FALSE(has(table.substr(0, table.find("\n## ", 1)), "d_weight"));
  EXPECT_TRUE(has(plain_text(stored),
                  "batchnorm_bias_divide_swish  d_x     f32    2       0.031     0.062    0.031"));
  EXPECT_FALSE(has(markdown(StoredRecords{{doubted}, ""}), "What the passes resolve"));
}

TEST(Markdown, FailuresSkipsAndGapsAreReported) {
  Record skip = sample_pass();
  skip.tensor = kExecution;
  skip.mode = "eval";
  skip.verdict = {Outcome::skipped, "no device"};
  const std::string text = markdown(StoredRecords{{sample_failure(), skip}, "a note"});
  EXPECT_TRUE(has(text, "## Wrong"));
  EXPECT_TRUE(has(text, "all in column 32"));
  EXPECT_TRUE(has(text, "## Skipped"));
  EXPECT_TRUE(has(text, "**incomplete**: batchnorm_bias_divide_swish f32 eval execution"));
  EXPECT_TRUE(has(text, "a note"));
}

TEST(Markdown, ComparisonListsWhatChangedOnly) {
  const Baseline b = make_baseline({sample_pass()}, nullptr, {"2026-01-02", "first"});
  EXPECT_FALSE(has(markdown(compare({sample_pass()}, b, "f")), "| regressed"));
  Record worse = sample_pass();
  worse.digest = "other";
  worse.discrepancy().max_ratio *= 100;
  EXPECT_TRUE(has(markdown(compare({worse}, b, "f")), "| regressed | d_x | 0.81 / 0.12 | 81"));
  EXPECT_TRUE(has(plain_text(compare({worse}, b, "f")), "1 regressed"));
  worse.context.device = "other";
  EXPECT_TRUE(has(markdown(compare({worse}, b, "f")), "**not comparable**"));
  EXPECT_TRUE(has(plain_text(compare({worse}, b, "f")), "NOT COMPARABLE"));
}

}  // namespace
}  // namespace gradproof
