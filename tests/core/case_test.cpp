// SPDX-License-Identifier: Apache-2.0
#include "core/case/case.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/case/shrink.h"
#include "core/cores.h"
#include "core/error.h"
#include "tests/support/sample_schema.h"

namespace gradproof {
namespace {

Case read(const std::string& text) { return parse_case(text, {sample_schema()}); }

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Case, PrintsOnlyWhatDiffersInTheSchemasOrder) {
  EXPECT_EQ(to_string(read("sample")), "sample");
  EXPECT_EQ(to_string(read("sample seed=9 rows=7 mode=train")), "sample rows=7 seed=9");
  EXPECT_EQ(to_string(read("sample fill=offset:1e3 momentum=none")),
            "sample momentum=none fill=offset:1000");
}

TEST(Case, NumbersSurviveTheTextBitForBit) {
  const Case c = read("sample momentum=0x1.999999999999ap-4 fill=scaled:-0x1p-140");
  EXPECT_EQ(c.real("momentum"), 0.1);
  EXPECT_EQ(c.argument("fill"), -0x1p-140);
  EXPECT_EQ(read(to_string(c)), c);
}

TEST(Case, RefusesWithKeyTextAndChoices) {
  EXPECT_EQ(error_of("other rows=1"), "unknown kernel 'other'; known: sample");
  EXPECT_EQ(error_of("sample row=3"),
            "unknown key 'row' in 'sample row=3'; known: rows cols mode momentum fill dy set seed; "
            "did you mean 'rows'?");
  EXPECT_EQ(error_of("sample mode=test"), "bad value 'test' for key 'mode'; known: train eval");
  EXPECT_EQ(error_of("sample rows=-1"),
            "bad value '-1' for key 'rows'; a whole number from 0 to 1000");
  EXPECT_EQ(error_of("sample rows=3x"),
            "bad value '3x' for key 'rows'; a whole number from 0 to 1000");
  EXPECT_EQ(error_of("sample momentum=nan"),
            "bad value 'nan' for key 'momentum'; a number or none");
  EXPECT_EQ(error_of("sample rows=2 rows=2"), "key 'rows' stands twice in 'sample rows=2 rows=2'");
  EXPECT_EQ(error_of("sample rows"), "'rows' in 'sample rows' is no key=value");
  EXPECT_EQ(error_of("sample rows=1"), "rows=1 cannot train in 'sample rows=1'");
  EXPECT_EQ(error_of("sample rows=1 mode=eval"), "accepted");
  EXPECT_THROW(read("sample").with("set", "a\fb"), UsageError) << "a line of it has two words";
  EXPECT_EQ(error_of("  "), "empty case; write 'kernel key=value ...'");
  EXPECT_EQ(error_of("sample fill=offset:abc").substr(0, 35),
            "bad value 'offset:abc' for key 'fil");
}

TEST(Case, EstimatesMemoryFromItsExtents) {
  EXPECT_EQ(memory_estimate(read("sample rows=10 cols=7")), 7000);
}

TEST(Case, EstimatesTheUnitsInWorkOnEachCore) {
  Schema schema = *sample_schema();
  schema.unit_keys = {"rows"};
  schema.bytes_per_unit_element = 1000;
  const Case c = Case(std::make_shared<const Schema>(schema)).with("rows", "10");
  EXPECT_EQ(memory_estimate(c), 10 * 3 * 100 + 10 * 1000.0 * cores());
  schema.beside = {{{"cols"}, 8}, {{"rows", "cols"}, 16}};
  const Case more = parse_case(to_string(c), {std::make_shared<const Schema>(schema)});
  EXPECT_EQ(memory_estimate(more), memory_estimate(c) + 3 * 8 + 10 * 3 * 16);
}

TEST(Shrink, EveryNeighbourIsSimplerAndAllowed) {
  const Case c = read("sample rows=40 cols=9 mode=eval fill=offset:1000 seed=12");
  const auto neighbours = shrinks(c);
  ASSERT_FALSE(neighbours.empty());
  for (const Case& n : neighbours) {
    EXPECT_TRUE(simpler_than(n, c)) << to_string(n);
    EXPECT_EQ(refusal_of(n), "") << to_string(n);
  }
}

TEST(Shrink, FindsTheSmallestCaseThatStillFails) {
  const auto fails = [](const Case& c) { return c.integer("rows") > 32 && c.integer("cols") >= 2; };
  const Case start = read("sample rows=100 cols=50 mode=eval fill=offset:10 seed=12");
  EXPECT_EQ(to_string(shrink(start, fails, 1000)), "sample rows=33 cols=2");
  EXPECT_EQ(shrink(
                start, [](const Case&) { return false; }, 1000),
            start);  // the control
}

/// The sample with groups that must divide the columns.
Case grouped(const std::string& keys) {
  Schema schema = *sample_schema();
  schema.keys.insert(schema.keys.begin() + 2,
                     Key{"groups", KeyType::integer, "1", {}, 1, 1000, ""});
  schema.refusals.push_back({{{"cols", "indivisible", "groups"}}, "groups must divide cols"});
  return parse_case("sample " + keys, {std::make_shared<const Schema>(schema)});
}

TEST(Case, RefusesWhatDoesNotDivide) {
  EXPECT_THROW(grouped("cols=10 groups=4"), UsageError);
  EXPECT_NO_THROW(grouped("cols=12 groups=4"));
}

TEST(Shrink, KeepsColumnsAMultipleOfTheirGroups) {
  const auto fails = [](const Case& c) { return c.integer("groups") >= 3; };
  const Case start = grouped("rows=40 cols=60 groups=12");
  for (const Case& n : shrinks(start)) EXPECT_EQ(refusal_of(n), "") << to_string(n);
  EXPECT_EQ(to_string(shrink(start, fails, 1000)), "sample rows=0 groups=3");
  const auto wide = [](const Case& c) { return c.integer("groups") >= 3 && c.integer("cols") > 6; };
  EXPECT_EQ(to_string(shrink(start, wide, 1000)), "sample rows=0 cols=9 groups=3");
}

}  // namespace
}  // namespace gradproof
