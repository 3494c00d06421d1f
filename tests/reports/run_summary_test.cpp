// SPDX-License-Identifier: Apache-2.0
#include "reports/text/run_summary.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "reports/causes/cause_block.h"
#include "reports/text/case_table.h"
#include "reports/text/text_table.h"
#include "reports/text/wrap.h"
#include "tests/support/report_sample.h"

namespace gradproof {
namespace {

using Lines = std::vector<std::string>;

Record of_tensor(Record r, const std::string& tensor) {
  r.tensor = tensor;
  return r;
}

TEST(RunSummary, CountsTheCellsThatHaveTrustedPasses) {
  const Record y = of_tensor(sample_pass(), "y");
  EXPECT_EQ(
      trusted_text({y, y, sample_pass(), sample_mistrusted("momentum is 1")}),
      "2 of 2 combinations of kernel, type, mode and tensor have trusted passes, the fewest 1 "
      "(batchnorm_bias_divide_swish f32 train d_x)");
  // The control: doubted passes alone leave a cell open.
  const std::string one = trusted_text({y, sample_mistrusted("momentum is 1")});
  EXPECT_TRUE(one.starts_with("1 of 2 ")) << one;
  EXPECT_TRUE(one.ends_with("passes; batchnorm_bias_divide_swish f32 train d_x has none")) << one;
  const std::string two =
      trusted_text({y, sample_mistrusted("a"), of_tensor(sample_mistrusted("a"), "d_z")});
  EXPECT_TRUE(
      two.ends_with("; 2 have none, the first of them batchnorm_bias_divide_swish f32 "
                    "train d_x"))
      << two;
  EXPECT_EQ(trusted_text({sample_mistrusted("momentum is 1")}),
            "none of 1 combinations of kernel, type, mode and tensor has a trusted pass");
  EXPECT_EQ(trusted_text({}), "");
}

TEST(RunSummary, CountsApartWhatNoInputsCouldProve) {
  Record empty = sample_pass(), vanishing = sample_pass();
  empty.known = KnownTruth::no_elements;
  vanishing.known = KnownTruth::vanishes;
  EXPECT_EQ(untrusted_text({sample_pass()}), "");
  EXPECT_EQ(
      untrusted_text({sample_pass(), sample_mistrusted("momentum is 1"), empty, vanishing, empty}),
      "1 of 5 passes prove little; 2 are of tensors without elements; 1 vanishes by the "
      "mathematics");
}

TEST(RunSummary, NamesTheKindsOfDoubtInWordsWithoutTheirNumbers) {
  const std::vector<Record> records{
      sample_mistrusted("the bound is inf% of the truth, by root mean squares"),
      sample_mistrusted("the bound is 1.2e+03% of the truth, by root mean squares"),
      sample_mistrusted("bias is -0.5 everywhere: a wrong index would pass"),
      sample_mistrusted("dy is 1 everywhere: a wrong index would pass"),
      sample_mistrusted("x is 1e-05 everywhere: a wrong index would pass"),
      sample_mistrusted("momentum is 1")};
  const std::vector<DoubtedPasses> all = doubted_passes(records);
  EXPECT_EQ(all, (std::vector<DoubtedPasses>{
                     {3, "an operand is one number everywhere: a wrong index, or none, would pass"},
                     {2, "the bound is over 5% of the truth"},
                     {1, "a factor or a momentum is a number that hides a fault"}}));
  EXPECT_EQ(doubted_passes(records, 2), all) << "one kind by name is no longer than a count";
  EXPECT_EQ(doubted_passes(records, 1),
            (std::vector<DoubtedPasses>{all.front(), {3, "of 2 other kinds"}}));
  EXPECT_TRUE(doubted_passes({sample_pass()}).empty()) << "the control";
}

TEST(RunSummary, CountsStandBelowEachOther) {
  std::vector<Record> records(12, sample_mistrusted("momentum is 1"));
  records.push_back(sample_mistrusted("one constant would pass for every element"));
  const std::string text = summary_lines(records, 100);
  EXPECT_NE(text.find("\n               12  a factor or a momentum"), std::string::npos) << text;
  EXPECT_NE(text.find("\n                1  one constant"), std::string::npos) << text;
}

TEST(RunSummary, NamesFewerKindsOfDoubtInANarrowTerminal) {
  const std::vector<Record> records{
      sample_pass(),
      sample_mistrusted("momentum is 1"),
      sample_mistrusted("one constant would pass for every element"),
      sample_mistrusted("zeros would pass: every truth is 0"),
      sample_mistrusted("the bound of 3 elements is vacuous"),
      sample_mistrusted("dy is 1 everywhere: a wrong index would pass")};
  const auto lines = [&](std::size_t width) {
    const std::string text = summary_lines(records, width);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_LE(lines(80), 10) << "truth, memory and RESULT take four more";
  EXPECT_LE(lines(100), 11) << "they take three more";
  EXPECT_NE(summary_lines(records, 80).find("of 3 other kinds"), std::string::npos);
  EXPECT_EQ(summary_lines(records, 100).find("of 3 other kinds"), std::string::npos);
}

TEST(RunSummary, SaysWhatTheMedianPassResolvesAndTheCoarsest) {
  Record coarse = sample_pass(), unmoved = sample_pass();
  coarse.discrepancy().resolution.whole = 0.25;
  unmoved.discrepancy().resolution.whole = std::numeric_limits<double>::infinity();
  EXPECT_EQ(resolves_text({sample_pass(), coarse, sample_pass(), unmoved}),
            "f32: 2.4e-07 in the median pass, 0.25 in the coarsest (d_x of "
            "batchnorm_bias_divide_swish)");
  EXPECT_EQ(resolves_text({unmoved}), "");
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    longest = std::max(longest, end - start);
  return longest;
}

TEST(Width, NoLineOfAFailureIsLonger) {
  Record pass = of_tensor(sample_pass(), "y");
  for (const std::size_t width : {60u, 80u, 100u}) {
    const std::string text = judged_case_text({pass, sample_failure()}, {}, width);
    EXPECT_LE(longest_line(text), std::max<std::size_t>(width, 72)) << text;  // the table's width
  }
  // The control: there is more than fits.
  EXPECT_GT(judged_case_text({sample_failure()}, {}, 1000).find("\n"), 75u);
}

TEST(Width, CommandsAreBrokenSoThatAShellTakesThem) {
  const std::string command = "gradproof explain 'kernel rows=64 cols=33 seed=7' 'd_x[0,32]'";
  EXPECT_EQ(filled_command({"  ", 2, 100}, command), "  " + command + "\n");
  EXPECT_EQ(filled_command({"  ", 2, 36}, command),
            "  gradproof explain \"kernel \\\n    rows=64 cols=33 seed=7\" \\\n    'd_x[0,32]'\n");
  // A word that says something else in double quotes is left whole.
  EXPECT_EQ(filled_command({"", 0, 20}, "gradproof check 'a $b c d e f'"),
            "gradproof check \\\n  'a $b c d e f'\n");
}

TEST(Width, TablesBecomeNarrowerByTheirWidestColumn) {
  const std::vector<TextRow> rows{{"a", "b"}, {"one", "some words that are long"}};
  EXPECT_EQ(fitted(rows, 40), aligned(rows));
  EXPECT_EQ(fitted(rows, 18), (Lines{"a    b", "one  some words", "     that are long"}));
}

TEST(CaseTable, SaysTheContractOnceAndAReasonUnderItsRow) {
  const std::string text = case_table(
      pointers_to({of_tensor(sample_pass(), "y"), sample_mistrusted("momentum is 1")}), 100);
  const std::string why = "two-pass, 256-lane tree, 1-ulp expf\n";
  EXPECT_EQ(text.find(why), text.rfind(why));
  EXPECT_NE(text.find("  passed      y       0.81      0.22  2.4e-07   4.8e-07\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n      momentum is 1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("over the bound"), std::string::npos) << "the control: nothing is";
}

}  // namespace
}  // namespace gradproof
