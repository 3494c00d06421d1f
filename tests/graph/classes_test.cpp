// SPDX-License-Identifier: Apache-2.0
// The classes of numbers: a set has the class of each exact result, operation by operation and
// through whole graphs.
#include <cmath>

#include <gtest/gtest.h>

#include "core/tensor/philox.h"
#include "oracles/graph/blocks/exact_block.h"
#include "tests/core/doubles.h"
#include "tests/graph/class_of_exact.h"
#include "tests/graph/ran.h"
#include "tests/graph/stage_line.h"

namespace gradproof {
namespace {

const double kNumbers[] = {kNan, -kInf,  -1e300, -2,  -1, -1e-300, -0.0,
                           0,    1e-300, 0.5,    1.0, 2,  1e300,   kInf};

/// The number of results of fifty digits whose class the set leaves out; `decided` counts the
/// sets of one class.
template <class OfExact, class OfClasses>
int left_out(const OfExact& of_exact, const OfClasses& of_classes, int* decided = nullptr) {
  int missing = 0;
  for (const double a : kNumbers)
    for (const double b : kNumbers)
      for (const double other : kNumbers) {
        const SignedClass want = class_of_exact(of_exact(Real(a), Real(b)));
        const SignedClasses one = of_classes(SignedClasses(a), SignedClasses(b));
        const SignedClasses more =
            of_classes(SignedClasses(a).united(SignedClasses(other)), SignedClasses(b));
        if (!one.has(want) || !more.has(want)) ++missing;
        if (decided != nullptr && one.is(want)) ++*decided;
      }
  return missing;
}

TEST(SignedClasses, HoldTheClassOfEachExactResult) {
  const auto expect_held = [](const char* name, const auto& function) {
    int decided = 0;
    EXPECT_EQ(left_out(function, function, &decided), 0) << name;
    EXPECT_GT(decided, 14 * 14 * 14 / 4) << name << ": most pairs of classes lead to one class";
  };
  expect_held("+", [](const auto& a, const auto& b) { return decltype(a + b)(a + b); });
  expect_held("-", [](const auto& a, const auto& b) { return decltype(a - b)(a - b); });
  expect_held("*", [](const auto& a, const auto& b) { return decltype(a * b)(a * b); });
  expect_held("/", [](const auto& a, const auto& b) { return decltype(a / b)(a / b); });
}

TEST(SignedClasses, HoldTheFunctionsOfStages) {
  const PlainFunctions<Real> exact;
  const ClassFunctions classes;
  const auto expect_held = [&](const char* name, const auto& function) {
    EXPECT_EQ(left_out([&](const Real& a, const Real& b) { return function(exact, a, b); },
                       [&](const auto& a, const auto& b) { return function(classes, a, b); }),
              0)
        << name;
  };
  expect_held("exp", [](const auto& f, const auto& a, const auto&) { return f.exp(a); });
  expect_held("log", [](const auto& f, const auto& a, const auto&) { return f.log(a); });
  expect_held("log1p", [](const auto& f, const auto& a, const auto&) { return f.log1p(a); });
  expect_held("tanh", [](const auto& f, const auto& a, const auto&) { return f.tanh(a); });
  expect_held("erf", [](const auto& f, const auto& a, const auto&) { return f.erf(a); });
  expect_held("sin", [](const auto& f, const auto& a, const auto&) { return f.sin(a); });
  expect_held("cos", [](const auto& f, const auto& a, const auto&) { return f.cos(a); });
  expect_held("sqrt", [](const auto& f, const auto& a, const auto&) { return f.sqrt(a); });
  expect_held("s", [](const auto& f, const auto& a, const auto&) { return f.logistic(a).s; });
  expect_held("q", [](const auto& f, const auto& a, const auto&) { return f.logistic(a).q; });
  expect_held("max", [](const auto& f, const auto& a, const auto& b) { return f.max(a, b); });
  expect_held("min", [](const auto& f, const auto& a, const auto& b) { return f.min(a, b); });
  expect_held("where_positive", [](const auto& f, const auto& a, const auto& b) {
    return f.where_positive(a, b, decltype(f.stored(b))(b + b));
  });
}

/// The control: sets of one operation do not hold the results of another.
TEST(SignedClasses, AnotherOperationIsFound) {
  const auto exact_difference = [](const Real& a, const Real& b) { return Real(a - b); };
  const auto exact_product = [](const Real& a, const Real& b) { return Real(a * b); };
  EXPECT_GT(left_out(exact_difference, std::plus<SignedClasses>()), 0);
  EXPECT_GT(left_out(exact_product, std::divides<SignedClasses>()), 0);
}

TEST(SignedClasses, AComparisonIsOpenWhereSizesDecide) {
  const SignedClasses one(1.0);
  const SignedClasses infinite(kInf);
  EXPECT_TRUE(one < infinite);
  EXPECT_FALSE(infinite < one);
  EXPECT_FALSE(one < SignedClasses(kNan));
  EXPECT_FALSE(one == SignedClasses(kNan));
  EXPECT_TRUE(SignedClasses(0.0) == SignedClasses(-0.0));
  EXPECT_TRUE(infinite == infinite);
  EXPECT_TRUE(one > SignedClasses(-2.0));
  EXPECT_THROW(static_cast<void>(one < SignedClasses(2.0)), OpenComparison);
  EXPECT_THROW(static_cast<void>(one == one), OpenComparison);
  EXPECT_THROW(static_cast<void>(one < infinite.united(SignedClass::nan)), OpenComparison);
}

/// A comparison of a graph's classes with its numbers of 50 digits.
struct Agreement {
  int numbers = 0;
  int missing = 0;    ///< of a class that the set does not have
  int nonfinite = 0;  ///< with 50 digits
  int decided = 0;    ///< of those: by the set alone
  bool open = false;  ///< a comparison was

