// SPDX-License-Identifier: Apache-2.0
// The laws over the whole catalog: every system, Cases drawn from its schema.
#include <set>

#include <gtest/gtest.h>

#include "core/case/shrink.h"
#include "properties/laws/generate.h"
#include "properties/laws/law.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

const Law& law_named(const std::string& name) {
  for (const Law& law : laws())
    if (law.name == name) return law;
  throw std::out_of_range(name);
}

/// What the law said over many Cases.
struct Said {
  int passed = 0;
  int mistrusted = 0;
};

/// The law on one Case; a failure says the quantity, the numbers and the Case.
void expect_law(const Law& law, const Kernel& kernel, const Case& c, Said& said) {
  RC_PRE(law.applies(kernel.claim(c)));
  for (const Finding& f : law.check(kernel, c)) {
    RC_LOG() << law.name << ": " << f.quantity << ": " << f.verdict.reason << ", worst "
             << f.discrepancy.max_ratio << " of the bound\n";
    RC_ASSERT(f.verdict.outcome != Outcome::failed);
    RC_ASSERT(f.verdict.outcome != Outcome::instrument_broken);
    ++(f.verdict.outcome == Outcome::passed ? said.passed : said.mistrusted);
  }
}

/// The pins whose key the system has.
std::vector<std::string> known(const Schema& schema, const std::vector<std::string>& pins) {
  std::vector<std::string> some;
  for (const std::string& pin : pins)
    if (schema.has(pin.substr(0, pin.find('=')))) some.push_back(pin);
  return some;
}

/// Whether the law says anything on Cases of that system.
bool applies_at_all(const Law& law, const Kernel& kernel, const std::vector<std::string>& pinned) {
  constexpr int kDraws = 50;
  rc::Random random(1);
  for (int draw = 0; draw < kDraws; ++draw)
    if (law.applies(kernel.claim(any_case(kernel.schema, pinned)(random.split(), 0).value())))
      return true;
  return false;
}

/// Checks the law on every system that it says something on, and says which these are.
std::set<std::string> over_the_catalog(const std::string& name,
                                       const std::vector<std::string>& pins) {
  const Law& law = law_named(name);
  std::set<std::string> words;
  for (const Kernel& kernel : test_kernels()) {
    std::vector<std::string> pinned = known(*kernel.schema, pins);
    if (!applies_at_all(law, kernel, pinned)) continue;
    words.insert(kernel.schema->word);
    pinned.push_back("law=" + name);  // a counterexample's replay line then runs the law
    Said said;
    EXPECT_TRUE(rc::check(kernel.schema->word + ": " + law.says, [&] {
      expect_law(law, kernel, *any_case(kernel.schema, pinned), said);
    }));
    // A law that trusted nothing would be green too.
    EXPECT_GT(said.passed, said.mistrusted) << law.name << " of " << kernel.schema->word;
  }
  return words;
}

TEST(Laws, CaseTextIsInverse) {
  for (const Kernel& kernel : test_kernels())
    EXPECT_TRUE(rc::check(kernel.schema->word, [&] {
      const Case c = *any_case(kernel.schema);
      RC_ASSERT(parse_case(to_string(c), schemas()) == c);
    }));
}

TEST(Laws, AdjointIdentity) {
  EXPECT_EQ(over_the_catalog("adjoint_identity", {"op=both"}).size(), test_kernels().size());
}

TEST(Laws, SumOfDxIsZero) {
  const std::set<std::string> words{"batchnorm_bias_divide_swish", "groupnorm",
                                    "groupnorm_swish_multiply_swish", "scale_batchnorm"};
  EXPECT_EQ(over_the_catalog("dx_sum", {"op=both", "mode=train", "grads=all"}), words);
}

TEST(Laws, RunningRecurrenceAtTwoAndThreeRows) {
  const std::set<std::string> words{"batchnorm_bias_divide_swish", "scale_batchnorm"};
  for (const char* rows : {"rows=2", "rows=3"})
    EXPECT_EQ(
        over_the_catalog("running_recurrence", {"op=forward", "mode=train", "track=yes", rows}),
        words);
}

}  // namespace
}  // namespace gradproof
