// SPDX-License-Identifier: Apache-2.0
// The two tiers of truth: the radius in double-double holds the 50-digit truth, and an element that
// it cannot decide is computed again with 50 digits.
#include "oracles/graph/tier.h"

#include <gtest/gtest.h>

#include "oracles/arithmetic/real.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/graph/blocks/exact_block.h"
#include "oracles/oracle.h"
#include "oracles/truth/stored_rounding.h"
#include "tests/core/doubles.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// Truths of a block in double-double, what is permitted, and the truths with 50 digits; in the
/// same order.
struct Evaluated {
  std::vector<Ball> balls;
  std::vector<Permitted> permitted;
  std::vector<Real> truths;

  int outside(double shrink) const {
    int count = 0;
    for (std::size_t i = 0; i < truths.size(); ++i) {
      const Real off = abs(truths[i] - Real(balls[i].hi) - Real(balls[i].lo));
      // The 50 digits have an error of their own, far below any radius.
      if (!(off <= Real(balls[i].radius) * shrink + abs(truths[i]) * Real(0x1p-140))) ++count;
    }
    return count;
  }
};

/// The whole of a claim as one block.
class WholeBlock {
 public:
  explicit WholeBlock(const std::string& system)
      : claim_(make_claim({.system = system, .rows = 41, .cols = 33, .groups = 3, .closed = true})),
        inputs_(make_inputs(claim_, 3, 2, 5)),
        graph_(graph_of_claim(claim_, inputs_)),
        axis_(block_axis(graph_.graph, graph_.extents)),
        length_(graph_.extents.at(axis_)) {}

  /// Evaluates the graph by one compilation of the tier.
  Evaluated by(const GraphCompilation& compilation) const {
    const GraphSetting setting{graph_.contract, graph_.contract.stored_between()};
    const auto tier = compilation.make(setting);
    const GraphPlan packed = graph_.plan((length_ + tier->lanes() - 1) / tier->lanes());
    const PackedBlock block{axis_, {0, length_, length_}, tier->lanes()};
    const PackedNumbers numbers(packed, inputs_, block);
    tier->evaluate(packed, numbers.view());
    const GraphPlan single = graph_.plan(length_);
    const ExactBlock exact(single, inputs_, {axis_, block.block, 1});
    Evaluated all;
    const auto take = [&](const PlanValue& value, const FieldNumbers<Real>& truths,
                          const auto& ask) {
      const PackedPlaces places(value, block);
      PackedAnswers found(places.stored_count());
      ask(found);
      const PackedPlaces in_order(value, {axis_, block.block, 1});
      std::vector<std::size_t> stored(in_order.stored_count());
      places.each([&](std::size_t where, std::size_t at) { stored[at] = where; });
      in_order.each([&](std::size_t where, std::size_t at) {
        all.balls.push_back(found.answers.ball(stored[at]));
        all.permitted.push_back(found.answers.permitted(stored[at]));
        all.truths.push_back(truths[where]);
      });
    };
    const StoredType type = stored_type_of(DType::f64, DType::f64);
    for (const int output : packed.outputs)
      take(packed.values[place(output)], exact.value(output),
           [&](PackedAnswers& found) { tier->value(output, type, found); });
    for (std::size_t k = 0; k < packed.statistics.size(); ++k)
      take(packed.statistics[k].value, exact.statistic(k),
           [&](PackedAnswers& found) { tier->statistic(k, type, found); });
    for (std::size_t k = 0; k < packed.graph->tensors.size(); ++k)
      if (tier->has_gradient(k))
        take(packed.values[k], exact.gradient(k),
             [&](PackedAnswers& found) { tier->gradient(k, type, found); });
    for (std::size_t u = 0; u < tier->uses(); ++u) {
      std::vector<BlockSum> sums(tier->use(u).count);
      tier->take_sums(u, sums.data());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        all.balls.push_back(sums[i].truth);
        all.permitted.push_back({sums[i].error, sums[i].vacuous, sums[i].overflow});
        all.truths.push_back(exact.uses()[u].sums[i].total);
      }
    }
    return all;
  }

 private:
  static std::size_t place(int value) { return static_cast<std::size_t>(value); }

  Claim claim_;
  Tensors inputs_;
  GraphClaim graph_;
  std::string axis_;
  std::int64_t length_;
};

