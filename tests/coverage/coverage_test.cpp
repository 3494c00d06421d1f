// SPDX-License-Identifier: Apache-2.0
// The verb `coverage`: push has each class of every type and all pairs of f32, push and pairs
// together have all pairs. Without one of their Cases they lack some.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

constexpr const char* kKernel = "swish_bias";

Finished coverage(const std::string& arguments, const std::string& name) {
  return shell(front() + " coverage " + arguments, "coverage-" + name);
}

/// The front program with suites of its own, which may be changed.
class ChangedSuites {
 public:
  ChangedSuites() {
    std::filesystem::create_directories(folder_ + "/bin");
    std::filesystem::create_directories(folder_ + "/share/gradproof");
    std::filesystem::copy_file(front(), folder_ + "/bin/gradproof");
    std::filesystem::copy(GRADPROOF_SOURCE_DIR "/fixtures/cases", cases_,
                          std::filesystem::copy_options::recursive);
  }

  /// Leaves out the first Case behind a line that begins with `start`.
  void leave_out(const std::string& file, const std::string& start) const {
    std::istringstream lines(text_of(cases_ + "/" + file));
    std::ofstream changed(cases_ + "/" + file);
    bool behind = false;
    bool left_out = false;
    for (std::string line; std::getline(lines, line);) {
      const bool leaves = behind && !left_out && line.starts_with(kKernel);
      behind = behind || line.starts_with(start);
      left_out = left_out || leaves;
      if (!leaves) changed << line << "\n";
    }
    EXPECT_TRUE(left_out) << file << " has no Case behind " << start;
  }

  void append(const std::string& file, const std::string& line) const {
    std::ofstream(cases_ + "/" + file, std::ios::app) << line << "\n";
  }

  Finished coverage(const std::string& arguments) const {
    return shell(folder_ +
                     "/bin/gradproof coverage --worker " GRADPROOF_BIN_DIR "/gradproof-worker " +
                     arguments,
                 "coverage-changed");
  }

 private:
  std::string folder_ = scratch_directory("coverage");
  std::string cases_ = folder_ + "/share/gradproof/cases";
};

/// The number of levels of the first combination that the text calls missing; 0 if none is.
int levels_missing(const std::string& text, const std::string& types) {
  const std::string name = std::string("missing: ") + kKernel + " " + types + " ";
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return 0;
  std::istringstream levels(text.substr(at + name.size(), text.find('\n', at) - at - name.size()));
  int count = 0;
  for (std::string level; levels >> level;) ++count;
  return count;
}

TEST(PushCoverage, HasEachClassOfEveryTypeAndAllPairsOfFloat32) {
  const Finished done = coverage("", "push");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(has(last_line_of(done.out), " missing=0")) << last_line_of(done.out);
}

TEST(PushCoverage, LacksPairsWithoutACaseOfFloat32) {
  const ChangedSuites suites;
  suites.leave_out("push/swish_bias.cases", "# f32:");
  const Finished less = suites.coverage(kKernel);
  EXPECT_EQ(less.code, 1) << less.out << less.err;
  EXPECT_EQ(levels_missing(less.out, "f32"), 2) << less.out;
  EXPECT_EQ(levels_missing(less.out, "f16"), 0) << less.out;
}

TEST(PushCoverage, LacksAClassWithoutACaseOfAnotherType) {
  const ChangedSuites suites;
  suites.leave_out("push/swish_bias.cases", "# f16:");
  const Finished less = suites.coverage(kKernel);
  EXPECT_EQ(less.code, 1) << less.out << less.err;
  EXPECT_EQ(levels_missing(less.out, "f16"), 1) << less.out;
  EXPECT_EQ(levels_missing(less.out, "f32"), 0) << less.out;
}

TEST(PairsCoverage, HasAllPairsOfEveryTypeTogetherWithPush) {
  const Finished done = coverage("--suite pairs", "pairs");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(has(last_line_of(done.out), " missing=0")) << last_line_of(done.out);
}

TEST(PairsCoverage, LacksPairsWithoutACaseOfItsOwn) {
  const ChangedSuites suites;
  suites.leave_out("pairs/swish_bias.cases", "# f16:");
  const Finished push = suites.coverage(kKernel);
  EXPECT_EQ(push.code, 0) << "push has no part in it: " << push.out << push.err;
  const Finished less = suites.coverage(std::string(kKernel) + " --suite pairs");
  EXPECT_EQ(less.code, 1) << less.out << less.err;
  EXPECT_EQ(levels_missing(less.out, "f16"), 2) << less.out;
}

TEST(PairsCoverage, NamesALineOfTheLedgerThatExcusesNothing) {
  const ChangedSuites suites;
  suites.append("pairs.ledger", "swish_bias f16 rows=1 cols=1 # is there");
  const Finished push = suites.coverage("");
  EXPECT_EQ(push.code, 0) << "pairs of f16 are not asked of push: " << push.out << push.err;
  const Finished idle = suites.coverage("--suite pairs");
  EXPECT_EQ(idle.code, 1) << idle.out << idle.err;
  EXPECT_TRUE(has(idle.out, ": excuses nothing")) << idle.out;
}

TEST(CoverageUsage, OneClearError) {
  const Finished unknown = coverage("swish_bais", "unknown");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "did you mean 'swish_bias'")) << unknown.err;
  const Finished suite = coverage("--suite pull", "suite");
  EXPECT_EQ(suite.code, 2);
  EXPECT_TRUE(has(suite.err, "unknown suite 'pull'")) << suite.err;
}

}  // namespace
}  // namespace gradproof
