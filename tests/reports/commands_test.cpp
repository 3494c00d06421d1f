// SPDX-License-Identifier: Apache-2.0
// A printed command is one that runs: whose worker it is for stands in it, in every format.
#include "reports/text/commands.h"

#include <gtest/gtest.h>

#include "reports/formats/formats.h"
#include "tests/support/report_made.h"

namespace gradproof {
namespace {

constexpr const char* kWorker = "build/my kernels/kernels_test";
constexpr const char* kInShell = "--worker 'build/my kernels/kernels_test'";

TEST(Commands, AreWhatAShellTakes) {
  const Commands plain;
  EXPECT_EQ(plain.replay("k rows=3"), "gradproof replay 'k rows=3'");
  const Commands own{"build/cpu/bin/gradproof", kWorker};
  EXPECT_EQ(own.replay("k rows=3"),
            std::string("build/cpu/bin/gradproof replay 'k rows=3' ") + kInShell);
  EXPECT_EQ(own.explain(sample_failure()), "build/cpu/bin/gradproof explain '" +
                                               sample_failure().case_text + "' 'd_x[0,32]' " +
                                               kInShell);
  EXPECT_EQ(plain.audit(sample_failure()), "gradproof audit '" + sample_failure().case_text + "'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Commands, AreNotSaidWhereTheVerbHasNothingToSay) {
  Record law = sample_failure();
  law.witness = "law dx_sum";
  EXPECT_EQ(Commands().explain(law) + Commands().audit(law), "");
  Record crash = sample_failure();
  crash.tensor = kExecution;
  EXPECT_EQ(Commands().explain(crash), "");
}

TEST(Commands, NameOneNumberWithoutAnIndex) {
  Record loss = sample_failure();
  EXPECT_TRUE(Commands().explain(loss).ends_with("]'"))
      << "the control: " << Commands().explain(loss);
  loss.shape = {};
  loss.tensor = "l";
  EXPECT_TRUE(Commands().explain(loss).ends_with(" 'l'")) << Commands().explain(loss);
}

TEST(Commands, TakeTheWorkerFromACommandLine) {
  EXPECT_EQ(worker_among({"gradproof", "check", "k", "--worker", "a b"}), "a b");
  EXPECT_EQ(worker_among({"gradproof", "check", "--worker=x", "k"}), "x");
  EXPECT_EQ(worker_among({"gradproof", "check", "--workers", "3"}), "");
  EXPECT_EQ(worker_among({"gradproof", "check", "--worker"}), "");
}

class EveryFormat : public testing::TestWithParam<ReportFormat> {};

TEST_P(EveryFormat, NamesTheWorkerOfTheRun) {
  Report report = report_of({sample_failure()});
  report.check->header.command = {"gradproof", "check", "k", "--worker", kWorker};
  report.check->program = "build/cpu/bin/gradproof";
  const std::string text = rendered(report, GetParam());
  for (const char* part : {"build/cpu/bin/gradproof replay ", "my kernels/kernels_test"})
    EXPECT_TRUE(has(text, part)) << part << " in\n" << text;
  EXPECT_FALSE(has(text, "replay: gradproof replay")) << text;
  const std::string plain = rendered(report_of({sample_failure()}), GetParam());
  EXPECT_FALSE(has(plain, "--worker")) << "the control\n" << plain;
}

INSTANTIATE_TEST_SUITE_P(Commands, EveryFormat,
                         testing::Values(ReportFormat::text, ReportFormat::markdown,
                                         ReportFormat::html, ReportFormat::junit,
                                         ReportFormat::json, ReportFormat::github,
                                         ReportFormat::sarif),
                         [](const auto& format) { return std::string(name_of(format.param)); });

TEST(ReportSeconds, AreThoseOfTheRunsClock) {
  Report report = report_of({sample_pass()});
  report.check->end->seconds = 449.48;
  report.check->stored.records[0].seconds = 806.21;
  EXPECT_TRUE(has(plain_text(report), " seconds=449.48\n")) << plain_text(report);
  EXPECT_TRUE(has(markdown(report), ", 449.48 s\n")) << markdown(report);
  report.check->end.reset();  // it did not come to its end: what its Cases took is known
  EXPECT_TRUE(has(plain_text(report), " seconds=806.21\n")) << plain_text(report);
}

}  // namespace
}  // namespace gradproof