/// In packs, and of single numbers.
std::vector<GraphCompilation> all_compilations() {
  std::vector<GraphCompilation> all = graph_compilations(TierLanes::pack);
  for (const GraphCompilation& single : graph_compilations(TierLanes::single))
    all.push_back(single);
  return all;
}

class GraphTierTest : public testing::TestWithParam<std::string> {};

TEST_P(GraphTierTest, HoldsFiftyDigits) {
  const WholeBlock whole(GetParam());
  std::int64_t left_out = 0;
  for (const GraphCompilation& compilation : all_compilations()) {
    if (!runs_here(compilation.set)) {
      ++left_out;
      continue;
    }
    const Evaluated all = whole.by(compilation);
    EXPECT_EQ(all.outside(1), 0) << name_of(compilation.set);
    EXPECT_GT(all.outside(0x1p-8), 0) << "radii that are too small go unnoticed";
    EXPECT_GT(all.truths.size(), 2 * 41 * 33) << name_of(compilation.set);
  }
  if (left_out > 0)
    GTEST_SKIP() << "this CPU lacks instructions of " << left_out << " compilations";
}

/// The permitted errors of all compilations are equal, but for the roundings of the error
/// arithmetic.
TEST_P(GraphTierTest, AllCompilationsPermitTheSame) {
  const WholeBlock whole(GetParam());
  std::vector<Permitted> before;
  for (const GraphCompilation& compilation : all_compilations()) {
    if (!runs_here(compilation.set)) continue;
    const std::vector<Permitted> now = whole.by(compilation).permitted;
    for (std::size_t i = 0; i < before.size(); ++i)
      // The relative error of the error arithmetic (oracles/bounds/number_type.h).
      EXPECT_NEAR(now[i].error, before[i].error, kBookkeeping * now[i].error);
    before = now;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GraphTierTest, testing::ValuesIn(system_names()),
                         [](const auto& system) { return system.param; });

/// A constant group's kernel, or whatever else: got is the truth, rounded.
std::map<std::string, Judged, std::less<>> judged_truth(const Claim& claim, const Tensors& inputs) {
  Tensors got;
  for (const auto& [name, answer] : evaluate(claim, inputs, std::nullopt)) {
    const TensorSpec& spec = claim.tensor(name);
    Tensor tensor(spec.dtype, spec.layout);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set(i, answer.hi[static_cast<std::size_t>(i)]);
    got.emplace(name, std::move(tensor));
  }
  return compare_with_truth(claim, inputs, std::nullopt, got);
}

TEST(Escalation, OrdinaryNumbersNeedNone) {
  for (const std::string& system : system_names()) {
    const Claim claim = make_claim({.system = system, .rows = 20, .cols = 12, .groups = 3});
    for (const auto& [name, judged] : judged_truth(claim, make_inputs(claim, 5))) {
      EXPECT_EQ(judged.escalated, 0) << system << " " << name;
      EXPECT_EQ(judged.discrepancy.bad, 0) << system << " " << name;
      EXPECT_EQ(judged.discrepancy.undecided, 0) << system << " " << name;
    }
  }
}

/// 2^120 + 1 - 2^120 under a contract that promises an exact sum: the bound is 0, the radius of
/// double-double is 2^15. An honest chain of two additions is decided: its bound is 2^69.
TEST(Escalation, ASumThatCancelsBeyondDoubleDoubleIsDoneAgain) {
  ClaimOptions options{.system = "bias", .rows = 3, .cols = 2, .vector = VectorShape::cols};
  options.contract.storage = options.contract.accumulation = DType::f64;
  options.lanes = 1;
  const Claim honest = make_claim(options);
  Claim claim = honest;
  claim.contract.reductions[1].chain = 0;
  Tensors inputs = make_inputs(claim, 1);
  for (const std::int64_t row : {0, 1, 2}) {
    inputs.at("dy").set(2 * row, row == 0 ? 0x1p120 : row == 1 ? 1 : -0x1p120);
    inputs.at("dy").set(2 * row + 1, static_cast<double>(row));
  }
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  EXPECT_EQ(answers.at("d_bias").hi[0], 1);
  EXPECT_EQ(answers.at("d_bias").radius[0], 0);
  const auto judged = judged_truth(claim, inputs);
  EXPECT_GE(judged.at("d_bias").escalated, 1);
  EXPECT_EQ(judged.at("d_bias").discrepancy.bad, 0);
  EXPECT_EQ(judged_truth(honest, inputs).at("d_bias").escalated, 0);
}

TEST(Escalation, NumbersThatAreNotFiniteStayInTheirUnit) {
  const Claim claim = make_claim({.system = "groupnorm", .rows = 4, .cols = 12, .groups = 3});
  Tensors inputs = make_inputs(claim, 5);
  inputs.at("x").set(12 + 5, std::nan(""));  // row 1, group 1
  const auto judged = judged_truth(claim, inputs);
  EXPECT_EQ(judged.at("y").escalated, 4);
  EXPECT_EQ(judged.at("rstd").escalated, 1);
  EXPECT_EQ(judged.at("d_weight").escalated, 4) << "those of the group's columns";
  for (const auto& [name, tensor] : judged) EXPECT_EQ(tensor.discrepancy.bad, 0) << name;
}

/// A Case that judges gradients alone does not go forward with statistics of its own.
TEST(Escalation, GradientsAloneAreThoseBesideOutputs) {
  for (const std::string& system : system_names())
    for (const double planted : {1.5, std::nan("")}) {
      const Claim both = make_claim({.system = system, .rows = 41, .cols = 12, .groups = 3});
      Tensors inputs = make_inputs(both, 5);
      inputs.at("x").set(12 * 7 + 5, planted);
      std::optional<GivenStatistics> given;
      if (both.has("mean")) {
        given.emplace(GivenStatistics{Tensor(DType::f32, both.tensor("mean").layout),
                                      Tensor(DType::f32, both.tensor("rstd").layout)});
        for (std::int64_t i = 0; i < given->mean.numel(); ++i) given->mean.set(i, 0.25);
        for (std::int64_t i = 0; i < given->rstd.numel(); ++i) given->rstd.set(i, 0.75);
      }
      Claim alone = both;
      alone.forward = false;
      const Answers beside_outputs = evaluate(both, inputs, given);
      const Answers gradients = evaluate(alone, inputs, given);
      EXPECT_LT(gradients.size(), beside_outputs.size()) << system;
      for (const auto& [name, answer] : gradients) {
        const Answer& other = beside_outputs.at(name);
        for (std::size_t i = 0; i < answer.hi.size(); ++i) {
          EXPECT_TRUE(answer.hi[i] == other.hi[i] ||
                      (std::isnan(answer.hi[i]) && std::isnan(other.hi[i])))
              << system << " " << name << " " << i;
          EXPECT_EQ(answer.bound[i], other.bound[i]) << system << " " << name << " " << i;
        }
      }
    }
}

TEST(Escalation, IsDecidedByTheRadius) {
  EXPECT_TRUE(is_decided(0, 0));
  EXPECT_TRUE(is_decided(0x1p-22, 1));
  EXPECT_FALSE(is_decided(0x1p-21, 1));
  EXPECT_FALSE(is_decided(kInf, kInf));
  EXPECT_FALSE(is_decided(std::nan(""), 1));
}

}  // namespace
}  // namespace gradproof::oracle_tests
