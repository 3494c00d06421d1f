// SPDX-License-Identifier: Apache-2.0
// fixtures/cases/worst.cases: each Case is judged green still, and comes as near to its bound as it
// says.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/graph/stages.h"
#include "core/text_file.h"
#include "tests/support/systems.h"
#include "tools/search/result.h"

namespace gradproof {
namespace {

/// The notes have five digits.
constexpr double kRounding = 0.5e-4;

/// The most that error/bound may differ from what is noted if the Case runs on another machine.
///
/// The executor's kernels are IEEE + - * / sqrt in the order of their text (no contraction), which
/// have the same bits everywhere, and exp of the C library. glibc has its expf and its exp with and
/// without FMA and takes what the processor has. expf computes in double and rounds once, so that
/// both have the same bits but for arguments within some 2^-50 of a tie; 16-bit types compute in
/// float32. exp of float64 is right within 0.511 ulp either way, and within 0.011 ulp of a tie the
/// two may say different neighbours, 2u apart. The relative error of the sigmoid that follows moves
/// by 2u q then, of the r = q e_exp + 2u with e_exp of u or more and q of 1 at most that the bound
/// grants it (docs/bounds.md): by two thirds of it, were the sigmoid all of the bound.
double tolerance_of(const Case& c, const Kernel& kernel, double noted) {
  const std::vector<GraphStep> chain = kernel.claim(c).chain();
  const bool has_exp = std::any_of(chain.begin(), chain.end(), [](const GraphStep& step) {
    return graph_stage(step.stage).takes("exp");
  });
  return has_exp && c.is("dtype", "f64") ? 2.0 / 3 : kRounding * noted;
}

bool is_as_noted(const Case& c, double noted, double now) {
  return std::abs(now - noted) <= tolerance_of(c, test_catalog().of(c), noted);
}

struct KeptCase {
  Case c;
  std::vector<std::pair<std::string, double>> noted;
};

std::vector<KeptCase> kept_cases() {
  std::vector<KeptCase> all;
  TextFile file(GRADPROOF_SOURCE_DIR "/fixtures/cases/worst.cases");
  std::string before;
  while (const auto line = file.next()) {
    if (!line->empty() && line->front() != '#')
      all.push_back({read_case(*line), noted_ratios(before)});
    before = *line;
  }
  return all;
}

TEST(WorstCases, AreGreenAndAsNearTheirBoundsAsTheySay) {
  for (const auto& [c, noted] : kept_cases()) {
    EXPECT_FALSE(noted.empty()) << to_string(c);
    std::map<std::string, Record> records;
    for (const Record& record : check_case(test_systems(), c, Detail::of_failures)) {
      const Outcome outcome = record.verdict.outcome;
      EXPECT_TRUE(outcome == Outcome::passed || outcome == Outcome::mistrusted)
          << to_string(c) << " " << record.tensor << ": " << record.verdict.reason;
      records.emplace(record.tensor, record);
    }
    for (const auto& [tensor, ratio] : noted) {
      ASSERT_EQ(records.count(tensor), 1u) << to_string(c) << " " << tensor;
      const double now = records.at(tensor).discrepancy().max_ratio;
      EXPECT_LE(now, 1) << to_string(c) << " " << tensor;
      EXPECT_TRUE(is_as_noted(c, ratio, now))
          << to_string(c) << " " << tensor << " noted " << ratio << ", now " << now;
    }
  }
}

TEST(WorstCases, AreThereForEveryKernelAndCombinationOfTypes) {
  std::set<std::string> there;
  for (const auto& [c, noted] : kept_cases())
    there.insert(c.word() + " " + c.text("dtype") + " " + c.text("params"));
  EXPECT_EQ(there.size(), 5 * test_kernels().size());
}

/// The control: a ratio that differs by more than the tolerance is noticed.
TEST(WorstCases, AnotherRatioWouldBeNoticed) {
  const Case norm = read_case("groupnorm rows=2");
  EXPECT_TRUE(is_as_noted(norm, 0.8, 0.80001));
  EXPECT_FALSE(is_as_noted(norm, 0.8, 0.7999));
  const Case swish = read_case("swish_bias rows=2 dtype=f64");
  EXPECT_FALSE(is_as_noted(swish, 0.8, 0.1));
  EXPECT_FALSE(is_as_noted(swish.with("dtype", "f32"), 0.8, 0.7));
}

}  // namespace
}  // namespace gradproof
