// SPDX-License-Identifier: Apache-2.0
// Which failures have one cause, and which tensor leads it.
#include "reports/formats/causes.h"

#include <gtest/gtest.h>

#include "reports/formats/formats.h"
#include "tests/support/report_made.h"

namespace gradproof {
namespace {

Record failing(const std::string& tensor, const std::string& case_text, double ratio,
               const std::string& dtype = "f32") {
  Record r = sample_failure();
  r.tensor = tensor;
  r.case_text = case_text;
  r.dtype = dtype;
  r.discrepancy().max_ratio = ratio;
  return r;
}

std::vector<std::string> titles_of(const std::vector<Record>& records) {
  const Report report = report_of(records);
  std::vector<std::string> titles;
  for (const FailureCause& cause : causes_of(report)) titles.push_back(cause.title());
  return titles;
}

const std::string kKernel = "batchnorm_bias_divide_swish";

TEST(Causes, AWrongOutputLeadsItsGradients) {
  // The gradients are further off and the output stands between them.
  const std::vector<Record> records{failing("d_x", "k rows=1", 90), failing("y", "k rows=1", 5),
                                    failing("d_bias", "k rows=1", 70)};
  EXPECT_EQ(titles_of(records), std::vector{"Failed " + kKernel + ": y, d_bias, d_x"});
  std::vector<Record> unsteady = records;
  unsteady[0].verdict = {Outcome::nondeterministic, "other bits"};
  EXPECT_EQ(titles_of(unsteady), std::vector{"Failed " + kKernel + ": y, d_bias, d_x"});
  // The control: in Cases of their own they are three faults.
  const std::vector<Record> apart{failing("d_x", "k rows=1", 90), failing("y", "k rows=2", 5),
                                  failing("d_bias", "k rows=3", 70)};
  EXPECT_EQ(titles_of(apart),
            (std::vector{"Failed " + kKernel + ": d_x", "Failed " + kKernel + ": d_bias",
                         "Failed " + kKernel + ": y"}));
}

TEST(Causes, TypesOfAKernelAreOne) {
  const std::vector<Record> records{failing("y", "k", 5), failing("y", "k dtype=f16", 7, "f16"),
                                    sample_pass()};
  const Report report = report_of(records);
  const auto causes = causes_of(report);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].summary(), "2 of 2 tensors are wrong in f16, f32, worst error/bound of y 7");
  Record crash = failing("y", "k rows=9", 5);
  crash.verdict = {Outcome::crashed, "SIGSEGV"};
  EXPECT_EQ(titles_of({records[0], crash}),
            (std::vector{"Crashed " + kKernel + ": y", "Failed " + kKernel + ": y"}))
      << "the control: another kind of outcome";
}

TEST(Causes, EveryFailureStandsInOneOfThem) {
  const std::vector<Record> records{failing("y", "k rows=1", 5), failing("d_x", "k rows=1", 6),
                                    failing("d_x", "k rows=2", 7), failing("d_x", "k rows=3", 8)};
  const Report report = report_of(records);
  std::size_t failures = 0;
  for (const FailureCause& cause : causes_of(report))
    for (const FailureGroup& group : cause.groups) failures += group.failures.size();
  EXPECT_EQ(failures, records.size());
  EXPECT_TRUE(causes_of(report_of({sample_pass()})).empty()) << "the control";
}

TEST(Causes, ThePageHasOneCardForEachAndEveryCaseOnce) {
  const std::string page =
      html(report_of({failing("y", "k rows=1", 5), failing("d_x", "k rows=1", 6),
                      failing("y", "k rows=2", 4), failing("d_x", "k rows=2", 3)}));
  std::size_t cards = 0, replays = 0;
  for (std::size_t at = 0; (at = page.find("<article", at)) != std::string::npos; ++at) ++cards;
  for (std::size_t at = 0; (at = page.find("gradproof replay", at)) != std::string::npos; ++at)
    ++replays;
  EXPECT_EQ(cards, 1u);
  EXPECT_EQ(replays, 2u) << "one for each Case";
  EXPECT_TRUE(has(page, "1 more case of this cause"));
}

}  // namespace
}  // namespace gradproof
