// SPDX-License-Identifier: Apache-2.0
// `gradproof audit` as the front does it, with a worker that behaves as its Case says.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "reports/record/record_json.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

Finished audit(const std::string& arguments, const std::string& name) {
  return gradproof_with_fake("audit " + arguments, "audit-" + name);
}

TEST(Audit, ItsExitCodeIsItsVerdict) {
  const Finished done = audit("sample", "good");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "certified  d_x")) << done.out;
  EXPECT_TRUE(has(done.out, "^ taken")) << done.out;
  EXPECT_TRUE(has(last_line_of(done.out),
                  "RESULT rows=1 certified=1 wrong=0 inconclusive=0 entries=15 seconds="));
  const Finished wrong = audit("'sample behave=fail'", "wrong");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(has(wrong.out, "off by 1/d")) << wrong.out;
  const Finished open = audit("'sample behave=mistrust'", "open");
  EXPECT_EQ(open.code, 4);
  EXPECT_TRUE(has(open.out, "2 entries inconclusive, the first [0,1]: kink")) << open.out;
}

TEST(Audit, WhatDiesBeforeTheKernelRunsIsTheInstrument) {
  EXPECT_EQ(audit("'sample behave=crash'", "crash").code, 3);
  EXPECT_EQ(audit("'sample behave=instrument'", "instrument").code, 3);
  EXPECT_EQ(audit("'sample behave=hang' --deadline 0.5", "hang").code, 3);
  EXPECT_EQ(audit("'sample behave=usage'", "usage").code, 2);
  const Finished skip = audit("'sample behave=skip'", "skip");
  EXPECT_EQ(skip.code, 4);
  EXPECT_TRUE(has(skip.err, "skipped: as planted")) << skip.err;
  EXPECT_EQ(audit("'sample behave=nothing'", "nothing").code, 4);
}

// The oracle is in doubt where LibTorch contradicts it, and so is what it says of the kernel.
TEST(Audit, ALibTorchOutOfItsBoundIsTheInstrument) {
  const Finished done = audit("'sample behave=broken'", "broken");
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(has(done.out, "InstrumentBroken  d_x")) << done.out;
  EXPECT_TRUE(has(done.out, "LibTorch: 15 of 15 entries; ")) << done.out;
  EXPECT_TRUE(has(done.out, "RESULT rows=1 certified=0 wrong=0 inconclusive=1 ")) << done.out;
  EXPECT_EQ(audit("'sample behave=fail'", "not-broken").code, 1) << "the control";
}

// The kernel's end is its own fault, and the differences are printed all the same.
TEST(Audit, AKernelThatCrashesIsWrong) {
  const Finished done = audit("'sample behave=kernel_crash'", "kernel-crash");
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_TRUE(has(done.out, "wrong    d_x")) << done.out;
  EXPECT_TRUE(has(done.out, "kernel: Crashed")) << done.out;
  EXPECT_TRUE(has(done.out, "RESULT rows=1 certified=0 wrong=1 ")) << done.out;
}

TEST(Audit, OptionsReachTheWorker) {
  const Finished done = audit("sample --entries sample:4 --digits 33 --direct", "options");
  EXPECT_TRUE(has(done.out, "4 of 15  33.5")) << done.out;
  EXPECT_TRUE(has(done.out, "double-double, direct")) << done.out;
  const Finished plain = audit("sample --entries all", "plain");
  EXPECT_TRUE(has(plain.out, "15 of 15  30.5")) << plain.out;
  const Finished column = audit("sample --column 'x[1,2]'", "column");
  EXPECT_EQ(column.out, R"({"verb":"column","case":"sample","column":"x[1,2]","json":false})"
                        "\n")
      << column.err;
}

// Four rows that come 0.4 s apart, a deadline of 1 s: every row renews it.
TEST(Audit, ARowRenewsTheDeadline) {
  const Finished done = audit("'sample behave=slow' --deadline 1", "slow");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "RESULT rows=4 ")) << done.out;
}

TEST(Audit, AllIsEverySystemInEveryModeAndDtype) {
  const Finished done = audit("--all", "all");
  EXPECT_EQ(done.code, 0) << done.err;
  // sample: train, eval; plain: f32, f16.
  EXPECT_TRUE(has(done.out, "RESULT rows=4 certified=4 ")) << done.out;
  EXPECT_TRUE(has(done.out, "sample  d_x     2     30.5")) << done.out;
  EXPECT_TRUE(has(done.out, "plain   d_x     2     30.5")) << done.out;
  EXPECT_FALSE(has(done.out, "certified  d_x")) << "rows one by one only where not certified";
  const Finished mutants = audit("--all --with mutant=worse", "all-mutant");
  EXPECT_EQ(mutants.code, 1);
  EXPECT_TRUE(has(mutants.out, "sample/worse")) << mutants.out;
  EXPECT_TRUE(has(mutants.out, "2 of 4 cases left out: --with mutant=worse")) << mutants.out;
  EXPECT_TRUE(has(mutants.out, "wrong    d_x")) << mutants.out;
}

