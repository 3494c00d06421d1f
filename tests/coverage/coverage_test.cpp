// SPDX-License-Identifier: Apache-2.0
// The verb `coverage`: the push suite has all pairs; without one line it has not.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

const std::string kPush = GRADPROOF_SOURCE_DIR "/fixtures/cases/push.cases";
constexpr const char* kKernel = "swish_bias";

/// The push suite's lines of one kernel, but for the first one behind this text.
std::string suite_without(const std::string& text) {
  const std::string path = scratch_directory("coverage") + "/some.cases";
  std::ofstream some(path);
  bool seen = false;
  for (const std::string& name : suite_files(kPush)) {
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) {
      const bool is_case = line.starts_with(std::string(kKernel) + " ");
      if (is_case && seen)
        seen = false;
      else if (is_case)
        some << line << "\n";
      seen = seen || (!text.empty() && line.find(text) != std::string::npos);
    }
  }
  return path;
}

Finished coverage(const std::string& arguments, const std::string& name) {
  return shell(front() + " coverage " + arguments, "coverage-" + name);
}

TEST(PushCoverage, IsPairwiseComplete) {
  const Finished done = coverage("", "push");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(has(last_line_of(done.out), " missing=0")) << last_line_of(done.out);
}

TEST(PushCoverage, IsIncompleteWithoutALine) {
  const std::string arguments = std::string(kKernel) + " --cases ";
  const Finished whole = coverage(arguments + suite_without(""), "whole");
  EXPECT_EQ(whole.code, 0) << whole.out << whole.err;
  const Finished less = coverage(arguments + suite_without("each the first to have"), "less");
  EXPECT_EQ(less.code, 1) << less.out << less.err;
  EXPECT_TRUE(has(less.out, "missing: swish_bias f32 ")) << less.out;
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
