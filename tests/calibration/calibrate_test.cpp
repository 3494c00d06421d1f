// SPDX-License-Identifier: Apache-2.0
// The power of the push suite: it must convict every mutant that is linked in, each by the Case
// that its file names. Only a Failed or Crashed tensor counts; a Mistrusted pass is an acquittal.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/error.h"
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

/// The Case behind `case:` in the mutant's file: one of the push suite that convicts it.
Case noted_case(const std::string& mutant) {
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(GRADPROOF_SOURCE_DIR "/kernels/mutants")) {
    if (file.path().filename() != mutant + ".mutant") continue;
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("case: ")) return parse_case(line.substr(6), schemas());
  }
  throw UsageError("no file " + mutant + ".mutant has a line 'case: CASE'");
}

const std::set<std::string>& push_suite() {
  static const std::set<std::string> all = [] {
    std::set<std::string> texts;
    for (const Case& c : read_suite(GRADPROOF_SOURCE_DIR "/fixtures/cases/push.cases", schemas()))
      texts.insert(to_string(c));
    return texts;
  }();
  return all;
}

class PushSuite : public testing::TestWithParam<std::string> {};

TEST_P(PushSuite, ConvictsTheMutant) {
  const std::string& mutant = GetParam();
  const std::string search =
      "another may be found by: gradproof check --suite push --no-shrink "
      "--fail-fast --with mutant=" +
      mutant;
  const Case noted = noted_case(mutant);
  EXPECT_TRUE(push_suite().contains(to_string(noted)))
      << to_string(noted) << " is no Case of the push suite; " << search;
  const Finished done =
      shell(front() + " check --no-shrink '" + to_string(noted.with("mutant", mutant)) + "'",
            "calibrate-" + mutant);
  const std::string result = last_line_of(done.out);
  EXPECT_EQ(done.code, 1) << result << done.err << search;
  EXPECT_GT(count_of(result, "failed"), 0) << result;
  EXPECT_TRUE(has(done.out, "mutant=" + mutant)) << "no replay line names the mutant";
}

INSTANTIATE_TEST_SUITE_P(Push, PushSuite, testing::ValuesIn(all_mutants()),
                         [](const auto& name) { return name.param; });

/// A Case that convicts a mutant acquits the kernel that was mutated. So few Cases need not have a
/// trusted pass of every tensor in every type, which check asks for (exit code 4).
TEST(PushSuiteControl, AcquitsTheProduct) {
  std::string cases;
  for (const std::string& mutant : all_mutants())
    cases += " '" + to_string(noted_case(mutant)) + "'";
  const Finished done = shell(front() + " check" + cases, "calibrate-product");
  const std::string result = last_line_of(done.out);
  EXPECT_TRUE(done.code == 0 || done.code == 4) << done.out;
  EXPECT_FALSE(has(done.out, "did not run")) << done.out;
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
