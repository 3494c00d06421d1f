// SPDX-License-Identifier: Apache-2.0
// The Cases that a run did not come to are known from its records, however it ended.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

/// A run that gets a signal once `first` stands in its output.
Finished ended_by(const std::string& signal, const std::string& arguments, const std::string& first,
                  const std::string& name) {
  const std::string own = "incomplete-" + name;
  return shell(front() + " " + arguments + " --worker " + fake_worker() +
                   " & pid=$!; until grep -q '" + first + "' " + scratch_path("cli-" + own) +
                   "/out; do sleep 0.02; done; kill -" + signal + " $pid; wait $pid",
               own);
}

/// A check of three Cases into the folder whose second one hangs.
Finished check_ended_by(const std::string& signal, const std::string& folder) {
  return ended_by(
      signal,
      "check sample 'sample behave=hang' 'sample seed=3' --verbose --workers 1 --records " + folder,
      "passed  sample d_x", signal);
}

Finished report(const std::string& folder) {
  return shell(front() + " report " + folder, "incomplete-report");
}

Finished accept(const std::string& folder) {
  return shell(front() + " baseline update " + folder + "/b --from " + folder + " --reason r",
               "incomplete-accept");
}

TEST(Incomplete, AnInterruptedRunIsNamedAndNoBaseline) {
  const std::string folder = scratch_directory("incomplete-interrupted");
  EXPECT_EQ(check_ended_by("INT", folder).code, 4);
  EXPECT_TRUE(has(last_run_text(folder), R"({"end":"interrupted","reason":"","code":4,)"));
  const Finished shown = report(folder);
  EXPECT_EQ(shown.code, 4);
  const std::string text =
      "2 of 3 cases were not run to their end; the first is 'sample behave=hang'";
  EXPECT_TRUE(has(shown.out, "incomplete: " + text)) << shown.out;
  EXPECT_TRUE(has(last_line_of(shown.out),
                  "RESULT passed=2 failed=0 mistrusted=0 skipped=0 incomplete=1 "));
  const Finished markdown =
      shell(front() + " report " + folder + " --format markdown", "incomplete-md");
  EXPECT_EQ(markdown.code, 4);
  EXPECT_TRUE(has(markdown.out, "- " + text)) << markdown.out;
  const Finished refused = accept(folder);
  EXPECT_EQ(refused.code, 4);
  EXPECT_TRUE(has(refused.err,
                  "gradproof: run " + run_ids(folder).at(0) + " in '" + folder + "' is incomplete"))
      << refused.err;
  EXPECT_TRUE(has(refused.err, text)) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder + "/b"));
}

TEST(Incomplete, AKilledRunToo) {
  const std::string folder = scratch_directory("incomplete-killed");
  check_ended_by("KILL", folder);
  EXPECT_FALSE(has(last_run_text(folder), R"({"end":)"));
  const Finished shown = report(folder);
  EXPECT_EQ(shown.code, 4);
  EXPECT_TRUE(has(shown.out,
                  "incomplete: 2 of 3 cases were not run to their end; the first is 'sample "
                  "behave=hang'"))
      << shown.out;
  EXPECT_EQ(accept(folder).code, 4);
}

TEST(Incomplete, AnAuditToo) {
  const std::string folder = scratch_directory("incomplete-audit");
  EXPECT_EQ(
      ended_by(
          "INT",
          "audit sample 'sample behave=hang' 'sample seed=3' --verbose --workers 1 --records " +
              folder,
          "certified  d_x", "audited")
          .code,
      4);
  const Finished shown = report(folder);
  EXPECT_EQ(shown.code, 4);
  EXPECT_TRUE(has(shown.out, "incomplete: 2 of 3 cases were not run to their end")) << shown.out;
  EXPECT_TRUE(has(report_page_of(folder), "- 2 of 3 cases"));
}

// The way out, and the control.
TEST(Incomplete, ALaterRunOfTheSameIsWhole) {
  const std::string folder = scratch_directory("incomplete-completed");
  const Finished cut = ended_by(
      "INT", "check sample 'sample behave=half' 'sample seed=3' --verbose --records " + folder,
      "passed  sample d_x", "half");
  EXPECT_EQ(cut.code, 4) << cut.err;
  EXPECT_EQ(report(folder).code, 4);
  EXPECT_FALSE(has(last_run_text(folder), R"("case":"sample behave=half")"))
      << "half a Case would show no gap";
  ASSERT_EQ(gradproof_with_fake("check sample 'sample behave=half' 'sample seed=3' --deadline 1"
                                " --resume --records " +
                                    folder,
                                "incomplete-rest")
                .code,
            1);
  const Finished whole = report(folder);
  EXPECT_EQ(whole.code, 0) << whole.out;
  EXPECT_FALSE(has(whole.out, "incomplete:")) << whole.out;
}

