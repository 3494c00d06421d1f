// SPDX-License-Identifier: Apache-2.0
// The laws over the whole catalog: every system, Cases drawn from its schema.
#include <gtest/gtest.h>

#include "core/shrink.h"
#include "properties/generate.h"
#include "properties/law.h"

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

void over_the_catalog(const std::string& name, const std::vector<std::string>& pinned) {
  const Law& law = law_named(name);
  std::vector<std::string> all = pinned;
  all.push_back("law=" + name);  // a counterexample's replay line then runs the law
  for (const Kernel& kernel : catalog()) {
    Said said;
    EXPECT_TRUE(rc::check(kernel.schema->word + ": " + law.says,
                          [&] { expect_law(law, kernel, *any_case(kernel.schema, all), said); }));
    // A law that trusted nothing would be green too.
    EXPECT_GT(said.passed, said.mistrusted) << law.name;
  }
}

TEST(Laws, CaseTextIsInverse) {
  for (const Kernel& kernel : catalog())
    EXPECT_TRUE(rc::check(kernel.schema->word, [&] {
      const Case c = *any_case(kernel.schema);
      RC_ASSERT(parse_case(to_string(c), schemas()) == c);
    }));
}

TEST(Laws, AdjointIdentity) { over_the_catalog("adjoint_identity", {"op=both"}); }
TEST(Laws, SumOfDxIsZero) { over_the_catalog("dx_sum", {"op=both", "mode=train"}); }

TEST(Laws, RunningRecurrenceAtTwoAndThreeRows) {
  for (const char* rows : {"rows=2", "rows=3"})
    over_the_catalog("running_recurrence", {"op=forward", "mode=train", "track=yes", rows});
}

}  // namespace
}  // namespace gradproof
