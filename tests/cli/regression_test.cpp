// SPDX-License-Identifier: Apache-2.0
// The tolerance regression report is run on a kernel whose arithmetic really changed: the drifted
// worker multiplies by 1/divide where the product divides. Every bound still holds; the report must
// see it.
#include <cmath>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

/// True if 1/divide overflows: there the drifted kernel gives NaN and is wrong.
bool has_no_reciprocal(const std::string& line) {
  const std::string key = " divide=";
  const std::size_t at = line.find(key);
  return at != std::string::npos && std::abs(std::stod(line.substr(at + key.size()))) < 0x1p-128;
}

/// The path of a file that has the push suite's Cases of the kernel that drifted.
std::string its_cases(const std::string& folder) {
  std::ifstream suite(GRADPROOF_BIN_DIR "/../share/gradproof/cases/push.cases");
  std::ofstream some(folder + "/some.cases");
  for (std::string line; std::getline(suite, line);)
    if (line.starts_with("batchnorm_bias_divide_swish ") && !has_no_reciprocal(line))
      some << line << "\n";
  return folder + "/some.cases";
}

std::string check_into(const std::string& folder, const std::string& cases,
                       const std::string& more) {
  return front() + " check --cases " + cases + " --records " + folder + more;
}

TEST(Regression, IsSeenWhereEveryBoundStillHolds) {
  const std::string folder = scratch_directory("regression");
  const std::string product = folder + "/product";
  const std::string drifted = folder + "/drifted";
  const std::string baseline = folder + "/push.baseline";
  const std::string cases = its_cases(folder);
  ASSERT_EQ(shell(check_into(product, cases, ""), "product").code, 0);
  ASSERT_EQ(shell(front() + " baseline update " + baseline + " --from " + product +
                      " --reason 'true division'",
                  "update")
                .code,
            0);
  const Finished same = shell(front() + " report " + product + " --against " + baseline, "same");
  EXPECT_EQ(same.code, 0) << same.out;

  const std::string worker = " --worker " GRADPROOF_BIN_DIR "/gradproof-worker-drifted";
  const Finished passes = shell(check_into(drifted, cases, worker), "drifted");
  EXPECT_EQ(passes.code, 0) << passes.out << passes.err;
  const Finished worse = shell(front() + " report " + drifted + " --against " + baseline, "worse");
  EXPECT_EQ(worse.code, 5) << worse.out << worse.err;
  EXPECT_TRUE(has(worse.out, "regressed")) << worse.out;
}

}  // namespace
}  // namespace gradproof