TEST(Incomplete, AFullDiskSaysWhyAndTheRecordsSaySo) {
  const std::string folder = scratch_directory("incomplete-full");
  // A limit on the size of files is a disk that is full for whoever writes them; 512 bytes each.
  const std::string cases = " sample 'sample seed=2' 'sample seed=3' 'sample seed=4' ";
  const Finished done =
      shell("( ulimit -f 8; " + front() + " check" + cases + "--records " + folder + " --worker " +
                fake_worker() + "; echo code $? ) 2>&1 | cat",
            "incomplete-full-run");
  EXPECT_TRUE(has(done.out, "cannot write '" + run_files(folder).at(0) + "': File too large"))
      << done.out;
  EXPECT_TRUE(has(done.out, "code 3\n")) << done.out;
  EXPECT_EQ(done.out.find("cannot write"), done.out.rfind("cannot write")) << "told once";
  EXPECT_TRUE(has(done.out, "RESULT passed=")) << done.out;
  const Finished shown = report(folder);
  EXPECT_EQ(shown.code, 4) << shown.out;
  EXPECT_TRUE(has(shown.out, "of 4 cases were not run to their end")) << shown.out;
  EXPECT_EQ(accept(folder).code, 4);
  // There is room again.
  EXPECT_EQ(
      gradproof_with_fake("check" + cases + "--resume --records " + folder, "incomplete-room").code,
      0);
  EXPECT_EQ(report(folder).code, 0);
}

TEST(Incomplete, ADiskThatTakesNothingLeavesNoRun) {
  const std::string folder = scratch_directory("incomplete-none");
  const Finished done = shell("( ulimit -f 0; " + front() + " check sample --records " + folder +
                                  " --worker " + fake_worker() + "; echo code $? ) 2>&1 | cat",
                              "incomplete-none-run");
  EXPECT_TRUE(has(done.out, "gradproof: cannot write '" + folder + "/2")) << done.out;
  EXPECT_TRUE(has(done.out, "File too large\ncode 3\n")) << done.out;
  EXPECT_TRUE(run_ids(folder).empty());
}

TEST(Incomplete, ABaselineThatCannotBeWrittenStaysAsItWas) {
  const std::string folder = scratch_directory("incomplete-baseline");
  ASSERT_EQ(
      gradproof_with_fake("check sample --records " + folder + "/run", "incomplete-whole").code, 0);
  const std::string update =
      front() + " baseline update " + folder + "/b --from " + folder + "/run --reason r";
  const std::string full = "( ulimit -f 0; " + update + "; echo code $? ) 2>&1 | cat";
  const Finished none = shell(full, "incomplete-none");
  EXPECT_TRUE(has(none.out, "cannot write '" + folder + "/b': File too large\n")) << none.out;
  EXPECT_TRUE(has(none.out, "code 3\n")) << none.out;
  EXPECT_FALSE(has(none.out, " new, ")) << "what is not there is not said to be: " << none.out;
  const auto entries = [&] {
    return std::distance(std::filesystem::directory_iterator(folder),
                         std::filesystem::directory_iterator());
  };
  EXPECT_EQ(entries(), 1) << "no file of it, whole or begun";
  ASSERT_EQ(shell(update, "incomplete-update").code, 0);
  const std::string before = text_of(folder + "/b");
  EXPECT_TRUE(has(shell(full, "incomplete-over").out, "code 3\n"));
  EXPECT_EQ(text_of(folder + "/b"), before);
  EXPECT_EQ(entries(), 2);
}

TEST(Incomplete, InputsThatCannotBeWrittenLeaveNoFile) {
  const std::string folder = scratch_directory("incomplete-inputs");
  const std::string inputs =
      front() + " inputs '{y = silu(x)} rows=8 cols=8' --output " + folder + "/in";
  const auto entries = [&] {
    return std::distance(std::filesystem::directory_iterator(folder),
                         std::filesystem::directory_iterator());
  };
  const std::string full = "( ulimit -f 0; " + inputs + "; echo code $? ) 2>&1 | cat";
  const Finished none = shell(full, "inputs-none");
  EXPECT_TRUE(has(none.out, "cannot write '" + folder + "/in': File too large\ncode 3\n"))
      << none.out;
  EXPECT_EQ(entries(), 0) << "no file of it, whole or begun";
  ASSERT_EQ(shell(inputs, "inputs-control").code, 0);
  const std::string before = text_of(folder + "/in");
  EXPECT_TRUE(has(shell(full, "inputs-over").out, "code 3\n"));
  EXPECT_EQ(text_of(folder + "/in"), before) << "what was there stays";
  EXPECT_EQ(entries(), 1);
}

TEST(Incomplete, CtrlCEndsWithAWordAndTheResult) {
  std::string kernels;  // a line each, long enough to be interrupted
  for (int i = 0; i < 20; ++i) kernels += " --kernel a";
  for (const std::string json : {"", " --json"}) {
    const Finished done = ended_by("INT", "calibrate fair" + kernels + json, "calibrate",
                                   json.empty() ? "relay" : "relay-json");
    EXPECT_EQ(done.code, 4) << done.err;
    EXPECT_TRUE(has(done.out, "interrupted before its end; what stands above is all")) << done.out;
    EXPECT_TRUE(has(last_line_of(done.out), json.empty()
                                                ? "RESULT incomplete=1 seconds="
                                                : "{\"result\":{\"incomplete\":1,\"seconds\":"))
        << done.out;
  }
}

}  // namespace
}  // namespace gradproof
