// SPDX-License-Identifier: Apache-2.0
// The power of the push suite: the committed push suite must convict every mutant that is linked
// in. Only a Failed or Crashed tensor counts; a Mistrusted pass is an acquittal.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/kernel.h"
#include "tests/support/catalog.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

std::vector<std::string> all_mutants() {
  std::vector<std::string> names;
  for (const Kernel& kernel : test_kernels())
    for (const auto& [name, entry] : kernel.mutants) names.push_back(name);
  return names;
}

/// The number behind `passed=` and the like in the RESULT line; -1 where there is none.
int count_of(const std::string& result, const std::string& field) {
  const std::size_t at = result.find(field + "=");
  return at == std::string::npos ? -1 : std::stoi(result.substr(at + field.size() + 1));
}

class PushSuite : public testing::TestWithParam<std::string> {};

TEST_P(PushSuite, ConvictsTheMutant) {
  const std::string& mutant = GetParam();
  // Cases of other kernels, and of dtypes that the mutant is not compiled for, are left out.
  const Finished done =
      shell(front() + " check --suite push --no-shrink --fail-fast --with mutant=" + mutant,
            "calibrate-" + mutant);
  const std::string result = last_line_of(done.out);
  EXPECT_EQ(done.code, 1) << result << done.err;
  EXPECT_GT(count_of(result, "failed"), 0) << result;
  EXPECT_TRUE(has(done.out, "mutant=" + mutant)) << "no replay line names the mutant";
}

INSTANTIATE_TEST_SUITE_P(Push, PushSuite, testing::ValuesIn(all_mutants()),
                         [](const auto& name) { return name.param; });

TEST(PushSuiteControl, AcquitsTheProduct) {
  const Finished done = shell(front() + " check --suite push", "calibrate-product");
  const std::string result = last_line_of(done.out);
  EXPECT_EQ(done.code, 0) << done.out;
  EXPECT_EQ(count_of(result, "failed"), 0) << result;
  EXPECT_GT(count_of(result, "passed"), 0) << result;
}

TEST(PushSuiteControl, HasAtLeastTheSixFirstMutants) {
  const std::vector<std::string> names = all_mutants();
  for (const char* name : {"missing_divide", "missing_mean_term", "biased_running_variance",
                           "one_pass_variance", "tail_guard", "missing_barrier"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

}  // namespace
}  // namespace gradproof
