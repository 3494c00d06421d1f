// SPDX-License-Identifier: Apache-2.0
// The formats of a report go to a file, a folder or standard output; other requests are refused.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

std::string folder_with_a_failure(const std::string& name) {
  const std::string folder = scratch_directory(name) + "/run";
  EXPECT_EQ(
      gradproof_with_fake("check sample 'sample behave=fail' --no-shrink --records " + folder, name)
          .code,
      1);
  return folder;
}

TEST(ReportOutput, SeveralFormatsGoIntoAFolder) {
  const std::string folder = folder_with_a_failure("report-several");
  const std::string out = folder + "/../out";
  const Finished done =
      report(folder + " --format html,junit,markdown,json,github,sarif,text --output " + out);
  EXPECT_EQ(done.code, 0) << done.err;
  for (const char* name : {"report.html", "junit.xml", "report.md", "report.json", "github.txt",
                           "report.sarif", "report.txt"}) {
    EXPECT_TRUE(has(text_of(out + "/" + name), "sample")) << name;
    EXPECT_TRUE(has(done.out, std::string("/") + name + ": ")) << done.out;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out), {}), 7)
      << "nothing else is left";
}

TEST(ReportOutput, OneFormatGoesToAFileOrStandardOutput) {
  const std::string folder = folder_with_a_failure("report-one");
  const Finished shown = report(folder + " --format markdown");
  const std::string file = folder + "/../a.md";
  EXPECT_EQ(report(folder + " --format markdown --output " + file).code, 0);
  EXPECT_EQ(text_of(file), shown.out);
  EXPECT_EQ(report(folder + " --format markdown --output " + folder + "/..").code, 0);
  EXPECT_EQ(text_of(folder + "/../report.md"), shown.out) << "a folder that is there";
}

TEST(ReportOutput, WhatCannotBeIsRefused) {
  const std::string folder = folder_with_a_failure("report-refused");
  const Finished nowhere = report(folder + " --format html,junit");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(has(nowhere.err, "several formats need --output FOLDER")) << nowhere.err;
  const Finished unknown = report(folder + " --format pdf");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "unknown format 'pdf'; known: text markdown html")) << unknown.err;
  const Finished file = report(folder + " --format html --output " + folder + "/none/x.html");
  EXPECT_EQ(file.code, 3);
  EXPECT_TRUE(has(file.err, "No such file or directory")) << file.err;
}

TEST(ReportHistory, DrawsRunsOfTheSamePlan) {
  const std::string folder = folder_with_a_failure("report-history");
  ASSERT_EQ(gradproof_with_fake("check sample 'sample behave=fail' --no-shrink --records " + folder,
                                "history")
                .code,
            1);
  ASSERT_EQ(gradproof_with_fake("check plain --records " + folder, "history").code, 0);
  const std::string run = run_ids(folder).at(1);
  const Finished done = report(folder + " --run " + run + " --history " + folder);
  EXPECT_TRUE(has(done.out, "history  " + run + "  1 of ")) << done.out;
  EXPECT_TRUE(has(done.out, "history: 1 run of other plans left out")) << done.out;
  EXPECT_TRUE(has(report(folder + " --format html --run " + run + " --history " + folder).out,
                  "2 runs, the oldest on the left"));
}

TEST(BaselineUpdate, RepeatedRunsAreTheSameBuildAndPlan) {
  const std::string folder = scratch_directory("baseline-repeated");
  const std::string update =
      front() + " baseline update " + folder + "/b --repeated --reason x --from " + folder + "/run";
  ASSERT_EQ(gradproof_with_fake("check sample --records " + folder + "/run", "repeated-1").code, 0);
  const Finished alone = shell(update, "repeated-alone");
  EXPECT_EQ(alone.code, 2);
  EXPECT_TRUE(has(alone.err, "no other whole run of the same build and plan")) << alone.err;
  ASSERT_EQ(gradproof_with_fake("check sample --records " + folder + "/run", "repeated-2").code, 0);
  const Finished done = shell(update, "repeated");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "0 tensors have other bits from run to run, of 2 runs")) << done.out;
}

}  // namespace
}  // namespace gradproof
