// SPDX-License-Identifier: Apache-2.0
// The gradients of graphs are compared with differences of values; wrong ones are convicted.
#include <limits>

#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/error.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/audit/packed/packed_moves.h"
#include "oracles/graph/audit/part_at_rest.h"

namespace gradproof {
namespace {

struct Given {
  explicit Given(const Case& c)
      : graph(graph_of(c)),
        claim{graph, extents_of(graph, c), libtorch_graph_contract(parse_dtype(c.text("dtype")))},
        inputs(make_graph_inputs(graph, c)) {}
  explicit Given(const std::string& line) : Given(parse_case(line, {})) {}

  std::map<std::string, AuditRow> audited(const EditClaims& edits = {},
                                          const AuditOptions& options = {}) const {
    std::map<std::string, AuditRow> rows;
    for (AuditRow& row : audit_graph(claim, inputs, options, edits)) rows.emplace(row.tensor, row);
    return rows;
  }
  std::size_t place_of(const std::string& tensor) const {
    for (std::size_t k = 0; k < graph.tensors.size(); ++k)
      if (graph.tensors[k].name == tensor) return k;
    return graph.tensors.size();
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
      EXPECT_EQ(row.witnesses.at(0).verdict, WitnessVerdict::agrees)
          << name << row.witnesses[0].text;
      for (const AuditWitness& witness : row.witnesses)
        EXPECT_NE(witness.verdict, WitnessVerdict::wrong) << name << witness.text;
      ++certified;
    }
  EXPECT_EQ(certified, 20);
}

/// The adjoint of a softmax is y (dy - sum(y dy)). The control claims another sum, which adds a
/// part of y to each entry.
TEST(AuditGraph, AWrongSumIsConvicted) {
  const Given given("{y = softmax(x, cols)} rows=3 cols=8");
  EXPECT_EQ(given.audited().at("d_x").verdict, Outcome::certified);
  const auto with_another_sum = [&](std::int64_t entry, const Digits400& adjoint) {
    const Tensor& x = given.inputs.at("x");
    double sum = 0;
    for (std::int64_t i = entry / 8 * 8; i < entry / 8 * 8 + 8; ++i) sum += std::exp(x.at(i));
    const double y = std::exp(x.at(entry)) / sum;
    return Digits400(adjoint + y * 0.01);
  };
  const AuditRow row = given.audited({{"x", with_another_sum}}).at("d_x");
  EXPECT_EQ(row.verdict, Outcome::wrong);
  EXPECT_EQ(row.wrong, 24);
  EXPECT_EQ(row.witnesses.at(0).verdict, WitnessVerdict::wrong);
}

/// One entry of a norm's d_weight is too large by one part in 10^15.
TEST(AuditGraph, AnEntryThatIsOffInItsFifteenthDigitIsConvicted) {
  const Given given("{y = rms_norm(x, weight)} rows=3 cols=8");
  const auto off = [](std::int64_t entry, const Digits400& adjoint) {
    return entry == 2 ? Digits400(adjoint * (1 + 0x1p-50)) : adjoint;
  };
  const auto rows = given.audited({{"weight", off}});
  EXPECT_EQ(rows.at("d_x").verdict, Outcome::certified);
  EXPECT_EQ(rows.at("d_weight").verdict, Outcome::wrong);
  EXPECT_EQ(rows.at("d_weight").wrong_entries, std::vector<std::int64_t>{2});
}

/// Rows are units of their own: a row that is not finite keeps none of the others. A tensor
/// without rows is moved in the whole graph.
TEST(AuditGraph, PartsAreWhatBlocksAreCutFrom) {
  const Given given("{y = multiply(tanh(x[rows,cols]), weight[cols])} rows=5 cols=3");
  const AuditedGraph graph(given.claim, given.inputs);
  const GraphTarget of_rows(graph, given.place_of("x"));
  EXPECT_EQ(of_rows.blocks(), 5);
  EXPECT_TRUE(of_rows.in_one_unit(0));
  const GraphTarget of_all(graph, given.place_of("weight"));
  EXPECT_EQ(of_all.blocks(), 5);
  EXPECT_FALSE(of_all.in_one_unit(0));
  const auto rows = given.audited();
  EXPECT_EQ(rows.at("d_x").reach, "group");
  EXPECT_EQ(rows.at("d_weight").reach, "all");
  EXPECT_EQ(rows.at("d_weight").verdict, Outcome::certified);
}

/// A row of a group_norm is cut into its groups, and what the rows of a group share adds up.
TEST(AuditGraph, GroupsOfChannelsArePartsOfTheirOwn) {
  const Given given("{y = multiply(group_norm(x, weight, groups=3), f[])} rows=5 cols=12");
  const AuditedGraph graph(given.claim, given.inputs);
  EXPECT_EQ(graph.parts(), 15);
  EXPECT_EQ(graph.entry_of(given.place_of("x"), 7, 2), 2 * 12 + 4 + 2);
  EXPECT_EQ(graph.entry_of(given.place_of("weight"), 7, 2), 4 + 2);
  const GraphTarget of_weight(graph, given.place_of("weight"));
  EXPECT_EQ(of_weight.blocks(), 3);
  EXPECT_EQ(of_weight.units_of(1), (std::vector<std::int64_t>{1, 4, 7, 10, 13}));
  const auto rows = given.audited();
  const std::pair<const char*, const char*> kReaches[] = {
      {"d_x", "group"}, {"d_weight", "column"}, {"d_f", "all"}};
  for (const auto& [name, reach] : kReaches) EXPECT_EQ(rows.at(name).reach, reach);
  for (const auto& [name, row] : rows) EXPECT_EQ(row.verdict, Outcome::certified) << name;
  const auto off = [](std::int64_t entry, const Digits400& adjoint) {
    return entry == 7 ? Digits400(adjoint * (1 + 0x1p-50)) : adjoint;
  };
  EXPECT_EQ(given.audited({{"weight", off}}).at("d_weight").wrong_entries,
            std::vector<std::int64_t>{7});
  const Given met("{y = sum(group_norm(x, groups=3), cols)} rows=5 cols=12");
  EXPECT_EQ(AuditedGraph(met.claim, met.inputs).parts(), 5);
}

/// The numbers of a tensor that may be moved at once are read from the axes that steps couple.
TEST(AuditGraph, ColumnsAreOfNumbersThatMeetInNoOutput) {
  const auto length = [](const std::string& line, const std::string& tensor) {
    const Given given(line);
    const GraphPlan plan =
        given.claim.plan(given.claim.extents.at(block_axis(given.graph, given.claim.extents)));
    return MovedTensors(plan).tensors[given.place_of(tensor)].column_length();
  };
  EXPECT_EQ(length("{y = silu(x)} rows=4 cols=6", "x"), 24U);
  EXPECT_EQ(length("{y = softmax(x, cols)} rows=4 cols=6", "x"), 4U);
  EXPECT_EQ(length("{y = layer_norm(x, weight, bias)} rows=4 cols=6", "weight"), 6U);
  EXPECT_EQ(length("{y = softmax(multiply(x, weight[cols]), cols)} rows=4 cols=6", "weight"), 1U);
  EXPECT_EQ(length("{y = linear(x, weight)} rows=4 cols=6 out=5", "weight"), 5U);
  EXPECT_EQ(length("{y = softmax(linear(x, weight), out)} rows=4 cols=6 out=5", "weight"), 1U);
  const std::string product = "{y = contract(x[b,m,k], w[b,k,n], k)} b=2 m=9 k=6 n=3";
  EXPECT_EQ(length(product, "x"), 18U);
  EXPECT_EQ(length(product, "w"), 6U);
  EXPECT_EQ(length("{s = sum(x, cols); y = multiply(x, s)} rows=4 cols=6", "x"), 4U);
}

/// All methods move the same numbers, so their changes agree to the roundings of double-doubles.
TEST(AuditGraph, ColumnsChangeTheLossAsSingleMovesDo) {
  for (const char* line :
       {"{y = gelu(linear(x, weight, bias))} rows=9 cols=6 out=5", "{y = silu(x)} rows=9 cols=6",
        "{h = linear(x, weight); y = layer_norm(h)} rows=9 cols=6 out=5",
        "{y = conv(x[n,c,l], w[out,c,k], stride=2, padding=1)} n=3 c=2 l=7 out=3 k=3",
        "{y = conv_transpose(x[n,c,l], w[c,out,k], stride=2)} n=3 c=2 l=4 out=3 k=3",
        "{y[n,b,m] = contract(x[b,m,k], w[k,n,b], k)} b=2 m=9 k=6 n=3",
        "{y = layer_norm(x, weight, bias)} rows=9 cols=6", "{y = logsumexp(x, cols)} rows=9 cols=6",
        "{y = multiply(x, detach(sum(x, cols)))} rows=9 cols=6"}) {
    const Given given(line);
    for (std::size_t k = 0; k < given.graph.tensors.size(); ++k) {
      const AuditedGraph graph(given.claim, given.inputs);
      const GraphTarget target(graph, k);
      PartAtRest part(graph, AuditArithmetic::double_double);
      part.take(target, graph.parts() - 1);
      const MovedTensor& how = target.how();
      const std::vector<int> wider(part.count(k), 1);
      const double move = 0x1p-20;
      std::vector<Wide> column(how.column_length());
      part.moves().column_changes(k, how.columns.size() - 1, wider.data(), &move, 1, column.data(),
                                  column.size());
      for (std::size_t i = 0; i < column.size(); ++i) {
        const MovedNumber moved{how.columns.back()[i], 2 * move};
        Wide alone;
        part.moves().changes(k, &moved, 1, &alone);
        const double scale = part.magnitude() * 0x1p-95;
        EXPECT_NEAR(Real(real_of(alone) / 2 - real_of(column[i])).convert_to<double>(), 0, scale)
            << line << " " << given.graph.tensors[k].name << " " << i;
        EXPECT_NE(alone.hi, 0) << line << " " << given.graph.tensors[k].name << " " << i;
      }
    }
  }
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

/// The control: the gradient by fixed statistics is not that of a norm whose own move with x.
TEST(AuditGraph, MovingStatisticsHaveAnotherGradient) {
  const Given moving("{y = batch_norm(x)} rows=5 cols=3");
  const auto as_if_fixed = [&](std::int64_t entry, const Digits400& adjoint) {
    return Digits400(adjoint + moving.inputs.at("dy").at(entry % 3));
  };
  EXPECT_EQ(moving.audited().at("d_x").verdict, Outcome::certified);
  EXPECT_EQ(moving.audited({{"x", as_if_fixed}}).at("d_x").verdict, Outcome::wrong);
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

TEST(AuditGraph, ATensorThatWouldTakeMinutesIsInconclusive) {
  const Given given("{y = multiply(batch_norm(softmax(x, cols)), w[cols])} rows=256 cols=256");
  const auto rows = given.audited();
  EXPECT_EQ(rows.at("d_x").verdict, Outcome::inconclusive);
  EXPECT_NE(rows.at("d_x").reason.find("smaller extents"), std::string::npos);
  EXPECT_EQ(rows.at("d_w").verdict, Outcome::certified);
  EXPECT_EQ(rows.at("d_w").escalated, 0);
}

}  // namespace
}  // namespace gradproof
