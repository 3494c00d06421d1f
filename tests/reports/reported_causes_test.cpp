// SPDX-License-Identifier: Apache-2.0
// A cause is one card of the page, one block of the text, one annotation, one row of markdown.
#include <gtest/gtest.h>

#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "tests/support/report_made.h"

namespace gradproof {
namespace {

Record failing(const std::string& tensor, const std::string& case_text, double ratio) {
  Record r = sample_failure();
  r.tensor = tensor;
  r.case_text = case_text;
  r.discrepancy().max_ratio = ratio;
  return r;
}

/// y and d_x are wrong in both Cases; y, which is computed first, less so.
Report two_cases() {
  return report_of({failing("d_x", "k rows=1", 60), failing("y", "k rows=1", 5),
                    failing("y", "k rows=2", 4), failing("d_x", "k rows=2", 3)});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(ReportedCauses, TheFirstTensorGivesTheTitle) {
  const Report report = two_cases();
  const std::vector<ReportedCause> causes = reported_causes(report);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].title(), "Failed batchnorm_bias_divide_swish: y, d_x");
  EXPECT_EQ(causes[0].replay(), "gradproof replay 'k rows=1'");
  EXPECT_TRUE(reported_causes(report_of({sample_pass()})).empty()) << "the control";
}

TEST(ReportedCauses, ThePageHasOneCardAndEveryCaseOnce) {
  const std::string page = html(two_cases());
  EXPECT_EQ(count(page, "<article"), 1u);
  EXPECT_EQ(count(page, "gradproof replay"), 2u) << "one for each Case";
  EXPECT_TRUE(has(page, "1 more case of this cause"));
  // The control: a gradient that is wrong alone, in another Case, is another cause.
  EXPECT_EQ(count(html(report_of({failing("y", "k rows=1", 5), failing("d_x", "k rows=2", 3)})),
                  "<article"),
            2u);
}

TEST(ReportedCauses, TextAndAnnotationsSayItOnce) {
  const std::string text = plain_text(two_cases());
  EXPECT_TRUE(has(text, "\n\nFAILED  batchnorm_bias_divide_swish y: 64 of 2112 elements over "))
      << text;
  EXPECT_TRUE(has(text, "d_x follows, or is wrong too\n")) << text;
  EXPECT_EQ(count(text, "\n  replay "), 1u) << text;
  EXPECT_EQ(count(github_commands(two_cases()), "::error "), 1u);
  EXPECT_EQ(count(markdown(two_cases()), "| batchnorm_bias_divide_swish | Failed | f32 | y: "), 1u);
}

}  // namespace
}  // namespace gradproof
