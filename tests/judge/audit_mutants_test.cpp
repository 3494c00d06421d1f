// SPDX-License-Identifier: Apache-2.0
// fixtures/cases/wrong.cases: every mutant with a wrong gradient is called wrong, with its entries
// and the words that explain it, or with what was found in its run.
#include <fstream>

#include <gtest/gtest.h>

#include "judge/audit_case.h"
#include "judge/check_case.h"
#include "reports/audit/audit_text.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

struct Wrong {
  std::string text;
  std::string words;    ///< empty: nothing explains it
  bool of_run = false;  ///< they are of the run or the saved statistics, not of entries
};

std::vector<Wrong> wrong_cases() {
  std::ifstream file(GRADPROOF_BIN_DIR "/../share/gradproof/cases/wrong.cases");
  std::vector<Wrong> all;
  Wrong next;
  for (std::string line; std::getline(file, line);) {
    for (const std::string says : {"# says: ", "# says of the run: "})
      if (line.starts_with(says)) next = {"", line.substr(says.size()), says != "# says: "};
    if (line.empty() || line.starts_with('#')) continue;
    next.text = line;
    all.push_back(next);
    next = {};
  }
  return all;
}

std::string mutant_of(const Wrong& wrong) { return read_case(wrong.text).text("mutant"); }

/// Every row of a Case's audit, with differences for 32 entries: the adjoint is not at fault here.
std::vector<Record> rows_of(const std::string& text) {
  std::vector<Record> rows;
  AuditPlan plan;
  plan.options.entries = 32;
  plan.record = [&](const Record& row) { rows.push_back(row); };
  audit_case(test_systems(), read_case(text), plan);
  return rows;
}

/// The kernel's witness for each tensor that it calls wrong.
std::vector<AuditWitness> called_wrong(const std::vector<Record>& rows) {
  std::vector<AuditWitness> found;
  for (const Record& row : rows) {
    const AuditWitness* kernel = witness_of(row.audit(), Witness::kernel);
    if (kernel == nullptr || kernel->verdict != WitnessVerdict::wrong) continue;
    EXPECT_EQ(row.verdict.outcome, Outcome::wrong) << row.tensor;
    found.push_back(*kernel);
  }
  return found;
}

/// True if AddressSanitizer, where it is built in, ends the process at the mutant's fault: a read
/// in a guard band, which is poisoned there.
bool ended_by_sanitizer([[maybe_unused]] const std::string& mutant) {
#if defined(__SANITIZE_ADDRESS__)
  return mutant == "shared_scale_read_per_column" || mutant == "tail_guard";
#else
  return false;
#endif
}

class Mutant : public testing::TestWithParam<Wrong> {};

TEST_P(Mutant, IsWrongInTheEntriesAndWordsThatAreExpected) {
  if (ended_by_sanitizer(mutant_of(GetParam()))) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(rows_of(GetParam().text), "use-after-poison");
    return;
  }
  std::string said;
  std::int64_t entries = 0;
  const std::vector<Record> rows = rows_of(GetParam().text);
  const std::vector<AuditWitness> wrong = called_wrong(rows);
  for (const AuditWitness& kernel : wrong) {
    said += kernel.text + "\n";
    entries += static_cast<std::int64_t>(kernel.entries.size());
  }
  if (GetParam().of_run)
    EXPECT_EQ(wrong.size(), rows.size()) << GetParam().text << ": of every gradient";
  else
    EXPECT_GT(entries, 0) << GetParam().text;
  EXPECT_NE(said.find(GetParam().words), std::string::npos)
      << GetParam().text << ": " << GetParam().words << "\nbut said was\n"
      << said;
}

TEST_P(Mutant, IsWrongBecauseOfItsFault) {
  const Case right = read_case(GetParam().text).with("mutant", "none");
  EXPECT_TRUE(called_wrong(rows_of(to_string(right))).empty()) << to_string(right);
}

INSTANTIATE_TEST_SUITE_P(All, Mutant, testing::ValuesIn(wrong_cases()), [](const auto& test) {
  return std::to_string(test.index) + "_" + mutant_of(test.param);
});

TEST(Mutants, AreMany) { EXPECT_GE(wrong_cases().size(), 75u); }

/// A fault in y or in running statistics alone leaves the gradients right.
class MutantElsewhere : public testing::TestWithParam<std::string> {};

TEST_P(MutantElsewhere, LeavesGradientsCertified) {
  for (const Record& row : rows_of(GetParam()))
    EXPECT_EQ(row.verdict.outcome, Outcome::certified)
        << GetParam() << " " << row.tensor << ": " << row.verdict.reason;
}

const std::string kTrained = "batchnorm_bias_divide_swish rows=31 cols=16 divide=3 seed=14 mutant=";

INSTANTIATE_TEST_SUITE_P(
    All, MutantElsewhere,
    testing::Values(kTrained + "biased_running_variance", kTrained + "momentum_inverted",
                    kTrained + "running_mean_moved_twice", kTrained + "running_variance_from_rstd",
                    "batchnorm_bias_divide_swish rows=2 cols=154 momentum=none steps=4 "
                    "schedule=reverse mutant=batch_counted_by_a_block seed=96",
                    "scale_batchnorm rows=32 cols=15 mutant=running_statistics_unscaled seed=356",
                    "batchnorm_bias_divide_swish cols=16 divide=1e+36 mutant=tiny_swish_flushed "
                    "seed=77"),
    [](const auto& test) {
      return mutant_of(Wrong{test.param, "", false});
    });

}  // namespace
}  // namespace gradproof
