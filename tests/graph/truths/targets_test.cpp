// SPDX-License-Identifier: Apache-2.0
// The truths of a target are the same whatever else is asked for, and are those of 50 digits.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "oracles/graph/segments/kept_truths.h"
#include "tests/core/doubles.h"
#include "tests/graph/class_of_exact.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// Lines of several blocks, and of a tensor that two steps take.
const char* const kLines[] = {
    "{y = rms_norm(x, weight)} rows=300 cols=64",
    "{y = batch_norm(x, weight, beta)} rows=16 cols=301",
    "{h = add(x, w[cols]); y = layer_norm(multiply(h, w), weight, beta)} rows=200 cols=48",
    "{y = softmax(multiply(x, scale), cols)} rows=150 cols=40"};

void expect_same(const GraphTruths& a, const GraphTruths& b, const std::string& what) {
  ASSERT_EQ(a.truths.size(), b.truths.size()) << what;
  for (std::size_t i = 0; i < a.truths.size(); ++i) {
    const Truth x = a.truths.at(i);
    const Truth y = b.truths.at(i);
    ASSERT_EQ(class_of_exact(Real(x.hi)), class_of_exact(Real(y.hi))) << what << " " << i;
    ASSERT_EQ(x.any_nonfinite, y.any_nonfinite) << what << " " << i;
    if (std::isfinite(x.hi)) {
      ASSERT_LE(std::abs(x.hi - y.hi), x.radius + y.radius) << what << " " << i;
    }
    if (std::isfinite(x.bound)) {
      ASSERT_EQ(x.bound, y.bound) << what << " " << i;
    }
  }
}

/// Other targets change no truth, whatever classes and 50 digits they ask for.
TEST(Targets, HaveTheSameTruthsAlone) {
  for (const char* line : kLines)
    for (const double planted : {kNan, kInf}) {
      Ran ran(line);
      ran.inputs.at("x").set(ran.inputs.at("x").numel() / 2, planted);
      JudgedTensors all;
      for (const auto& [name, tensor] : ran.got) all.emplace(name, &tensor);
      const auto together = truths_of_graph(ran.claim, ran.inputs, all);
      for (const auto& [name, tensor] : ran.got)
        expect_same(together.at(name), truths_of_graph(ran.claim, ran.inputs, name, tensor),
                    std::string(line) + " " + name);
    }
}

/// The truths that are kept are those of truths_of_graph(), and keeping them changes no verdict.
TEST(Targets, AreKeptWithTheVerdict) {
  for (const char* line : kLines) {
    const Ran ran(line);
    JudgedGraph kept = judge_graph_and_keep(ran.claim, ran.inputs, ran.got);
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(kept.judged.at(name).discrepancy.max_ratio, judged.discrepancy.max_ratio) << name;
      expect_same(*kept.truths.at(name),
                  truths_of_graph(ran.claim, ran.inputs, name, ran.got.at(name)),
                  std::string(line) + " " + name);
    }
  }
}

/// Tensors that other calls made of the same numbers are compared with the kept truths: the figures
/// are those of an evaluation, both of right tensors and of wrong ones.
TEST(Targets, JudgeOtherTensorsByTheTruthsThatWereKept) {
  for (const char* line : kLines) {
    const Ran ran(line);
    const JudgedGraph kept = judge_graph_and_keep(ran.claim, ran.inputs, ran.got);
    Tensors other = ran.got;
    for (auto& [name, tensor] : other)
      if (tensor.numel() > 0) tensor.set(0, tensor.at(0) * 1.001 + 1);
    for (const Tensors& got : {ran.got, other}) {
      const auto judged = judge_graph(ran.claim, ran.inputs, got);
      const JudgedGraph again = judge_by_truths(ran.claim, ran.inputs, got, kept.truths);
      ASSERT_EQ(again.judged.size(), judged.size());
      for (const auto& [name, one] : judged) {
        const Judged& same = again.judged.at(name);
        const std::string what = std::string(line) + " " + name;
        EXPECT_EQ(same.discrepancy.bad, one.discrepancy.bad) << what;
        EXPECT_EQ(same.discrepancy.max_ratio, one.discrepancy.max_ratio) << what;
        EXPECT_EQ(same.discrepancy.resolution.whole, one.discrepancy.resolution.whole) << what;
        EXPECT_EQ(same.escalated, one.escalated) << what;
        EXPECT_EQ(same.too_coarse, one.too_coarse) << what;
        EXPECT_EQ(same.wrong_shares, one.wrong_shares) << what;
        EXPECT_EQ(judge(same).reason, judge(one).reason) << what;
      }
    }
  }
}

