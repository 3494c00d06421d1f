// SPDX-License-Identifier: Apache-2.0
// One rule for everything that takes a text: an empty one is refused. What there is, the program's
// own help says.
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

const std::vector<std::string> kVerbs{"list",       "check",  "replay",    "explain",
                                      "doctor",     "audit",  "calibrate", "bench",
                                      "exhaustive", "search", "report",    "baseline update"};

/// Names of a verb's options and positionals that take a value: "--worker TEXT", "CASE TEXT".
std::vector<std::string> taking_a_value(const std::string& verb) {
  const Finished help = shell(front() + " " + verb + " --help", "options-help");
  EXPECT_EQ(help.code, 0) << verb;
  std::vector<std::string> names;
  std::istringstream lines(help.out);
  const std::regex option("^  (--[a-z-]+(?= [^ ])|[A-Z]+(?= )).*");
  for (std::string line; std::getline(lines, line);)
    if (std::smatch found; std::regex_match(line, found, option)) names.push_back(found[1]);
  return names;
}

void expect_refused(const std::string& arguments, const std::string& name) {
  const Finished done = shell(front() + " " + arguments, "options-empty");
  EXPECT_EQ(done.code, 2) << arguments;
  EXPECT_EQ(done.out, "") << arguments;
  EXPECT_TRUE(has(done.err, name)) << arguments << ": " << done.err;
}

TEST(Options, NoneTakesAnEmptyText) {
  std::size_t checked = 0;
  for (const std::string& verb : kVerbs) {
    std::string before;  // positionals in front of it
    for (const std::string& name : taking_a_value(verb)) {
      ++checked;
      if (name.starts_with("--")) {
        expect_refused(verb + " " + name + " ''", name);
        expect_refused(verb + " " + name + "=", name);
        continue;
      }
      expect_refused(verb + before + " ''", name);
      before += " sample";
    }
  }
  EXPECT_GE(checked, 50u) << "the help is read as it is written";
}

// CLI11 takes the next word for the value: the second Case would be the name of a folder.
TEST(Options, ABareEqualsSignTakesNoOtherWord) {
  const Finished done =
      gradproof_with_fake("check sample --records= 'sample rows=3'", "options-equals");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "--records: its text is empty")) << done.err;
  const std::string folder = scratch_directory("options-records");
  EXPECT_EQ(gradproof_with_fake("check sample --records=" + folder, "options-text").code, 0)
      << "the control";
}

}  // namespace
}  // namespace gradproof
