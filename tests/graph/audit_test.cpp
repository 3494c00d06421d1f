// SPDX-License-Identifier: Apache-2.0
// The gradients of graphs against differences of their values; wrong ones are convicted.
#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/error.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/audit/graph_function.h"

namespace gradproof {
namespace {

struct Given {
  explicit Given(const Case& c)
      : graph(graph_of(c)),
        claim{graph, extents_of(graph, c), libtorch_graph_contract(parse_dtype(c.text("dtype")))},
        inputs(make_graph_inputs(graph, c)) {}
  explicit Given(const std::string& line) : Given(parse_case(line, {})) {}

  std::map<std::string, AuditRow> audited() const {
    std::map<std::string, AuditRow> rows;
    for (AuditRow& row : audit_graph(claim, inputs, {})) rows.emplace(row.tensor, row);
    return rows;
  }
  template <class F>
  std::map<std::string, AuditRow> audited_as() const {
    std::map<std::string, AuditRow> rows;
    for (AuditRow& row : audit_function_units(units_of_graph<F>(claim, inputs, {}), {}))
      rows.emplace(row.tensor, row);
    return rows;
  }

  Graph graph;
  GraphClaim claim;
  Tensors inputs;
};

TEST(AuditGraph, TheLanguageSuiteIsCertified) {
  int certified = 0;
  for (const Case& c : read_cases(GRADPROOF_SOURCE_DIR "/fixtures/cases/language.cases", {}))
    for (const auto& [name, row] : Given(c).audited()) {
      EXPECT_EQ(row.verdict, Outcome::certified) << to_string(c) << " " << name << row.reason;
      EXPECT_GE(row.digits, 20) << to_string(c) << " " << name;
      EXPECT_EQ(row.entries, numel(row.shape)) << name;
      ASSERT_EQ(row.witnesses.size(), 1U);
      EXPECT_EQ(row.witnesses[0].verdict, WitnessVerdict::agrees) << name << row.witnesses[0].text;
      ++certified;
    }
  EXPECT_EQ(certified, 20);
}

/// dx of a softmax without its sum: y dy.
struct WithoutSum : GraphFunction {
  using GraphFunction::GraphFunction;
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    std::vector<T> dx = value(in);
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] *= dy[i];
    return {dx};
  }
};

/// d_weight of a norm too large by one part in 10^15, in one entry.
struct OffByALittle : GraphFunction {
  using GraphFunction::GraphFunction;
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    Arrays<T> gradients = GraphFunction::gradient(in, dy);
    gradients[1][2] *= T(1 + 0x1p-50);
    return gradients;
  }
};

TEST(AuditGraph, AMissingTermIsConvicted) {
  const Given given("{y = softmax(x, cols)} rows=3 cols=8");
  EXPECT_EQ(given.audited().at("d_x").verdict, Outcome::certified);
  const AuditRow row = given.audited_as<WithoutSum>().at("d_x");
  EXPECT_EQ(row.verdict, Outcome::wrong);
  EXPECT_EQ(row.wrong, 24);
  EXPECT_EQ(row.witnesses.at(0).verdict, WitnessVerdict::wrong);
}

TEST(AuditGraph, AnEntryThatIsOffInItsFifteenthDigitIsConvicted) {
  const Given given("{y = rms_norm(x, weight)} rows=3 cols=8");
  const auto rows = given.audited_as<OffByALittle>();
  EXPECT_EQ(rows.at("d_x").verdict, Outcome::certified);
  EXPECT_EQ(rows.at("d_weight").verdict, Outcome::wrong);
  EXPECT_EQ(rows.at("d_weight").wrong_entries, std::vector<std::int64_t>{2});
}

