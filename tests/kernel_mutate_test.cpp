// SPDX-License-Identifier: Apache-2.0
// A mutant that no longer fits its kernel must break the build, not become a copy of the right
// kernel.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/scratch.h"

namespace gradproof {
namespace {

constexpr const char* kVictimLine = "  return divided(biased, divide);\n";

struct Mutated {
  bool accepted;
  std::string text;
};

Mutated mutate(const std::string& find, const std::string& replace) {
  const std::filesystem::path folder = scratch_directory(
      std::string("mutate-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const auto mutant = folder / "sample.mutant";
  const auto output = folder / "sample.cpp";
  std::filesystem::remove(output);
  std::ofstream(mutant) << "kernel: batchnorm_bias_divide_swish.cu\nid: A00\nsays: a sample\n"
                        << "find: device/batchnorm_column.cuh\n"
                        << find << "replace:\n"
                        << replace;
  const std::string command = "python3 " GRADPROOF_SOURCE_DIR "/scripts/mutate.py " +
                              mutant.string() + " " + output.string() + " 2>/dev/null";
  const bool accepted = std::system(command.c_str()) == 0;
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  return {accepted, text.str()};
}

TEST(KernelMutate, ReplacesInTheHeaderThatTheBlockNames) {
  const Mutated result = mutate(kVictimLine, "  return biased;  // the sample\n");
  EXPECT_TRUE(result.accepted);
  EXPECT_NE(result.text.find("// the sample"), std::string::npos);
  EXPECT_EQ(result.text.find(kVictimLine), std::string::npos);
  EXPECT_EQ(result.text.find("#include \"kernels/device/"), std::string::npos);
}

TEST(KernelMutate, RefusesATextThatStandsNowhere) {
  EXPECT_FALSE(mutate("  return of_another_kernel(biased);\n", "").accepted);
}

TEST(KernelMutate, RefusesATextThatStandsTwice) {
  EXPECT_FALSE(mutate("  for (int k = 0; k < kQuad; ++k) {\n", "").accepted);
}

TEST(KernelMutate, RefusesAnEmptyBlock) { EXPECT_FALSE(mutate("", "  return biased;\n").accepted); }

}  // namespace
}  // namespace gradproof
