// SPDX-License-Identifier: Apache-2.0
// The laws are checked over the whole catalog: every kernel that a law speaks of, on Cases drawn
// from its schema. RC_PARAMS is RapidCheck's: "seed=5 max_success=1000".
#include <chrono>
#include <cstdlib>

#include <gtest/gtest.h>

#include "core/parallel.h"
#include "properties/laws/generate.h"
#include "properties/laws/table.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

/// The counts of a law's findings over many Cases.
struct Said {
  int cases = 0;
  int passed = 0;
  int mistrusted = 0;
};

/// Checks the law on one Case; a failure says the quantity, the numbers and the Case.
void expect_law(const Law& law, const Kernel& kernel, const Case& c, Said& said) {
  ++said.cases;
  for (const Finding& f : check_law(law, kernel, c)) {
    RC_LOG() << law.name << ": " << f.quantity << ": " << f.verdict.reason << ", worst "
             << f.discrepancy.max_ratio << " of the bound\n";
    RC_ASSERT(!is_wrong(f.verdict.outcome));
    RC_ASSERT(f.verdict.outcome != Outcome::instrument_broken);
    ++(f.verdict.outcome == Outcome::passed ? said.passed : said.mistrusted);
  }
}

class Laws : public ::testing::TestWithParam<std::string> {};

TEST_P(Laws, HoldOverTheCatalog) {
  const ThreadLimit one(1);  // these runs are too small for more
  const Law& law = law_named(GetParam());
  int kernels = 0;
  for (const Kernel& kernel : test_kernels()) {
    if (!law_of_kernel(law, kernel).silence.empty()) continue;
    ++kernels;
    Said said;
    const auto start = std::chrono::steady_clock::now();
    const auto drawn = any_case(kernel, {"law=" + law.name},
                                [&](const Case& c) { return law.applies(kernel.claim(c)); });
    EXPECT_TRUE(rc::check(kernel.schema->word + ": " + law.says,
                          [&] { expect_law(law, kernel, *drawn, said); }));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << law.name << " of " << kernel.schema->word << ": " << said.cases << " cases, "
              << said.passed << " passed, " << said.mistrusted << " mistrusted, "
              << static_cast<int>(said.cases / seconds.count()) << " cases a second\n";
    EXPECT_GT(said.passed, 0) << "a law that trusted nothing would be green too";
  }
  EXPECT_GT(kernels, 0) << "a law that no kernel has says nothing";
}

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const Law& law : laws()) names.push_back(law.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Laws, ::testing::ValuesIn(law_names()),
                         [](const auto& law) { return law.param; });

TEST(LawTable, HasTwentyLawsAndAllWordsOfTheKey) {
  std::vector<std::string> words{"none", "all"};
  for (const std::string& name : law_names()) words.push_back(name);
  EXPECT_EQ(test_kernels().front().schema->key("law", "").words, words);
  EXPECT_GE(laws().size(), 20u);
}

TEST(CaseText, IsInverse) {
  for (const Kernel& kernel : test_kernels())
    EXPECT_TRUE(rc::check(kernel.schema->word, [&] {
      const Case c = *any_case(kernel);
      RC_ASSERT(parse_case(to_string(c), schemas()) == c);
    }));
}

/// So many Cases of each law and kernel, and one seed, unless RC_PARAMS says otherwise.
const int kParameters = setenv("RC_PARAMS", "seed=1 max_success=25", 0);

}  // namespace
}  // namespace gradproof
