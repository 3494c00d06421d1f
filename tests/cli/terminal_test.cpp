// SPDX-License-Identifier: Apache-2.0
// Check and audit as a terminal, a pipe and a script see them.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/record/record_json.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

const std::string kFive =
    "sample 'sample seed=2' 'sample seed=3' 'sample seed=4' 'sample behave=fail'";

Finished run(const std::string& environment, const std::string& arguments) {
  return shell(environment + " " + front() + " " + arguments + " --worker " + fake_worker(),
               "terminal");
}

TEST(Colour, IsForTerminalsAndForWhoForcesIt) {
  const std::string check = "check sample";
  const std::string green = "  \x1b[32mpassed\x1b[0m   y ";
  EXPECT_FALSE(has(run("", check).out, "\x1b"));
  EXPECT_TRUE(has(run("FORCE_COLOR=1", check).out, green));
  EXPECT_TRUE(has(run("NO_COLOR=1 FORCE_COLOR=1", check).out, green));
  EXPECT_FALSE(has(run("FORCE_COLOR=", check).out, "\x1b")) << "an empty one says nothing";
  EXPECT_TRUE(last_line_of(run("FORCE_COLOR=1", check).out).starts_with("RESULT "));
  EXPECT_FALSE(has(run("FORCE_COLOR=1", check + " --json").out, "\x1b"));
}

/// The text that the command shows with a terminal for both streams.
std::string on_terminal(const std::string& environment, const std::string& arguments) {
  const std::string inner =
      environment + " TERM=xterm " + front() + " " + arguments + " --worker " + fake_worker();
  return shell("script -q -e -c \"" + inner + "\" /dev/null </dev/null", "terminal-script").out;
}

TEST(Colour, OfATerminalIsTurnedOffByNoColor) {
  EXPECT_TRUE(has(on_terminal("", "check sample"), "\x1b[32mpassed\x1b[0m"));
  EXPECT_FALSE(has(on_terminal("NO_COLOR=1", "check sample"), "\x1b[32m"));
  EXPECT_TRUE(has(on_terminal("NO_COLOR=", "check sample"), "\x1b[32m"));
}

TEST(Progress, OfAVerbWhoseTextTheWorkerWritesIsForTerminals) {
  const std::string verb = "calibrate fair --kernel a --kernel b";
  const std::string shown = on_terminal("", verb);
  EXPECT_TRUE(has(shown, "2/3 lines")) << shown;
  EXPECT_TRUE(has(shown, "\r\x1b[Ka\r\n")) << "what is printed takes its place: " << shown;
  EXPECT_FALSE(has(run("", verb).err, "lines")) << "the control: no terminal";
}

TEST(Quiet, SaysWhatIsWrongAndTheResult) {
  const Finished good = run("", "check sample 'sample seed=2' --quiet");
  EXPECT_EQ(good.code, 0);
  EXPECT_TRUE(good.out.starts_with("RESULT ")) << good.out;
  EXPECT_EQ(std::count(good.out.begin(), good.out.end(), '\n'), 1);
  EXPECT_EQ(good.err, "");
  const Finished bad = run("", "check " + kFive + " --quiet --no-shrink");
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(bad.out.starts_with("FAILED  sample d_x: ")) << bad.out;
  EXPECT_FALSE(has(bad.out, "peak memory"));
  EXPECT_EQ(bad.err, "");
}

TEST(Failures, StandOnStandardErrorAsTheyHappen) {
  const Finished done = run("", "check " + kFive + " --no-shrink");
  EXPECT_TRUE(done.err.starts_with("FAILED  sample ")) << done.err;
  EXPECT_TRUE(has(done.err, "  replay   " + front() + " replay ")) << done.err;
  EXPECT_EQ(run("", "check sample 'sample seed=2'").err, "") << "the control";
}

/// The number of columns of the longest line but RESULT.
std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("RESULT ")) most = std::max(most, line.size());
  return most;
}

TEST(Width, IsThatOfTheTerminalOrOfColumnsAndOfAPipe100) {
  const std::string check = "check sample 'sample seed=2' 'sample seed=3' 'sample seed=4'";
  const std::string narrow = run("COLUMNS=60", check).out, wide = run("COLUMNS=200", check).out;
  EXPECT_LE(widest(narrow), 60u) << narrow;
  EXPECT_LE(widest(run("", check).out), 100u);
  EXPECT_GT(widest(wide), 60u) << "the control: there is more to say than 60 columns hold";
}

TEST(CheckJson, HasALineForEachTensorAndTheResult) {
  for (const std::string shrink : {"", " --no-shrink"}) {
    const Finished done = run("", "check " + kFive + " --json" + shrink);
    EXPECT_EQ(done.code, 1);
    std::istringstream lines(done.out);
    int tensors = 0;
    int shrunk = 0;
    nlohmann::json last;
    for (std::string line; std::getline(lines, line);) {
      last = nlohmann::json::parse(line);
      if (last.contains("verdict")) tensors += read_record(line).case_text.starts_with("sample");
      shrunk += last.contains("shrunk") || last.contains("not_shrunk");
    }
    ASSERT_TRUE(last.contains("result")) << done.out;
    const auto& result = last["result"];
    EXPECT_EQ(tensors, result["passed"].get<int>() + result["failed"].get<int>());
    EXPECT_GE(result["failed"].get<int>(), 1);
    EXPECT_EQ(shrunk, shrink.empty() ? 1 : 0) << done.out;
  }
}

TEST(Doctor, SaysTheSameInJson) {
  const Finished done = run("", "doctor --json");
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["ready"].get<bool>(), done.code == 0);
  std::vector<std::string> names;
  for (const auto& fact : json["facts"]) names.push_back(fact["name"].get<std::string>());
  for (const std::string name : {"worker", "kernels", "suites", "memory"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  const Finished none = shell(front() + " doctor --json --worker /nonexistent", "doctor-none");
  EXPECT_EQ(none.code, 3);
  EXPECT_FALSE(nlohmann::json::parse(none.out)["ready"].get<bool>());
}

}  // namespace
}  // namespace gradproof
