// SPDX-License-Identifier: Apache-2.0
// `gradproof explain` names the element of a real kernel, and what every witness said of it.
#include "judge/explain_case.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cli/worker/explain_text.h"
#include "core/error.h"
#include "judge/check_case.h"
#include "judge/element_choice.h"
#include "reports/record/json.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

const std::string kCorrect = "batchnorm_bias_divide_swish rows=40 cols=6 seed=7";
const std::string kMutant = kCorrect + " mutant=missing_mean_term";

ElementFacts facts_of(const std::string& text, const std::string& element) {
  return element_facts(test_systems(), read_case(text), element);
}

/// The message of the usage error.
std::string refusal_of_element(const std::string& text, const std::string& element) {
  try {
    facts_of(text, element);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseElement, ReadsEveryForm) {
  EXPECT_EQ(parse_element("d_x[3,7]").tensor, "d_x");
  EXPECT_EQ(parse_element("d_x[3,7]").index, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(parse_element("d_x").tensor, "d_x");
  EXPECT_TRUE(parse_element("d_x").index.empty());
  EXPECT_EQ(parse_element("3,7").tensor, "y");
  EXPECT_TRUE(parse_element("").tensor.empty());
  for (const char* bad : {"d_x[", "d_x[]", "d_x[a]", "d_x[3,]", "d_x[-1,2]", "3,,7", "d_x[3]7"})
    EXPECT_THROW(parse_element(bad), UsageError) << bad;
}

TEST(ElementFacts, WithoutAnElementTheWorstOfTheWorstTensorIsReported) {
  const ElementFacts facts = facts_of(kMutant, "");
  EXPECT_EQ(facts.record.tensor, "d_x");
  EXPECT_EQ(facts.record.verdict.outcome, Outcome::failed);
  EXPECT_EQ(facts.element.index, facts.record.discrepancy().worst.index);
  EXPECT_EQ(facts.element.got, facts.record.discrepancy().worst.got);
  EXPECT_GT(facts.element.ratio(), 1);
  EXPECT_EQ(facts.unit_bad, facts.unit_size) << "the mean is missing in all of the column";
  EXPECT_TRUE(facts.libtorch.agrees()) << "the truth is right, the kernel is not";
  ASSERT_EQ(facts.saved.size(), 2u);
  EXPECT_LE(facts.saved.front().comparand.ratio(), 1);
}

TEST(ElementFacts, ACorrectKernelIsWithinItsBoundEverywhere) {
  const ElementFacts facts = facts_of(kCorrect, "d_x");
  EXPECT_EQ(facts.record.verdict.outcome, Outcome::passed);
  EXPECT_LE(facts.element.ratio(), 1);
  EXPECT_GT(facts.element.ratio(), 0);
  EXPECT_EQ(facts.unit_bad, 0);
  EXPECT_EQ(facts.unit_size, 40);
  EXPECT_TRUE(facts.libtorch.agrees());
  EXPECT_TRUE(facts.explanation.fast_agrees);
  EXPECT_EQ(facts.schedule.find("other bits"), std::string::npos);
}

/// The control of `agrees`.
TEST(ElementFacts, OneNumberIsExplainedAsWellAsATensor) {
  const std::string line = "{l = mean(add(x, b[]), rows, cols); y = relu(x)} rows=4 cols=8 seed=3";
  for (const char* name : {"l", "d_b"}) {
    const ElementFacts facts = facts_of(line, name);
    EXPECT_EQ(facts.record.tensor, name);
    EXPECT_EQ(facts.element.index, 0);
    EXPECT_LE(facts.element.ratio(), 1);
    EXPECT_FALSE(explain_lines(facts, "gradproof replay").empty());
  }
}

TEST(LibTorchAnswer, DisagreesBeyondItsBound) {
  LibTorchAnswer says = facts_of(kCorrect, "d_x").libtorch;
  EXPECT_TRUE(says.agrees());
  says.off = 2 * says.bound;
  EXPECT_FALSE(says.agrees());
}

TEST(LibTorchAnswer, AgreesOnWhatIsNoNumber) {
  const std::string nan = "swish_bias rows=2 cols=3 set=x@0,1:-inf seed=7";
  EXPECT_TRUE(std::isnan(facts_of(nan, "y[0,1]").libtorch.value));
  EXPECT_TRUE(facts_of(nan, "y[0,1]").libtorch.agrees());
  EXPECT_EQ(facts_of(nan, "y[0,1]").libtorch.off, 0);
  Comparand finite = facts_of(nan, "y[0,1]").element;
  EXPECT_EQ(finite.error(), 0);
  finite.got = 0;
  EXPECT_TRUE(std::isinf(finite.error())) << "the control: a number where NaN is right";
  EXPECT_TRUE(std::isinf(finite.ratio()));
  const std::string infinity = "swish_bias rows=2 cols=3 set=x@0,1:inf seed=7";
  EXPECT_TRUE(std::isinf(facts_of(infinity, "y[0,1]").libtorch.value));
  EXPECT_TRUE(facts_of(infinity, "y[0,1]").libtorch.agrees());
}

TEST(ElementFacts, RefusesWhatIsNotThereByName) {
  EXPECT_NE(refusal_of_element(kCorrect, "z").find("unknown tensor 'z'"), std::string::npos);
  EXPECT_NE(refusal_of_element(kCorrect, "z").find("d_x[40,6]"), std::string::npos);
  EXPECT_NE(refusal_of_element(kCorrect, "d_x[40,0]").find("shape is (40,6)"), std::string::npos);
  EXPECT_NE(refusal_of_element(kCorrect, "d_x[1]").find("outside"), std::string::npos);
  EXPECT_NE(refusal_of_element(kCorrect + " law=dx_sum", "").find("law"), std::string::npos);
  EXPECT_EQ(refusal_of_element(kCorrect, "d_x[39,5]"), "");
}

TEST(ElementFacts, EveryTensorOfEveryKernelCanBeExplained) {
  for (const SchemaPtr& schema : test_systems().schemas()) {
    if (schema->word.starts_with("linear_")) continue;
    for (const std::string& tensor : schema->tensors) {
      if (tensor == "num_batches_tracked" || tensor == kExecution) continue;
      const ElementFacts facts = facts_of(schema->word + " seed=3", tensor);
      EXPECT_EQ(facts.record.tensor, tensor) << schema->word;
      EXPECT_LE(facts.element.ratio(), 1) << schema->word << " " << tensor;
      EXPECT_TRUE(facts.libtorch.agrees()) << schema->word << " " << tensor;
      EXPECT_TRUE(facts.explanation.fast_agrees) << schema->word << " " << tensor;
    }
  }
}

TEST(ElementFacts, OfAModelPairTheKernelIsExplained) {
  const ElementFacts facts = facts_of("linear_batchnorm_bias_divide_swish", "d_bn.weight");
  EXPECT_EQ(facts.record.tensor, "d_bn.weight");
  EXPECT_LE(facts.element.ratio(), 1);
}

TEST(ExplainLines, FitThePageAndSayTheSameAsTheObject) {
  const ElementFacts facts = facts_of(kMutant, "");
  for (const std::string& line : explain_lines(facts, "gradproof replay"))
    EXPECT_LE(line.size(), 100u) << line;
  const Json json = parse_json(explain_json(facts), "explain");
  EXPECT_EQ(json.at("tensor"), "d_x");
  EXPECT_EQ(json.at("truth").at("digits"), facts.explanation.truth);
  EXPECT_EQ(number_from(json.at("compared").at("got")), facts.element.got);
  EXPECT_EQ(json.at("terms").size(), facts.explanation.terms.size());
}

}  // namespace
}  // namespace gradproof
