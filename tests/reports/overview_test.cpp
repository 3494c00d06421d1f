// SPDX-License-Identifier: Apache-2.0
#include "reports/text/overview.h"

#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/report_sample.h"

namespace gradproof {
namespace {

Record of(Record r, const std::string& kernel, const std::string& dtype,
          const std::string& case_text) {
  r.kernel = kernel;
  r.dtype = dtype;
  r.case_text = case_text;
  return r;
}

TEST(Overview, HasARowForAKernelAndAColumnForADtype) {
  Record half = of(sample_pass(), "a", "f16", "a 2");
  half.discrepancy().max_ratio = 0.9;
  half.tensor = "y";
  const std::vector<TextRow> rows =
      overview_rows({of(sample_pass(), "b", "f32", "b 1"), of(sample_pass(), "a", "f32", "a 1"),
                     of(sample_pass(), "a", "f32", "a 1"), half,
                     of(sample_mistrusted("no elements"), "a", "f32", "a 3")});
  const std::vector<TextRow> expected{
      {"kernel", "cases", "f32", "f16", "mistrusted", "worst error/bound", "resolves"},
      {"a", "3", "2 ok", "1 ok", "1", "0.9 y", "f32 2.4e-07"},
      {"b", "1", "1 ok", "-", "0", "0.81 d_x", "f32 2.4e-07"}};
  EXPECT_EQ(rows, expected);
}

TEST(Overview, SaysWhatIsWrongOrOpenInItsCell) {
  Record skipped = of(sample_pass(), "b", "f32", "b 1");
  skipped.verdict = {Outcome::skipped, "no GPU"};
  const std::vector<TextRow> rows =
      overview_rows({of(sample_failure(), "a", "f32", "a 1"), of(sample_pass(), "a", "f32", "a 2"),
                     skipped, of(sample_pass(), "b", "f32", "b 2")});
  EXPECT_EQ(rows[1][2], "1 of 2 WRONG");
  EXPECT_EQ(rows[1][4], "9.5 d_x");
  EXPECT_EQ(rows[2][2], "1 of 2 open");
}

TEST(Overview, ResolvesTheWorstOfThePassesThatAFactorMoves) {
  Record coarse = of(sample_pass(), "a", "f32", "a 1");
  coarse.discrepancy().resolution.whole = 0.25;
  Record unmoved = coarse;
  unmoved.discrepancy().resolution.whole = std::numeric_limits<double>::infinity();
  EXPECT_EQ(overview_rows({of(sample_pass(), "a", "f32", "a 2"), coarse, unmoved})[1].back(),
            "f32 0.25");
  EXPECT_EQ(overview_rows({of(sample_pass(), "a", "bf16", "a 2")})[1].back(), "bf16 2.4e-07");
  EXPECT_EQ(overview_rows({unmoved})[1].back(), "-");
}

TEST(Overview, CountsTheRungsOfThePasses) {
  EXPECT_EQ(rungs_line({sample_pass()}), "");
  Record fused = sample_pass(), operators = sample_mistrusted("no elements"),
         wrong = sample_failure();
  fused.rung = Rung::fused;
  operators.rung = Rung::operator_at_a_time;
  wrong.rung = Rung::statistics_too;
  EXPECT_EQ(rungs_line({operators, fused, wrong, sample_pass(), fused}),
            "passes: 2 on rung 'fused', 1 on rung 'operator at a time'");
}

TEST(Overview, CountsTheTensorsOfWhichAPartIsJudged) {
  EXPECT_EQ(samples_line({sample_pass()}), "");
  Record part = sample_pass(), wrong = sample_failure();
  part.sample = wrong.sample = "16 of 4096 along m";
  EXPECT_EQ(samples_line({part, sample_pass()}),
            "1 tensor of which a part is judged (elements=all judges all)");
  EXPECT_EQ(samples_line({part, wrong}).substr(0, 9), "2 tensors");
}

TEST(Overview, NamesTheLongestChainOfThePasses) {
  EXPECT_EQ(chains_line({sample_pass()}), "");
  Record shorter = sample_pass(), longer = sample_pass(), wrong = sample_failure();
  shorter.chain = {ChainSource::consistent, 10, 767};
  longer.chain = {ChainSource::consistent, 24, 63};
  longer.tensor = "d_weight";
  wrong.chain = {ChainSource::consistent, 700, 767};
  EXPECT_EQ(chains_line({shorter, longer, wrong, sample_pass()}),
            fmt::format("consistent with chains of 24 additions or more of 63 (d_weight of {})",
                        longer.kernel));
}

}  // namespace
}  // namespace gradproof
