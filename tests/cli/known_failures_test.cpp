// SPDX-License-Identifier: Apache-2.0
// A file of known failures: what it settles, what it does not, and that a pass is told.
#include <gtest/gtest.h>

#include "tests/support/run_support.h"

namespace gradproof {
namespace {

/// The fake worker's Case that fails in d_x, beside one that passes.
constexpr const char* kTwo = "check 'sample behave=fail' sample --no-shrink ";

/// A file of these lines, and the option that names it.
class KnownFailuresTest : public ::testing::Test {
 protected:
  std::string with(const std::string& lines) const {
    std::ofstream(path_) << lines;
    return "--known-failures " + path_;
  }
  Finished checked(const std::string& lines, const std::string& more = "") const {
    return gradproof_with_fake(kTwo + with(lines) + " " + more, "known-run");
  }

  const std::string folder_ = scratch_directory("known-failures");
  const std::string path_ = folder_ + "/known.txt";
};

TEST_F(KnownFailuresTest, SettleWhatIsWrong) {
  ASSERT_EQ(gradproof_with_fake(kTwo, "known-without").code, 1);
  const std::string records = " --records " + folder_ + "/records";
  const Finished done = checked(
      "# of the old compiler\n\n*behave=fail* | d_x | wrong eps, issue 7 | 2026-11-28\n", records);
  EXPECT_EQ(done.code, 0) << done.out;
  EXPECT_TRUE(has(done.out, "known failure")) << done.out;
  EXPECT_TRUE(has(done.out, "; known since 2026-11-28: wrong eps, issue 7")) << done.out;
  EXPECT_TRUE(has(done.out, "known failures: 1 tensor by 1 of 1 lines of")) << done.out;
  EXPECT_TRUE(has(done.out, path_)) << done.out;
  EXPECT_TRUE(has(done.out, "RESULT passed=3 failed=0 mistrusted=0 skipped=0 incomplete=0 known=1"))
      << done.out;
  const Finished text = report(folder_ + "/records");
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(has(text.out, "RESULT passed=3 failed=0 ")) << text.out;
  EXPECT_TRUE(has(report(folder_ + "/records --format junit").out, "known since 2026-11-28"));
}

TEST_F(KnownFailuresTest, HideNothingElse) {
  for (const char* other : {"*behave=fail* | y | not this tensor | 2026-11-28\n",
                            "sample rows=9* | d_x | not this case | 2026-11-28\n",
                            "sample behave=fai? | d_x | a question mark is one | 2026-11-28\n"}) {
    const Finished done = checked(other);
    EXPECT_EQ(done.code, 1) << other << done.out;
    EXPECT_TRUE(has(done.out, " failed=1 ")) << done.out;
  }
}

TEST_F(KnownFailuresTest, APassIsUnexpected) {
  const Finished done = checked(
      "*behave=fail* | d_x | wrong eps | 2026-11-28\n"
      "*sample* | y | was wrong before | 2026-11-01\n");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(
      has(done.out, "unexpected pass: " + path_ + ":2: '*sample* | y' passes; remove the line"))
      << done.out;
  const Finished json = checked("*sample* | y | was wrong before | 2026-11-01\n", "--json");
  EXPECT_TRUE(has(json.out, "{\"unexpected_pass\":\"" + path_ + ":1: ")) << json.out;
}

/// Other Cases of the pattern may fail in another shard, or had no turn.
TEST_F(KnownFailuresTest, APassOfAPartProvesNothingOfAPattern) {
  const std::string plan = folder_ + "/plan";
  const Finished planned = gradproof_with_fake("plan 'sample behave=fail' sample", "known-plan");
  std::ofstream(plan) << planned.out;
  const std::string pattern = with("*sample* | d_x | some of them | 2026-11-28\n");
  int failing = 0;
  for (const char* shard : {" --shard 1/2 ", " --shard 2/2 "}) {
    const Finished done =
        gradproof_with_fake("check --no-shrink --plan " + plan + shard + pattern, "known-shard");
    EXPECT_EQ(done.code, 0) << done.out << done.err;
    failing += has(done.out, " known=1 ");
  }
  EXPECT_EQ(failing, 1);
}

TEST_F(KnownFailuresTest, AnotherFileIsAnotherRun) {
  const std::string records = "--resume --records " + folder_ + "/records";
  ASSERT_EQ(checked("*behave=fail* | d_x | wrong eps | 2026-11-28\n", records).code, 0);
  const Finished other = checked("*behave=fail* | y | another | 2026-11-28\n", records);
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_TRUE(has(other.err, "--known-failures")) << other.err;
}

TEST_F(KnownFailuresTest, ABadLineIsNamedWithItsPlace) {
  const auto complaint = [&](const std::string& lines) {
    const Finished done = checked(lines);
    EXPECT_EQ(done.code, 2);
    return done.err;
  };
  EXPECT_TRUE(has(complaint("\nsample | y | 2026-11-28\n"),
                  path_ + ":2: 'sample | y | 2026-11-28' has 3 of four parts"));
  EXPECT_TRUE(has(complaint("sample | y | | 2026-11-28\n"), "has an empty part"));
  EXPECT_TRUE(
      has(complaint("sample | y | why | yesterday\n"), "'yesterday' is no date as 2026-11-28"));
  const Finished none =
      gradproof_with_fake(std::string(kTwo) + "--known-failures /none", "known-none");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(has(none.err, "/none")) << none.err;
}

}  // namespace
}  // namespace gradproof
