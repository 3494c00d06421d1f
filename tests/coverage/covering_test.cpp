// SPDX-License-Identifier: Apache-2.0
// The combinations of classes are those that there can be, and the generator finds Cases for all.
#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/tensor/philox.h"
#include "kernels/kernel.h"
#include "properties/coverage/complete.h"
#include "properties/coverage/excused_combinations.h"

namespace gradproof {
namespace {

using enum Covering::State;

const Catalog& all_kernels() {
  static const Catalog all = catalog();
  return all;
}

const Kernel& kernel_named(const std::string& word) { return all_kernels().named(word); }

Case swish_bias_case(const std::string& keys) {
  return parse_case("swish_bias " + keys, {kernel_named("swish_bias").schema});
}

const Kernel& swish_bias() { return kernel_named("swish_bias"); }

Instantiation types_named(const Kernel& kernel, const std::string& name) {
  for (const Instantiation& types : instantiations_of(*kernel.schema))
    if (types.name == name) return types;
  throw std::runtime_error("no types " + name);
}

/// The combination of the levels with these names, in the order of their ids.
Combination combination(const CaseSpace& space, const std::string& a, const std::string& b) {
  std::vector<LevelId> ids;
  for (LevelId id = 0; id < space.levels(); ++id)
    if (space.name(id) == a || space.name(id) == b) ids.push_back(id);
  if (ids.size() != 2) throw std::runtime_error("no levels " + a + " and " + b);
  return {ids[0], ids[1], ids[1]};
}

RandomBits fixed_bits() {
  return [stream = Stream(1, "covering_test"), i = std::uint64_t{0}]() mutable {
    return stream.bits(i++);
  };
}

std::vector<std::string> names_of(const Factor& factor) {
  std::vector<std::string> names;
  for (const Level& level : factor.levels) names.push_back(level.name);
  return names;
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(Factors, EveryCombinationOfTypesThatTheSchemaTakes) {
  std::vector<std::string> names;
  for (const Instantiation& types : instantiations_of(*swish_bias().schema))
    names.push_back(types.name);
  EXPECT_EQ(names, (std::vector<std::string>{"f32", "f64", "f16", "f16/f32", "bf16", "bf16/f32"}));
}

TEST(Factors, BothSidesOfTheLimitsOfThatType) {
  const Kernel& kernel = kernel_named("scale_batchnorm");
  const auto rows = [&](const char* types) {
    return names_of(factors_of(kernel, types_named(kernel, types)).front());
  };
  EXPECT_TRUE(has_name(rows("f16"), "1024") && has_name(rows("f16"), "1025"));
  EXPECT_TRUE(has_name(rows("f64"), "512") && has_name(rows("f64"), "513"));
  EXPECT_FALSE(has_name(rows("f64"), "1025"));
}

/// The names of the levels of a kernel's factor; empty where the kernel has no such factor.
std::vector<std::string> levels_of(const std::string& word, const std::string& types,
                                   const std::string& factor) {
  const Kernel& kernel = kernel_named(word);
  for (const Factor& one : factors_of(kernel, types_named(kernel, types)))
    if (one.name == factor) return names_of(one);
  return {};
}

TEST(Factors, EndsOfExpWhereThereIsAnExponential) {
  for (const Kernel& kernel : all_kernels().kernels()) {
    const std::string& word = kernel.schema->word;
    EXPECT_EQ(has_name(levels_of(word, "bf16", "x"), "ends_of_exp"),
              word.find("swish") != word.npos)
        << word;
  }
}

TEST(Factors, ADivisorWhoseReciprocalIsBeyondFloat32) {
  for (const char* word : {"bias_divide_swish", "batchnorm_bias_divide_swish"}) {
    for (const char* types : {"f32", "f16", "f16/f32", "bf16", "bf16/f32"})
      EXPECT_TRUE(has_name(levels_of(word, types, "divide"), "reciprocal")) << word << types;
    EXPECT_FALSE(has_name(levels_of(word, "f64", "divide"), "reciprocal")) << word;
  }
}

TEST(Factors, TwoCallsInFlightInEachKernelAndType) {
  for (const Kernel& kernel : all_kernels().kernels())
    for (const Instantiation& types : instantiations_of(*kernel.schema))
      EXPECT_EQ(levels_of(kernel.schema->word, types.name, "streams"),
                (std::vector<std::string>{"1", "2"}));
}

TEST(Covering, ACaseThatHidesAStageCountsForWhatIsTogetherWithThat) {
  const Kernel& kernel = kernel_named("bias_divide_swish");
  const CaseSpace space(kernel, types_named(kernel, "f32"));
  Covering covering(space, kPairs);
  const Combination pair = combination(space, "rows=2", "divide=reciprocal");
  const std::optional<Case> c = space.case_of(Covering::levels_of(pair));
  ASSERT_TRUE(c);
  EXPECT_GT(covering.add(*c), 0) << to_string(*c);
  EXPECT_EQ(covering.state(pair), covered);
  EXPECT_EQ(covering.state(combination(space, "rows=2", "layout=contiguous")), missing);
  covering.add(c->with("set", ""));  // the control: with a bias nothing is hidden
  EXPECT_EQ(covering.state(combination(space, "rows=2", "layout=contiguous")), covered);
}

TEST(Covering, TwoNumbersInOnePlaceExcludeEachOther) {
  const Kernel& kernel = kernel_named("bias_divide_swish");
  const CaseSpace space(kernel, types_named(kernel, "f32"));
  const Covering covering(space, kPairs);
  const auto state = [&](const char* parameters) {
    return covering.state(combination(space, "divide=reciprocal", parameters));
  };
  EXPECT_EQ(state("parameters=bias:nan"), impossible);
  EXPECT_EQ(state("parameters=bias:0"), missing);
}

TEST(Covering, ACaseHasItsPairsOnce) {
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "f16"));
  Covering covering(space, kPairs);
  const Combination pair = combination(space, "rows=513", "layout=padded");
  EXPECT_EQ(covering.state(pair), missing);
  const Case c = swish_bias_case("rows=513 cols=4 dtype=f16 layout=padded");
  const int gain = covering.gain(c);
  const auto levels = static_cast<int>(space.levels_of(c).size());
  EXPECT_EQ(gain, levels * (levels + 1) / 2) << "singles and pairs";
  EXPECT_EQ(covering.add(c), gain);
  EXPECT_EQ(covering.state(pair), covered);
  EXPECT_EQ(covering.add(c), 0);
  EXPECT_EQ(covering.add(swish_bias_case("rows=513 cols=5")), 0) << "is f32";
}

TEST(Covering, ASuiteOfSinglesWantsEachLevelAlone) {
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "f16"));
  Covering covering(space, kSingles);
  EXPECT_EQ(covering.count(missing), space.levels());
  EXPECT_EQ(covering.state(combination(space, "rows=513", "layout=padded")), unwanted);
  const Case c = swish_bias_case("rows=513 cols=4 dtype=f16 layout=padded");
  EXPECT_EQ(covering.add(c), static_cast<int>(space.levels_of(c).size()));
}

