// SPDX-License-Identifier: Apache-2.0
// Neighbours of a Case: in its keys, in what its tensors hold, and back to fewer elements.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/case/shrink.h"
#include "properties/search/draw_fill.h"
#include "properties/search/elites.h"
#include "properties/search/vary_case.h"
#include "properties/search/vary_contents.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

constexpr int kMany = 300;
const std::vector<std::string> kPinned{"dtype=f16", "params=f32"};

/// One key of another, and what belongs together is kept together.
void expect_sound(const Case& c) {
  EXPECT_EQ(refusal_of(c), "") << to_string(c);
  EXPECT_EQ(parse_case(to_string(c), schemas()), c);
  EXPECT_TRUE(c.is("dtype", "f16") && c.is("params", "f32")) << to_string(c);
  EXPECT_TRUE(c.is("device", "cpu") && c.is("mutant", "none") && c.is("law", "none"));
}

TEST(SearchVary, NeighboursKeepWhatIsPinnedAndAreAllowed) {
  const RandomBits next = random_bits(1, "vary");
  for (const Kernel& kernel : test_kernels()) {
    Case c = draw_for_search(kernel.schema, kPinned, next);
    int moves = 0;
    for (int k = 0; k < kMany; ++k) {
      const Case other = varied(c, kPinned, next);
      expect_sound(other);
      moves += other != c;
      c = other;
    }
    EXPECT_GT(moves, kMany / 2) << kernel.schema->word;
  }
}

TEST(SearchVary, ACrossHasEachKeyOfOneParent) {
  const RandomBits next = random_bits(2, "cross");
  const SchemaPtr schema = kernel_named("groupnorm").schema;
  for (int k = 0; k < kMany; ++k) {
    const Case mother = draw_for_search(schema, kPinned, next);
    const Case father = draw_for_search(schema, kPinned, next);
    const Case child = crossed(mother, father, kPinned, next);
    expect_sound(child);
    for (const Key& key : schema->keys) {
      const Value& value = child.value(key.name);
      EXPECT_TRUE(value == mother.value(key.name) || value == father.value(key.name)) << key.name;
    }
  }
}

TEST(SearchVary, ChangedElementsAreFewAndExactInTheLine) {
  const RandomBits next = random_bits(3, "contents");
  for (const char* keys : {"dtype=f32", "dtype=f64", "dtype=bf16", "dtype=f16 params=f32"}) {
    const Kernel& kernel = kernel_named("batchnorm_bias_divide_swish");
    Case c =
        parse_case("batchnorm_bias_divide_swish rows=3 cols=4 " + std::string(keys), schemas());
    for (int k = 0; k < kMany; ++k) {
      c = with_changed_element(c, make_inputs(c, kernel.claim(c)), next);
      ASSERT_EQ(parse_case(to_string(c), schemas()), c) << to_string(c);
      const std::string& set = c.text("set");
      ASSERT_LT(static_cast<std::size_t>(std::count(set.begin(), set.end(), ';')), kMostSet);
    }
    // The line says what was meant: an element set to a tensor's own number changes nothing.
    const Tensors inputs = make_inputs(c, kernel.claim(c));
    for (const auto& [name, tensor] :
         make_inputs(parse_case(to_string(c), schemas()), kernel.claim(c)))
      EXPECT_TRUE(same_bits(tensor, inputs.at(name))) << name;
  }
}

TEST(SearchVary, NothingToChangeLeavesTheCase) {
  const Case c = parse_case("swish_bias rows=0", schemas());
  EXPECT_EQ(with_changed_element(c, {}, random_bits(4, "nothing")), c);
}

TEST(SearchElites, KeepTheBestOfEachTensorAndTheNewestOfEquals) {
  Elites elites;
  const Case c = parse_case("swish_bias", schemas());
  EXPECT_TRUE(elites.of("y").empty());
  for (int seed = 1; seed <= 9; ++seed) elites.add("y", 0.5, c.with("seed", std::to_string(seed)));
  elites.add("d_x", 0.1, c);
  ASSERT_EQ(elites.of("y").size(), 4u);
  EXPECT_EQ(elites.of("y").front().c.integer("seed"), 9);
  elites.add("y", 0.4, c.with("seed", "20"));  // below all
  elites.add("y", 0.6, c.with("seed", "21"));
  elites.add("y", 0.6, c.with("seed", "21"));  // once is enough
  EXPECT_EQ(elites.of("y")[0].c.integer("seed"), 21);
  EXPECT_EQ(elites.of("y")[1].c.integer("seed"), 9);
  EXPECT_EQ(elites.of("d_x").size(), 1u);
}

TEST(SearchShrink, LeavesOutElementsThatAreNotNeeded) {
  const Case c = parse_case("swish_bias set=x@0,1:0x1p3;x@2,3:-2;dy@1,1:nan", schemas());
  const auto needs_one = [](const Case& each) {
    return each.text("set").find("x@2,3:-2") != std::string::npos;
  };
  EXPECT_EQ(shrink(c, needs_one, 100).text("set"), "x@2,3:-2");
  EXPECT_TRUE(simpler_than(c.with("set", "x@2,3:-2"), c));
  EXPECT_FALSE(simpler_than(c, c));
}

}  // namespace
}  // namespace gradproof