/// Rows are units of their own: what is not finite in one keeps none of the others.
TEST(AuditGraph, PartsAreWhatBlocksAreCutFrom) {
  const Given given("{y = multiply(tanh(x[rows,cols]), weight[cols])} rows=5 cols=3");
  const FunctionUnits units = units_of_graph<GraphFunction>(given.claim, given.inputs, {});
  EXPECT_EQ(units.blocks(), 5);
  EXPECT_TRUE(units.in_one_unit(0));
  EXPECT_FALSE(units.in_one_unit(1));
  const auto rows = given.audited();
  EXPECT_EQ(rows.at("d_x").reach, "group");
  EXPECT_EQ(rows.at("d_weight").reach, "all");
  EXPECT_EQ(rows.at("d_weight").verdict, Outcome::certified);
}

TEST(AuditGraph, WhatIsDetachedDoesNotMove) {
  const auto rows = Given("{r = detach(exp(x)); y = multiply(x, r)} rows=2 cols=4").audited();
  EXPECT_EQ(rows.at("d_x").verdict, Outcome::certified) << rows.at("d_x").reason;
}

/// Nothing goes back through running statistics, neither their update nor where a norm takes them.
TEST(AuditGraph, RunningStatisticsDoNotMove) {
  for (const char* line :
       {"{v = square(x); y = batch_norm(v); m = running_mean(v, mean); r = running_var(v, var)}",
        "{y = batch_norm_eval(x, mean(x, rows), var, weight)}",
        "{m = running_mean(x, mean); y = batch_norm_eval(x, m, var)}"}) {
    const auto rows = Given(std::string(line) + " rows=5 cols=3").audited();
    EXPECT_FALSE(rows.contains("d_mean") || rows.contains("d_var")) << line;
    EXPECT_EQ(rows.at("d_x").verdict, Outcome::certified) << line << rows.at("d_x").reason;
  }
}

/// A mean that moves with the first number of each column.
struct Moving : GraphFunction {
  using GraphFunction::GraphFunction;
  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> y = GraphFunction::value(in);
    for (T& number : y) number -= in[0][0];
    return y;
  }
};

/// The control: the gradient of fixed statistics is not that of ones that move.
TEST(AuditGraph, MovingStatisticsAreNotThatGradient) {
  const Given given("{y = batch_norm_eval(x, mean, var)} rows=5 cols=3");
  EXPECT_EQ(given.audited_as<Moving>().at("d_x").verdict, Outcome::wrong);
}

TEST(AuditGraph, OnAKinkNothingIsSaid) {
  Given given("{y = relu(x)} rows=2 cols=4");
  given.inputs.at("x").set(5, 0);
  const AuditRow row = given.audited().at("d_x");
  EXPECT_EQ(row.verdict, Outcome::inconclusive);
  EXPECT_EQ(row.wrong, 0);
  ASSERT_EQ(row.inconclusive.size(), 1U);
  EXPECT_EQ(row.inconclusive[0].reason, OpenReason::kink);
  EXPECT_EQ(row.inconclusive[0].first, 5);
  EXPECT_EQ(row.inconclusive[0].entries, 1);
}

TEST(AuditGraph, AtATieNothingIsSaid) {
  Given given("{y = max(x, cols)} rows=2 cols=4");
  for (const std::int64_t i : {4, 6}) given.inputs.at("x").set(i, 9);
  const AuditRow row = given.audited().at("d_x");
  EXPECT_EQ(row.verdict, Outcome::inconclusive);
  ASSERT_EQ(row.inconclusive.size(), 1U);
  EXPECT_EQ(row.inconclusive[0].reason, OpenReason::kink);
  EXPECT_EQ(row.inconclusive[0].entries, 2);
}

TEST(AuditGraph, WhatIsNotFiniteIsNamed) {
  Given given("{y = exp(x)} rows=2 cols=4");
  given.inputs.at("x").set(5, std::numeric_limits<double>::infinity());
  const AuditRow row = given.audited().at("d_x");
  EXPECT_EQ(row.verdict, Outcome::inconclusive);
  EXPECT_EQ(row.inconclusive.at(0).reason, OpenReason::not_finite);
}

TEST(AuditGraph, AGraphThatIsTooLargeIsRefused) {
  const Given given("{y = batch_norm(softmax(x, cols))} rows=1024 cols=1024");
  EXPECT_THROW(given.audited(), UsageError);
}

}  // namespace
}  // namespace gradproof
