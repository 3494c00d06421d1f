// SPDX-License-Identifier: Apache-2.0
// A bound by source: the terms name the source that really dominates.
#include <gtest/gtest.h>

#include "core/tensor/dtype.h"
#include "oracles/explain/explain.h"
#include "tests/oracles/explained_options.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// Makes one source larger than all others together.
using Change = void (*)(Contract&);

void set_chain(Contract& contract, const std::string& name) {
  for (Reduction& reduction : contract.reductions)
    if (reduction.name == name) reduction.chain = 100000;
}

struct Dominated {
  std::string what;
  std::string words;  ///< the largest term says so
  ClaimOptions options;
  std::string tensor;
  Change change;
  double scale = 1;
  double offset = 0;
};

std::vector<Dominated> dominated() {
  const ClaimOptions bn = explained_options("batchnorm_bias_divide_swish");
  const ClaimOptions gn = explained_options("groupnorm", 2);
  ClaimOptions half = explained_options("swish_bias");
  half.contract.storage = DType::f16;
  // No sum has a longer chain than its length: one that is to outweigh all else has more numbers.
  ClaimOptions tall = bn;
  tall.rows = 96;
  return {
      {"mean", "sum of 24 numbers for the mean", bn, "y",
       [](Contract& c) { set_chain(c, "statistics"); }, 1, 30},
      {"squares", "sum of 24 squares for 1/std", bn, "rstd",
       [](Contract& c) { set_chain(c, "statistics"); }},
      {"running_var", "sum of 24 squares for the variance", bn, "running_var",
       [](Contract& c) { set_chain(c, "statistics"); }},
      {"welford", "Welford's updates by 24 numbers", bn, "rstd",
       [](Contract& c) {
         c.variance = Variance::welford;
         set_chain(c, "statistics");
       }},
      {"one_pass", "sums of 24 numbers and their squares", bn, "rstd",
       [](Contract& c) {
         c.variance = Variance::one_pass;
         set_chain(c, "statistics");
       }},
      {"reciprocal_root", "1/sqrt", bn, "rstd", [](Contract& c) { c.rsqrt_error = 1e6; }},
      {"exponential", "exp", explained_options("bias_divide_swish"), "y",
       [](Contract& c) { c.exp_error = 1e6; }},
      {"exponential_backward", "exp", explained_options("swish_multiply_swish"), "d_x",
       [](Contract& c) { c.exp_error = 1e6; }},
      {"unit_sums", "sum of 96 cotangents", tall, "d_x",
       [](Contract& c) { set_chain(c, "gradients"); }},
      {"terms", "sum of 96 terms for d_weight", tall, "d_weight",
       [](Contract& c) { set_chain(c, "gradients"); }},
      {"columns", "sum over 24 rows and 12 cols", bn, "d_bias",
       [](Contract& c) { set_chain(c, "shared"); }},
      {"rows", "sum over 24 rows", gn, "d_weight", [](Contract& c) { set_chain(c, "parameters"); }},
      {"storage", "storing in f16", half, "y", [](Contract&) {}},
      {"underflow", "underflow of products", explained_options("swish_bias"), "d_x",
       [](Contract&) {}, 0x1p-140},
      {"roundings", "single roundings of", explained_options("swish_bias"), "y",
       [](Contract& c) { c.exp_error = 0x1p-10; }},
  };
}

class Terms : public testing::TestWithParam<Dominated> {};

std::vector<Term> terms_for(const Dominated& d, const Claim& claim) {
  Tensors inputs = make_inputs(claim, 3, d.scale, d.offset);
  if (d.what == "underflow")
    for (std::int64_t i = 0; i < inputs.at("dy").numel(); ++i)
      inputs.at("dy").set(i, inputs.at("dy").at(i) * d.scale);
  return explain_element(claim, inputs, std::nullopt, d.tensor, 0).terms;
}

TEST_P(Terms, TheSourceThatDominatesComesFirst) {
  Claim claim = make_claim(GetParam().options);
  GetParam().change(claim.contract);
  const std::vector<Term> terms = terms_for(GetParam(), claim);
  ASSERT_FALSE(terms.empty());
  const auto is_of_source = [&](const Term& term) {
    return term.words.find(GetParam().words) != std::string::npos;
  };
  EXPECT_TRUE(is_of_source(terms.front())) << terms.front().words;
  double of_source = 0;
  double sum = 0;
  double before = 1;
  for (const Term& term : terms) {
    EXPECT_LE(term.share, before);
    before = term.share;
    sum += term.share;
    if (is_of_source(term)) of_source += term.share;
  }
  EXPECT_GT(of_source, 0.5);
  EXPECT_NEAR(sum, 1, static_cast<double>(terms.size()) * 0x1p-52);
}

/// The control: an ordinary contract on ordinary numbers has another winner, or a smaller one.
TEST_P(Terms, WithoutTheChangeItDominatesLess) {
  Dominated ordinary = GetParam();
  ordinary.options.contract.storage = DType::f32;
  ordinary.scale = 1;
  Claim claim = make_claim(GetParam().options);
  GetParam().change(claim.contract);
  const Term winner = terms_for(GetParam(), claim).front();
  for (const Term& term : terms_for(ordinary, make_claim(ordinary.options)))
    EXPECT_TRUE(term.words != winner.words || term.share < winner.share) << term.words;
}

INSTANTIATE_TEST_SUITE_P(Sources, Terms, testing::ValuesIn(dominated()),
                         [](const auto& d) { return d.param.what; });

TEST(LargestTerm, IsTheFirstTermInWordsAndSilentWithoutABound) {
  const Claim claim = make_claim(explained_options("batchnorm_bias_divide_swish"));
  const Tensors inputs = make_inputs(claim, 3);
  const std::string text = largest_term(claim, inputs, std::nullopt, "y", 5);
  const Term first = explain_element(claim, inputs, std::nullopt, "y", 5).terms.front();
  EXPECT_EQ(text.substr(0, first.words.size() + 2), first.words + " (");
  EXPECT_EQ(largest_term(claim, inputs, std::nullopt, "num_batches_tracked", 0), "");
}

/// If one source dominates, a part of a large claim names it as the whole does.
TEST(LargestTerm, OfALargeClaimIsThatOfTheWhole) {
  std::size_t dominating = 0;
  for (Dominated d : dominated()) {
    d.options.rows = 700;
    d.options.cols = d.options.groups > 0 ? 600 : 12;
    Claim claim = make_claim(d.options);
    d.change(claim.contract);
    Tensors inputs = make_inputs(claim, 3, d.scale, d.offset);
    if (d.what == "underflow")
      for (std::int64_t i = 0; i < inputs.at("dy").numel(); ++i)
        inputs.at("dy").set(i, inputs.at("dy").at(i) * d.scale);
    const std::int64_t index = numel(claim.tensor(d.tensor).layout.shape) - 1;
    const Term first = explain_element(claim, inputs, std::nullopt, d.tensor, index).terms.front();
    if (first.share < 0.6) continue;  // in this size two sources share the bound
    ++dominating;
    const std::string text = largest_term(claim, inputs, std::nullopt, d.tensor, index);
    EXPECT_EQ(text.substr(0, first.words.size() + 2), first.words + " (") << d.what;
  }
  EXPECT_GT(2 * dominating, dominated().size());
}

}  // namespace
}  // namespace gradproof::oracle_tests