  template <class Functions>
  void compare(const FieldNumbers<Real>& exact, const Functions& classes) {
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const SignedClass want = class_of_exact(exact[i]);
      ++numbers;
      missing += classes[i].has(want) ? 0 : 1;
      nonfinite += isfinite(exact[i]) ? 0 : 1;
      decided += !isfinite(exact[i]) && classes[i].is(want) ? 1 : 0;
    }
  }
};

Agreement agreement(const std::string& line, const std::vector<double>& planted) {
  Ran ran(line);
  for (auto& [name, tensor] : ran.inputs) {
    if (tensor.dtype() == DType::i64) continue;
    const Stream places(tensor.numel() == 0 ? 0 : static_cast<std::uint64_t>(tensor.numel()), name);
    for (std::size_t k = 0; k < planted.size() && tensor.numel() > 4; ++k)
      tensor.set(static_cast<std::int64_t>(places.uniform(k) * static_cast<double>(tensor.numel())),
                 planted[k]);
  }
  const std::string axis = block_axis(ran.claim.graph, ran.claim.extents);
  const std::int64_t length = axis.empty() ? 1 : ran.claim.extents.at(axis);
  const GraphPlan plan = ran.claim.plan(length);
  const PackedBlock whole{axis, {0, length, length}, 1};
  const ExactBlock exact(plan, ran.inputs, whole);
  Agreement found;
  try {
    const ClassBlock classes(plan, ran.inputs, whole);
    for (const int output : plan.outputs) found.compare(exact.value(output), classes.value(output));
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
      found.compare(exact.gradient(k), classes.gradient(k));
    for (std::size_t u = 0; u < exact.uses().size(); ++u)
      for (std::size_t i = 0; i < exact.uses()[u].sums.size(); ++i)
        found.compare({exact.uses()[u].sums[i].total},
                      std::vector<SignedClasses>{classes.uses()[u].sums[i].total});
  } catch (const OpenComparison&) {
    found.open = true;
  }
  return found;
}

class ClassesOfStage : public testing::TestWithParam<std::string> {};

TEST_P(ClassesOfStage, HoldFiftyDigits) {
  for (const auto& planted :
       std::vector<std::vector<double>>{{kNan}, {kInf}, {-kInf, 0}, {kInf, -kInf, kNan}, {}}) {
    const Agreement found = agreement(line_of(graph_stage(GetParam())), planted);
    EXPECT_EQ(found.missing, 0) << GetParam() << " of " << found.numbers;
    EXPECT_TRUE(found.open || found.numbers > 0);
  }
}

std::vector<std::string> stage_words() {
  std::vector<std::string> all;
  for (const GraphStage& s : graph_stages()) all.push_back(std::string(s.word));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ClassesOfStage, testing::ValuesIn(stage_words()),
                         [](const auto& stage) { return stage.param; });

/// A NaN is decided without digits wherever it leads; of an infinity times a number the sign is
/// asked for, which classes know less often.
TEST(ClassesOfGraph, DecideWhatIsNotFinite) {
  for (const char* line : {"{y = silu(batch_norm(x, weight, beta))} rows=16 cols=9",
                           "{y = group_norm(silu(x), weight, beta, groups=3)} rows=9 cols=12",
                           "{y = layer_norm(x, weight, beta)} rows=8 cols=11"})
    for (const double planted : {kNan, kInf, -kInf}) {
      const Agreement found = agreement(line, {planted});
      EXPECT_FALSE(found.open) << line;
      EXPECT_EQ(found.missing, 0) << line;
      EXPECT_GT(found.nonfinite, 10) << line;
      if (std::isnan(planted))
        EXPECT_EQ(found.decided, found.nonfinite) << line;
      else
        EXPECT_GT(found.decided, found.nonfinite / 4) << line;
    }
}

}  // namespace
}  // namespace gradproof
