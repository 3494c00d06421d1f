// SPDX-License-Identifier: Apache-2.0
// `--resume` does what is missing and nothing else, and shows what an unbroken run shows.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/run_support.h"

namespace gradproof {
namespace {

/// The second Case fails, and --fail-fast ends a run there, so that each run is cut at the same
/// place.
const std::string kResumedCases =
    " sample 'sample behave=fail' 'sample seed=2' 'sample behave=mistrust' plain --workers 1 ";

Finished with_fake(const std::string& arguments) {
  return gradproof_with_fake(arguments, "resume-run");
}

TEST(Resume, AfterAnEndEqualsAnUnbrokenRun) {
  for (const std::string verb : {"check --no-shrink", "audit"}) {
    const std::string folder = scratch_directory("resume-equal");
    const std::string run = verb + kResumedCases + " --records " + folder;
    const Finished whole = with_fake(run + "/whole");
    ASSERT_EQ(whole.code, 1) << whole.err;
    const Finished cut = with_fake(run + "/cut --fail-fast");
    EXPECT_TRUE(has(cut.out, "3 of 5 cases did not run")) << cut.out;
    EXPECT_TRUE(has(last_run_text(folder + "/cut"), R"({"end":"stopped")"));
    const Finished resumed = with_fake(run + "/cut --resume");
    EXPECT_EQ(resumed.code, 1);
    EXPECT_EQ(timeless(resumed.out), timeless(whole.out));
    EXPECT_TRUE(has(resumed.err, ", which has 2 of 5 cases\n")) << resumed.err;
    EXPECT_EQ(run_ids(folder + "/cut").size(), 2u);
    EXPECT_EQ(all_records(folder + "/cut"), all_records(folder + "/whole")) << "none is done twice";
    EXPECT_EQ(timeless(report_page_of(folder + "/cut")).find("cases were not run"),
              std::string::npos);
    const Finished again = with_fake(run + "/cut --resume");
    EXPECT_EQ(again.code, 1);
    EXPECT_EQ(timeless(again.out), timeless(whole.out));
    EXPECT_TRUE(has(again.err, ", which has 5 of 5 cases\n")) << again.err;
    EXPECT_EQ(run_ids(folder + "/cut").size(), 2u) << "nothing was missing";
  }
}

TEST(Resume, OfNothingBeginsAtTheStart) {
  const std::string folder = scratch_directory("resume-nothing") + "/new";
  EXPECT_EQ(with_fake("check sample --resume --records " + folder).code, 0);
  EXPECT_EQ(run_ids(folder).size(), 1u);
  EXPECT_EQ(with_fake("audit sample --resume --records " + folder).code, 0) << "the first audit";
}

TEST(Resume, OfAnotherRunIsRefusedWithTheReason) {
  const std::string folder = scratch_directory("resume-other");
  ASSERT_EQ(with_fake("audit sample --records " + folder + "/r").code, 0);
  const auto refusal = [&](const std::string& arguments, const std::string& worker) {
    const Finished done = shell(
        front() + " audit " + arguments + " --resume --records " + folder + "/r --worker " + worker,
        "resume-refused");
    EXPECT_EQ(done.code, 2) << arguments;
    return done.err;
  };
  const std::string plan = refusal("sample plain", fake_worker());
  EXPECT_TRUE(has(plan, "is another: plan '")) << plan;
  EXPECT_TRUE(has(plan, " of 1 cases' and '")) << plan;
  EXPECT_TRUE(has(refusal("sample --digits 33", fake_worker()),
                  "is another: options none and '--digits 33'\n"));
  const std::string built_anew = folder + "/worker";
  std::filesystem::copy_file(fake_worker(), built_anew);
  std::ofstream(built_anew, std::ios::app) << " ";
  EXPECT_TRUE(has(refusal("sample", built_anew), "is another: worker '"));
  EXPECT_EQ(run_ids(folder + "/r").size(), 1u);
}

// If another run was begun in between, the last run that is the same is resumed.
TEST(Resume, TakesTheLastThatIsTheSame) {
  const std::string folder = scratch_directory("resume-last");
  const std::string run = "check --no-shrink" + kResumedCases + " --records " + folder;
  ASSERT_EQ(with_fake(run + " --fail-fast").code, 1);
  ASSERT_EQ(with_fake("check sample --records " + folder).code, 0);
  const Finished resumed = with_fake(run + " --resume");
  EXPECT_TRUE(has(resumed.err, "resumes run " + run_ids(folder).at(0))) << resumed.err;
  EXPECT_EQ(shell(front() + " report " + folder, "resume-report").code, 0);
}

TEST(Resume, OfADamagedRunIsAnError) {
  const std::string folder = scratch_directory("resume-damaged");
  ASSERT_EQ(with_fake("check sample --records " + folder).code, 0);
  const std::string path = run_files(folder).at(0);
  std::string text = text_of(path);
  text[text.find("Passed")] = 'p';
  std::ofstream(path) << text;
  const Finished done = with_fake("check sample --resume --records " + folder);
  EXPECT_EQ(done.code, 3);
  EXPECT_TRUE(has(done.err, path + ":2: ")) << done.err;
}

}  // namespace
}  // namespace gradproof
