// SPDX-License-Identifier: Apache-2.0
// The explanation of one element: its passages end in the judged number, and a close-up has the
// same truths as the whole claim.
#include "oracles/explain/explain.h"

#include <gtest/gtest.h>

#include "core/tensor/dtype.h"
#include "oracles/arithmetic/real.h"
#include "oracles/bounds/number_type.h"
#include "tests/oracles/explained_options.h"
#include "tests/support/oracle_support.h"
#include "tests/support/parameter_name.h"

namespace gradproof::oracle_tests {

inline void PrintTo(VectorShape shape, std::ostream* out) {
  *out << (shape == VectorShape::one ? "one" : shape == VectorShape::cols ? "cols" : "row");
}

namespace {

/// The judged tensors of a floating type.
std::vector<TensorSpec> judged_of(const Claim& claim) {
  std::vector<TensorSpec> all;
  for (const TensorSpec& spec : claim.tensors)
    if ((spec.role == Role::output || spec.role == Role::buffer || spec.role == Role::gradient) &&
        spec.dtype != DType::i64)
      all.push_back(spec);
  return all;
}

using Shaped = std::tuple<std::string, VectorShape>;
class System : public testing::TestWithParam<Shaped> {
 protected:
  ClaimOptions options() const {
    ClaimOptions o = explained_options(std::get<0>(GetParam()), 3);
    o.vector = std::get<1>(GetParam());
    return o;
  }
};

TEST_P(System, ACloseupHasTheTruthsOfTheWhole) {
  const Claim claim = make_claim(options());
  const Tensors inputs = make_inputs(claim, 4);
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  for (const TensorSpec& spec : judged_of(claim)) {
    const Answer& whole = answers.find(spec.name)->second;
    const std::int64_t last = numel(spec.layout.shape) - 1;
    const std::vector<std::int64_t> indices{last, last / 2, 0};
    const auto part =
        truths_of(closeup_of(claim, inputs, std::nullopt, spec.name, indices), spec.name);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto at = static_cast<std::size_t>(indices[i]);
      EXPECT_EQ(part[i].hi, whole.hi[at]) << spec.name;
      // Blocks may be cut along another axis: sums are added in another order.
      EXPECT_NEAR(part[i].bound, whole.bound[at], whole.bound[at] * kBookkeeping) << spec.name;
    }
    EXPECT_TRUE(last == 0 || part[0].hi != part[2].hi) << spec.name;
  }
}

/// The bound's own bookkeeping leaves this much open (oracles/truth/stored_rounding.cpp).
constexpr double kBookkeeping = 0x1p-19;

TEST_P(System, TheExplanationIsThatOfTheJudge) {
  const Claim claim = make_claim(options());
  const Tensors inputs = make_inputs(claim, 4);
  for (const TensorSpec& spec : judged_of(claim)) {
    const std::int64_t index = numel(spec.layout.shape) / 2;
    const Explanation e = explain_element(claim, inputs, std::nullopt, spec.name, index);
    EXPECT_TRUE(e.fifty_digits) << spec.name;
    EXPECT_TRUE(e.fast_decided) << spec.name;
    EXPECT_TRUE(e.fast_agrees) << spec.name;
    const Real printed(e.truth);
    EXPECT_LE(abs(printed - Real(e.stored_truth.hi) - Real(e.stored_truth.lo)),
              Real(e.stored_truth.radius + e.radius) + abs(printed) * Real(1e-29))
        << spec.name;
    const bool gradient = spec.role == Role::gradient;
    EXPECT_EQ(e.forward.front().error, 0);
    const bool whole_chain = spec.name == "y" || gradient;
    EXPECT_TRUE(!whole_chain || e.forward.size() == claim.chain().size() + 1) << spec.name;
    EXPECT_EQ(e.backward.empty(), !gradient) << spec.name;
    const bool exact = e.stored_truth.bound == 0;
    EXPECT_EQ(e.terms.empty(), exact) << spec.name;
    // End to end the errors of one statistic, in a norm's value and in its adjoint, may cancel.
    EXPECT_TRUE(exact || e.terms_over_bound > 0.99) << spec.name << " " << e.terms_over_bound;
    if (e.units > 1) continue;  // the passages are of one summand
    const Passage* const last = gradient              ? &e.backward.back()
                                : spec.name == "mean" ? &e.statistics.front()
                                : spec.name == "rstd" ? &e.statistics.back()
                                                      : &e.forward.back();
    EXPECT_EQ(last->size, e.stored_truth.hi) << spec.name;
    EXPECT_NEAR(last->error, e.stored_truth.bound, e.stored_truth.bound * kBookkeeping)
        << spec.name;
    if (!claim.is_matrix(spec)) continue;
    EXPECT_EQ(e.backward.size(), gradient ? e.forward.size() : 0) << spec.name;
    EXPECT_NE(last->size, e.forward.front().size) << "the passages move";
  }
}

INSTANTIATE_TEST_SUITE_P(All, System,
                         testing::Combine(testing::ValuesIn(system_names()),
                                          testing::Values(VectorShape::one, VectorShape::cols)),
                         parameter_name<Shaped>);

bool has_root(const Explanation& e) {
  return std::any_of(e.terms.begin(), e.terms.end(), [](const Term& term) {
    return term.words.find("1/sqrt") != std::string::npos;
  });
}

TEST(Closeup, TakesTheStatisticsThatWereGiven) {
  for (const char* system : {"batchnorm_bias_divide_swish", "swish_bias_groupnorm"}) {
    const Claim claim = make_claim(explained_options(system, 3));
    const Tensors inputs = make_inputs(claim, 4);
    const Answers own = evaluate(claim, inputs, std::nullopt);
    GivenStatistics given{Tensor(DType::f32, claim.tensor("mean").layout),
                          Tensor(DType::f32, claim.tensor("rstd").layout)};
    for (std::int64_t i = 0; i < given.mean.numel(); ++i) {
      given.mean.set(i, own.at("mean").hi[static_cast<std::size_t>(i)] + 1);
      given.rstd.set(i, own.at("rstd").hi[static_cast<std::size_t>(i)] * 2);
    }
    const Answers whole = evaluate(claim, inputs, given);
    const auto part = truths_of(closeup_of(claim, inputs, given, "d_x", {17}), "d_x").front();
    EXPECT_EQ(part.hi, whole.at("d_x").hi[17]);
    EXPECT_NE(part.hi, own.at("d_x").hi[17]);
    const Explanation e = explain_element(claim, inputs, given, "d_x", 17);
    EXPECT_EQ(e.backward.back().size, part.hi);
    for (const Passage& passage : e.statistics) {
      EXPECT_EQ(passage.error, 0) << "given statistics are exact";
      EXPECT_EQ(passage.formula, "as forward saved it, exact here");
    }
    EXPECT_TRUE(has_root(explain_element(claim, inputs, std::nullopt, "d_x", 17)));
    EXPECT_FALSE(has_root(e)) << "their errors are no part of the bound";
    EXPECT_NEAR(e.terms_over_bound, 1, 1e-3);
  }
}

/// A number that flushing may make 0, and the control.
TEST(Explanation, IsThatOfACodeThatFlushesToZero) {
  ClaimOptions options = explained_options("swish_bias_groupnorm", 3);
  options.contract.flush_to_zero = true;
  const auto largest = [](const Explanation& e) { return e.terms.front().words; };
  const Claim flushing = make_claim(options);
  options.contract.flush_to_zero = false;
  const Claim other = make_claim(options);
  const Tensors inputs = make_inputs(flushing, 4, 1, 0x1p-130);
  Tensors small = inputs;
  for (std::int64_t i = 0; i < small.at("dy").numel(); ++i)
    small.at("dy").set(i, small.at("dy").at(i) * 0x1p-126);
  const Explanation e = explain_element(flushing, small, std::nullopt, "d_x", 17);
  EXPECT_NEAR(e.backward.back().error, e.stored_truth.bound, e.stored_truth.bound * kBookkeeping);
  EXPECT_EQ(largest(e), "underflow of products");
  EXPECT_NE(largest(explain_element(flushing, inputs, std::nullopt, "d_x", 17)), largest(e));
  const Explanation without = explain_element(other, small, std::nullopt, "d_x", 17);
  EXPECT_LT(without.stored_truth.bound, e.stored_truth.bound / 4) << "the control";
}

TEST(Explanation, OfABufferThatNoStepMovesIsItsNumber) {
  ClaimOptions options = explained_options("batchnorm_bias_divide_swish");
  options.training = false;
  const Claim claim = make_claim(options);
  const Tensors inputs = make_inputs(claim, 4);
  const Explanation e = explain_element(claim, inputs, std::nullopt, "running_mean", 5);
  EXPECT_EQ(e.stored_truth.hi, inputs.at("running_mean").at(5));
  EXPECT_EQ(Real(e.truth), Real(e.stored_truth.hi));
  EXPECT_TRUE(e.terms.empty());
  EXPECT_EQ(e.stored_truth.bound, 0);
}

TEST(Neighbours, AreThoseOfTheUnit) {
  const Claim columns = make_claim(explained_options("batchnorm_bias_divide_swish"));
  using Indices = std::vector<std::int64_t>;
  EXPECT_EQ(neighbours_of(columns, "y", 5 * 12 + 3, 2), (Indices{39, 51, 63, 75, 87}));
  EXPECT_EQ(neighbours_of(columns, "d_weight", 1, 3), (Indices{0, 1, 2, 3, 4}));
  const Claim groups = make_claim(explained_options("groupnorm", 3));
  EXPECT_EQ(neighbours_of(groups, "y", 5 * 12 + 4, 3), (Indices{64, 65, 66, 67}));
}

}  // namespace
}  // namespace gradproof::oracle_tests
