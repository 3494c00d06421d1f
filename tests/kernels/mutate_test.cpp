// SPDX-License-Identifier: Apache-2.0
// A mutant that no longer fits its kernel is stale: it breaks no build, but must not become a copy
// of the right kernel, and the test of mutants names it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace gradproof {
namespace {

constexpr const char* kVictimLine = "    return divided(dy, divide);\n";

struct Mutated {
  bool accepted;
  std::string text;
  bool fits;  ///< says --check
};

Mutated mutate(const std::string& find, const std::string& replace,
               const std::string& dtype_line = "") {
  const std::filesystem::path folder = scratch_directory(
      std::string("mutate-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const auto mutant = folder / "sample.mutant";
  const auto output = folder / "sample.cpp";
  std::filesystem::remove(output);
  std::ofstream(mutant) << "kernel: batchnorm_bias_divide_swish.cu\nid: A00\nsays: a sample\ncase: "
                           "batchnorm_bias_divide_swish rows=2 cols=1 seed=11\n"
                        << dtype_line << "find: device/stages.cuh\n"
                        << find << "replace:\n"
                        << replace;
  const auto run = [](const std::string& arguments) {
    return std::system(("python3 " GRADPROOF_SOURCE_DIR "/scripts/mutate.py " + arguments +
                        " >/dev/null 2>&1")
                           .c_str()) == 0;
  };
  const bool accepted = run(mutant.string() + " " + output.string());
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  return {accepted, text.str(), run("--check " + mutant.string())};
}

TEST(KernelMutate, ReplacesInTheHeaderThatTheBlockNames) {
  const Mutated result = mutate(kVictimLine, "    return dy;  // the sample\n");
  EXPECT_TRUE(result.accepted);
  EXPECT_TRUE(result.fits);
  EXPECT_NE(result.text.find("// the sample"), std::string::npos);
  EXPECT_EQ(result.text.find(kVictimLine), std::string::npos);
  EXPECT_EQ(result.text.find("#include \"kernels/device/"), std::string::npos);
}

bool is_compiled_for(const std::string& dtype_line, const std::string& types) {
  const Mutated result = mutate(kVictimLine, "    return dy;\n", dtype_line);
  const std::string combination = "#define GRADPROOF_TYPES " + types + "\n";
  return result.accepted && result.text.find(combination) != std::string::npos;
}

TEST(KernelMutate, HasTheOneCombinationOfTypesThatItsLineNames) {
  EXPECT_TRUE(is_compiled_for("", "float, float, float"));
  EXPECT_TRUE(is_compiled_for("dtype: f64\n", "double, double, double"));
  EXPECT_TRUE(is_compiled_for("dtype: mixed\n", "__half, float, float"));
  EXPECT_FALSE(is_compiled_for("dtype: f64\n", "float, float, float"));
  EXPECT_FALSE(is_compiled_for("dtype: all\n", "float, float, float"));
}

TEST(KernelMutate, RefusesATypeThatNoKernelHas) {
  EXPECT_FALSE(mutate(kVictimLine, "    return dy;\n", "dtype: f8\n").accepted);
}

void expect_stale(const Mutated& result, const std::string& why) {
  EXPECT_TRUE(result.accepted) << "a kernel that was edited can still be judged";
  EXPECT_FALSE(result.fits);
  EXPECT_NE(result.text.find("throw UsageError(\"mutant=sample is stale: " + why),
            std::string::npos)
      << result.text;
  EXPECT_EQ(result.text.find("batchnorm_forward"), std::string::npos) << "no right kernel";
}

TEST(KernelMutate, IsStaleWhereItsTextStandsNowhereOrTwice) {
  expect_stale(mutate("  return of_another_kernel(dy);\n", ""),
               "stands 0 times in device/stages.cuh, not once: return of_another_kernel(dy);");
  expect_stale(mutate("  for (int k = 0; k < kQuad; ++k) {\n", ""), "stands ");
}

TEST(KernelMutate, RefusesAnEmptyBlock) { EXPECT_FALSE(mutate("", "    return dy;\n").accepted); }

}  // namespace
}  // namespace gradproof
