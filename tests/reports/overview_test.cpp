// SPDX-License-Identifier: Apache-2.0
#include "reports/text/overview.h"

#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/text/doubts.h"
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

Record mistrusted(const std::string& reason) {
  Record r = sample_pass();
  r.verdict = {Outcome::mistrusted, reason};
  return r;
}

TEST(Overview, HasARowForAKernelAndAColumnForADtype) {
  Record half = of(sample_pass(), "a", "f16", "a 2");
  half.discrepancy().max_ratio = 0.9;
  half.tensor = "y";
  const std::vector<TextRow> rows =
      overview_rows({of(sample_pass(), "b", "f32", "b 1"), of(sample_pass(), "a", "f32", "a 1"),
                     of(sample_pass(), "a", "f32", "a 1"), half,
                     of(mistrusted("no elements"), "a", "f32", "a 3")});
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

TEST(Overview, CountsWhatIsMistrustedByReason) {
  EXPECT_EQ(mistrusted_line({sample_pass(), sample_failure()}), "");
  EXPECT_EQ(mistrusted_line({mistrusted("no elements")}),
            "1 pass proves little (100% of all): by their inputs 1: 1 no elements");
  EXPECT_EQ(mistrusted_line({mistrusted("the bound is 6.89% of the truth, by root mean squares"),
                             mistrusted("the bound is 12.5% of the truth, by root mean squares"),
                             mistrusted("zeros would pass: every truth is 0"), sample_pass(),
                             mistrusted("zeros would pass in 5 of the 9 elements"),
                             mistrusted("zeros would pass in 9 of the 9 elements"), sample_pass(),
                             mistrusted("zeros would pass in 9 of the 9 elements")}),
            "6 passes prove little (75% of all): by their inputs 1: 1 every truth is 0; by their "
            "bound 5: 3 zeros would pass in most elements, 2 the bound is over 5% of the truth");
}

TEST(Overview, SaysReasonsInWordsWithoutTheirNumbers) {
  EXPECT_EQ(mistrusted_line({mistrusted("the bound is inf% of the truth, by root mean squares"),
                             mistrusted("the bound is 1.2e+03% of the truth, by root mean squares"),
                             mistrusted("the bound of 3 elements is vacuous"),
                             mistrusted("the bound of 19 elements is vacuous"),
                             mistrusted("bias is -0.5 everywhere: a wrong index would pass"),
                             mistrusted("bias is 1e-05 everywhere: a wrong index would pass"),
                             mistrusted("momentum is 0.5: the two shares could be exchanged"),
                             mistrusted("momentum is 1")}),
            "8 passes prove little (100% of all): by their inputs 4: 2 bias is one number "
            "everywhere, 2 momentum is a number that hides a fault; by their bound 4: 2 the bound "
            "is over 5% of the truth, 2 the bound of some is infinite");
  EXPECT_EQ(mistrusted_line({mistrusted("one constant would pass for every element")}),
            "1 pass proves little (100% of all): by their inputs 1: 1 one constant would pass for "
            "every element");
}

/// The control: of a wrong tensor nothing is known that matters.
TEST(Overview, CountsThePassesWhoseTruthIsKnown) {
  Record vanishing = sample_pass(), empty = sample_pass(), wrong = sample_failure();
  vanishing.known = wrong.known = KnownTruth::vanishes;
  empty.known = KnownTruth::no_elements;
  EXPECT_EQ(known_line({sample_pass(), wrong}), "");
  EXPECT_EQ(known_line({vanishing, empty, sample_pass(), empty, wrong}),
            "passed whatever the inputs are: 2 no elements, 1 vanishing by mathematics");
}

TEST(Overview, CountsTheRungsOfThePasses) {
  EXPECT_EQ(rungs_line({sample_pass()}), "");
  Record fused = sample_pass(), operators = mistrusted("no elements"), wrong = sample_failure();
  fused.rung = Rung::fused;
  operators.rung = Rung::operator_at_a_time;
  wrong.rung = Rung::statistics_too;
  EXPECT_EQ(rungs_line({operators, fused, wrong, sample_pass(), fused}),
            "passes: 2 on rung 'fused', 1 on rung 'operator at a time'");
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

TEST(Overview, RollsUpWhatIsWrongByKernelAndTensor) {
  EXPECT_TRUE(wrong_rollups({sample_pass(), mistrusted("no elements")}).empty());
  Record worse = sample_failure();
  worse.discrepancy().max_ratio = 61.6;
  worse.case_text = "the worst";
  Record crashed = sample_failure();
  crashed.figures = Discrepancy();
  crashed.tensor = kExecution;
  crashed.verdict = {Outcome::crashed, "SIGSEGV"};
  const std::vector<Record> records{crashed, sample_failure(), worse, sample_pass()};
  const std::vector<Rollup> found = wrong_rollups(records);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].text,
            "batchnorm_bias_divide_swish d_x: 2 of 3 tensors over their bound, worst error/bound "
            "61.6");
  EXPECT_EQ(found[0].worst->case_text, "the worst");
  EXPECT_EQ(found[1].text, "batchnorm_bias_divide_swish execution: Crashed, 1 case");
}

}  // namespace
}  // namespace gradproof
