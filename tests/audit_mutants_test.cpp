// SPDX-License-Identifier: Apache-2.0
// fixtures/cases/wrong.cases: every mutant with a wrong gradient is called wrong, with its entries
// and the words that explain it.
#include <fstream>

#include <gtest/gtest.h>

#include "cli/audit_case.h"
#include "cli/audit_verdict.h"
#include "cli/cases.h"
#include "cli/line.h"
#include "reports/audit_text.h"

namespace gradproof {
namespace {

struct Wrong {
  std::string text;
  std::string words;  ///< empty: nothing explains it
};

std::vector<Wrong> wrong_cases() {
  std::ifstream file(suites_directory() + "/wrong.cases");
  std::vector<Wrong> all;
  std::string words;
  for (std::string line; std::getline(file, line);) {
    const std::string says = "# says: ";
    if (line.starts_with(says)) words = line.substr(says.size());
    if (line.empty() || line.starts_with('#')) continue;
    all.push_back({line, words});
    words.clear();
  }
  return all;
}

std::string mutant_of(const Wrong& wrong) {
  return parse_case(wrong.text, all_schemas()).text("mutant");
}

/// What the kernel's witness says of each tensor that it calls wrong.
std::vector<AuditWitness> called_wrong(const std::string& text) {
  std::vector<AuditWitness> found;
  AuditPlan plan;
  plan.options.entries = 32;  // the differences are not the accused here
  plan.row = [&](const AuditRow& row) {
    const AuditWitness* kernel = witness_of(row, "kernel");
    if (kernel == nullptr || kernel->verdict != "wrong") return;
    EXPECT_EQ(row.verdict, "wrong") << row.tensor;
    found.push_back(*kernel);
  };
  audit_case(parse_case(text, all_schemas()), plan);
  return found;
}

class Mutant : public testing::TestWithParam<Wrong> {};

TEST_P(Mutant, IsWrongInTheEntriesAndWordsThatAreExpected) {
  bool said = false;
  std::int64_t entries = 0;
  for (const AuditWitness& kernel : called_wrong(GetParam().text)) {
    said = said || kernel.text.find(GetParam().words) != std::string::npos;
    entries += static_cast<std::int64_t>(kernel.entries.size());
  }
  EXPECT_GT(entries, 0) << GetParam().text;
  EXPECT_TRUE(said) << GetParam().text << ": " << GetParam().words;
}

TEST_P(Mutant, IsWrongBecauseOfItsFault) {
  const Case right = parse_case(GetParam().text, all_schemas()).with("mutant", "none");
  EXPECT_TRUE(called_wrong(to_string(right)).empty()) << to_string(right);
}

INSTANTIATE_TEST_SUITE_P(All, Mutant, testing::ValuesIn(wrong_cases()), [](const auto& test) {
  return std::to_string(test.index) + "_" + mutant_of(test.param);
});

TEST(Mutants, AreMany) { EXPECT_GE(wrong_cases().size(), 50u); }

}  // namespace
}  // namespace gradproof