TEST(Audit, FailFastStopsAtTheFirstWrongCase) {
  const std::string cases = "sample 'sample behave=fail' 'sample seed=3'";
  const Finished all = audit(cases, "slowly");
  EXPECT_EQ(all.code, 1);
  EXPECT_TRUE(has(all.out, "RESULT rows=3 ")) << all.out;
  const Finished fast = audit(cases + " --fail-fast", "fast");
  EXPECT_EQ(fast.code, 1);
  EXPECT_TRUE(has(fast.out, "RESULT rows=2 ")) << fast.out;
  EXPECT_TRUE(has(fast.out, "incomplete: 1 of 3 cases did not run")) << fast.out;
}

struct BadAudit {
  std::string arguments;
  std::vector<std::string> named;  ///< all of these stand in the message
};

const BadAudit kBad[] = {
    {"'sample law=sum'", {"'sample law=sum' is about a law", "leave out law=sum"}},
    {"sample 'sample rows=4 law=sum'", {"'sample rows=4 law=sum'", "leave out law=sum"}},
    {"sample --with law=sum", {"'sample law=sum'", "leave out law=sum"}},
    {"'sample law=sum' --column 'x[0,0]'", {"leave out law=sum"}},
    {"'sample law=total'", {"'total'", "'law'", "none sum"}},
    {"sample --workers 0", {"--workers", "'0'", "from 1 to 256"}},
    {"sample --workers -2", {"--workers", "'-2'", "from 1 to 256"}},
    {"sample --workers 257", {"--workers", "'257'", "from 1 to 256"}},
    {"sample --workers two", {"--workers", "'two'", "whole number"}},
    {"sample --workers 1.5", {"--workers", "'1.5'", "whole number"}},
    {"sample --column 'x[]'", {"--column", "'x[]'", "x[3,7]"}},
    {"sample --column 'x[a,0]'", {"--column", "'x[a,0]'", "x[3,7]"}},
    {"sample --column 'x[0,0]]'", {"--column", "'x[0,0]]'", "x[3,7]"}},
    {"sample --column 'x[0,]'", {"--column", "'x[0,]'", "x[3,7]"}},
    {"sample --column '[0,0]'", {"--column", "'[0,0]'", "x[3,7]"}},
    {"sample --column ''", {"--column", "''", "x[3,7]"}},
    {"sample --column 'x[0,0]' --entries sample:3", {"--entries excludes --column"}},
    {"sample --column 'x[0,0]' --records r", {"--records excludes --column"}},
    {"sample --column 'x[0,0]' --workers 2", {"--workers excludes --column"}},
    {"sample --records ''", {"--records", "empty"}},
    {"sample --cases ''", {"--cases", "empty"}},
    {"sample --suite ''", {"--suite", "empty"}},
    {"sample --with ''", {"--with", "empty"}},
    {"sample --memory 0", {"--memory", "'0'", "above 0"}},
    {"sample --no-shrink", {"--no-shrink"}},
};

TEST(Audit, BadInputIsOneLineAndNothingRuns) {
  for (std::size_t i = 0; i < std::size(kBad); ++i) {
    const Finished done = audit(kBad[i].arguments, "bad-" + std::to_string(i));
    EXPECT_EQ(done.code, 2) << kBad[i].arguments;
    EXPECT_EQ(done.out, "") << kBad[i].arguments;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    for (const std::string& part : kBad[i].named) EXPECT_TRUE(has(done.err, part)) << done.err;
  }
}

TEST(Audit, JsonHasALineForEachRowAndTheResult) {
  const Finished done = audit("sample 'sample seed=3' --json", "json");
  EXPECT_EQ(done.code, 0);
  std::istringstream lines(done.out);
  std::vector<std::string> cases;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("{\"result\":")) cases.push_back(read_record(line).case_text);
  EXPECT_TRUE(last_line_of(done.out).starts_with("{\"result\":{\"rows\":2,\"certified\":2,"))
      << done.out;
  EXPECT_EQ(cases, (std::vector<std::string>{"sample", "sample seed=3"}));
}

TEST(Audit, ReportReadsItsRecords) {
  const std::string folder = scratch_directory("audit-records") + "/run";
  EXPECT_EQ(audit("sample 'sample behave=fail' --records " + folder, "records").code, 1);
  EXPECT_TRUE(has(report_page_of(folder), "| wrong |"));
  const std::string report = front() + " report " + folder;
  const Finished alone = shell(report, "audit-report");
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_TRUE(has(alone.out, "RESULT rows=2 certified=1 wrong=1 ")) << alone.out;
  ASSERT_EQ(gradproof_with_fake("check sample --records " + folder, "audit-check").code, 0);
  const std::string both = report_page_of(folder);
  EXPECT_TRUE(has(both, "- check: 2 passed, ")) << both;
  EXPECT_TRUE(has(both, "- audit: 2 rows: 1 certified, 1 wrong, ")) << both;
}

}  // namespace
}  // namespace gradproof