/// The controls: twice the share off in one element, and another class, are not within it.
TEST(Targets, HoldAWitnessAgainstAShareOfTheirBound) {
  constexpr double kShare = 0x1p-12;
  GraphTruths truths;
  truths.resize(4);
  truths.truths.hi = {1, kInf, kNan, 2};
  truths.truths.bound = {0x1p-20, 0x1p-20, 0x1p-20, kInf};
  const auto of = [](double a, double b, double c, double d) {
    Tensor witness(DType::f64, {4});
    for (const auto& [i, value] : {std::pair{0, a}, {1, b}, {2, c}, {3, d}}) witness.set(i, value);
    return witness;
  };
  EXPECT_TRUE(is_within(of(1 + 0x1p-32, kInf, kNan, -7), truths, kShare));
  EXPECT_FALSE(is_within(of(1 + 0x1p-31, kInf, kNan, -7), truths, kShare));
  EXPECT_FALSE(is_within(of(kNan, kInf, kNan, -7), truths, kShare));
  EXPECT_FALSE(is_within(of(1, -kInf, kNan, -7), truths, kShare));
  EXPECT_FALSE(is_within(of(1, kInf, 0, -7), truths, kShare));
  truths.truths.any_nonfinite[0] = 1;
  EXPECT_TRUE(is_within(of(kNan, kInf, kNan, -7), truths, kShare)) << "any class is permitted";
}

/// The judge's truths of all blocks have the classes of the whole graph with 50 digits.
TEST(Targets, HaveTheClassesOfFiftyDigits) {
  for (const char* line : kLines) {
    Ran ran(line);
    ran.inputs.at("x").set(ran.inputs.at("x").numel() / 2, kNan);
    const std::string axis = block_axis(ran.claim.graph, ran.claim.extents);
    const std::int64_t length = ran.claim.extents.at(axis);
    const GraphPlan plan = ran.claim.plan(length);
    const ExactBlock exact(plan, ran.inputs, {axis, {0, length, length}, 1});
    std::map<std::string, FieldNumbers<Real>> wanted;
    for (const int output : plan.outputs)
      wanted[plan.values[static_cast<std::size_t>(output)].name] = exact.value(output);
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
      if (plan.values[k].sliced) wanted[gradient_name(plan.values[k].name)] = exact.gradient(k);
    for (const auto& use : exact.uses()) {
      FieldNumbers<Real>& sums =
          wanted[gradient_name(plan.values[static_cast<std::size_t>(use.tensor)].name)];
      sums.resize(use.sums.size(), Real(0));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += use.sums[i].total;
    }
    int nan = 0;
    for (const auto& [name, tensor] : ran.got) {
      const GraphTruths found = truths_of_graph(ran.claim, ran.inputs, name, tensor);
      const FieldNumbers<Real>& want = wanted.at(name);
      ASSERT_EQ(found.truths.size(), want.size()) << line << " " << name;
      for (std::size_t i = 0; i < want.size(); ++i) {
        const Truth truth = found.truths.at(i);
        ASSERT_EQ(std::isnan(truth.hi), isnan(want[i])) << line << " " << name << " " << i;
        nan += std::isnan(truth.hi) ? 1 : 0;
        if (std::isnan(truth.hi)) continue;
        ASSERT_LE(abs(want[i] - Real(truth.hi) - Real(truth.lo)),
                  Real(truth.radius) + abs(want[i]) * Real(0x1p-140))
            << line << " " << name << " " << i;
      }
    }
    EXPECT_GT(nan, 30) << line;
  }
}

}  // namespace
}  // namespace gradproof
