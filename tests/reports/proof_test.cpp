// SPDX-License-Identifier: Apache-2.0
// Every form of a report says what its passes prove, and explains a figure that looks like a fault.
#include <algorithm>

#include <gtest/gtest.h>

#include "reports/formats/formats.h"
#include "tests/support/report_made.h"

namespace gradproof {
namespace {

std::string without_breaks(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(Proof, NamesTheFewestTrustedPassesInEveryForm) {
  std::vector<Record> records{sample_pass(), sample_pass(), sample_pass()};
  records[2].tensor = "y";
  records[2].verdict.outcome = Outcome::mistrusted;
  const std::string proof =
      "1 of 2 combinations of kernel, type, mode and tensor have trusted passes; "
      "batchnorm_bias_divide_swish f32 train y has none; 1 of 3 passes prove little";
  EXPECT_EQ(proof_of(report_of(records)), proof);
  for (const auto& render : {markdown, html, github_commands})
    EXPECT_TRUE(has(render(report_of(records)), proof)) << render(report_of(records));
  Report wide = report_of(records);
  wide.width = 1000;
  for (const char* line :
       {"\ntrusted    1 of 2 combinations of kernel, type, mode and tensor have ",
        "; batchnorm_bias_divide_swish f32 train y has none\n",
        "\nuntrusted  1 of 3 passes prove little\n"})
    EXPECT_TRUE(has(plain_text(wide), line)) << plain_text(wide);
  EXPECT_FALSE(has(proof_of(report_of({records[0]})), "prove little")) << "the control";
}

TEST(PlainText, ManyUlpsOfAPassAreExplained) {
  Record cancelled = sample_pass();
  cancelled.discrepancy().max_ulp = 1.13e16;
  for (const auto& text : {plain_text(report_of({cancelled})), markdown(report_of({cancelled})),
                           html(report_of({cancelled}))}) {
    EXPECT_FALSE(has(text, "1.13e+16")) << text;
    EXPECT_TRUE(has(text, "over 10000")) << text;
    EXPECT_TRUE(has(without_breaks(text), "a sum whose terms cancel")) << text;
  }
  const std::string few = plain_text(report_of({sample_pass()}));
  EXPECT_FALSE(has(few, "terms cancel")) << "the control: " << few;
}

}  // namespace
}  // namespace gradproof