TEST(Covering, WhatHasNoEffectIsNotCovered) {
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "f32"));
  Covering covering(space, kPairs);
  covering.add(swish_bias_case("rows=2 cols=4 op=forward grads=input"));
  EXPECT_EQ(covering.state(combination(space, "rows=2", "grads=input")), missing);
  EXPECT_EQ(covering.state(combination(space, "rows=2", "op=forward")), covered);
}

TEST(Covering, WhatCannotBeIsNotMissing) {
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "f32"));
  Covering covering(space, kPairs);
  classify(covering, fixed_bits());
  EXPECT_EQ(covering.state(combination(space, "op=forward", "grads=input")), impossible);
  EXPECT_EQ(covering.state(combination(space, "rows=0", "x=nan")), impossible);
  EXPECT_EQ(covering.state(combination(space, "rows=513", "cols=257")), too_large);
  EXPECT_EQ(covering.state(combination(space, "rows=2", "x=nan")), missing);
}

TEST(Complete, LeavesNothingMissingAndIsTheSameEachTime) {
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "bf16"));
  const auto lines = [&] {
    Covering covering(space, kPairs);
    const auto found = complete(covering, fixed_bits(), [](const Case&) { return true; });
    EXPECT_EQ(covering.count(missing), 0u);
    std::vector<std::string> texts;
    for (const CoveringLine& line : found) {
      EXPECT_GT(line.serves, 0) << to_string(line.c);
      EXPECT_EQ(parse_case(to_string(line.c), {line.c.schema_pointer()}), line.c);
      texts.push_back(to_string(line.c));
    }
    return texts;
  };
  const std::vector<std::string> first = lines();
  EXPECT_GT(first.size(), 50u);
  EXPECT_EQ(first, lines());
}

TEST(Complete, FewCasesHaveEachLevel) {
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "bf16"));
  Covering covering(space, kSingles);
  const auto lines = complete(covering, fixed_bits(), [](const Case&) { return true; });
  EXPECT_EQ(covering.count(missing), 0u);
  EXPECT_LT(lines.size(), 30u) << "the factor with the most levels has 13, pairs take over 100";
}

TEST(Complete, TakesNoCaseThatIsNotAccepted) {
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "bf16"));
  Covering covering(space, kPairs);
  const std::vector<CoveringLine> lines =
      complete(covering, fixed_bits(), [](const Case& c) { return !c.is("fill", "dyadic"); });
  EXPECT_GT(covering.count(missing), 0u);
  for (const CoveringLine& line : lines) EXPECT_FALSE(line.c.is("fill", "dyadic"));
  for (const Combination& at : covering.all(missing))
    EXPECT_NE(covering.name(at).find("x=ties"), std::string::npos) << covering.name(at);
}

TEST(PairsLedger, ExcusesWhatItNamesAndNamesWhatExcusesNothing) {
  const std::string path = testing::TempDir() + "/some.ledger";
  std::ofstream(path) << "# of a test\n"
                      << "swish_bias * rows=1 x=ties # excused\n"
                      << "groupnorm * rows=1 x=ties # another kernel\n";
  ExcusedCombinations ledger(path);
  const CaseSpace space(swish_bias(), types_named(swish_bias(), "bf16"));
  Covering covering(space, kPairs);
  ledger.excuse("swish_bias", "bf16", covering);
  EXPECT_EQ(covering.count(excused), 1u);
  EXPECT_EQ(covering.state(combination(space, "rows=1", "x=ties")), excused);
  EXPECT_EQ(ledger.idle(), std::vector<std::string>{path + ":3"});
  std::ofstream(path) << "swish_bias * rows=1 x=ties\n";
  EXPECT_THROW(ExcusedCombinations{path}, UsageError) << "a line without a reason";
}

}  // namespace
}  // namespace gradproof
