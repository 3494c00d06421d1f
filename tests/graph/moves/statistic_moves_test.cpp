// SPDX-License-Identifier: Apache-2.0
// Numbers in front of a norm or a softmax are moved through the statistics of their group: it gives
// the changes that direct moves give, and where it cannot the audit falls back to these.
#include <cctype>
#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/audit/part_at_rest.h"

namespace gradproof {
namespace {

struct Line {
  explicit Line(const std::string& text) : c(parse_case(text, {})), graph(graph_of(c)) {
    inputs = make_graph_inputs(graph, c);
    claim = {graph, extents_of(graph, c), libtorch_graph_contract(DType::f32)};
  }
  AuditRow row(const std::string& gradient = "d_x", const AuditOptions& options = {},
               const EditClaims& edits = {}) const {
    for (AuditRow& row : audit_graph(claim, inputs, options, edits))
      if (row.tensor == gradient) return row;
    return {};
  }
  int normaliser() const {
    const GraphPlan plan = claim.plan(1);
    return MovedTensors(plan).tensors.front().normaliser;
  }

  Case c;
  Graph graph;
  GraphClaim claim;
  Tensors inputs;
};

/// A line, and the digits that are wanted: more than 20 are asked of triple-doubles.
class OfNorm : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(OfNorm, IsAsGoodAsDirectMoves) {
  const Line line(std::get<0>(GetParam()));
  AuditOptions options;
  options.digits = std::get<1>(GetParam());
  const AuditRow row = line.row("d_x", options);
  options.direct = true;
  const AuditRow direct = line.row("d_x", options);
  EXPECT_EQ(row.method, "statistics");
  EXPECT_EQ(direct.method, "direct");
  for (const AuditRow* one : {&row, &direct}) {
    EXPECT_EQ(one->verdict, Outcome::certified) << one->reason;
    EXPECT_EQ(one->escalated, 0);
    EXPECT_EQ(one->entries, numel(one->shape));
  }
  EXPECT_GT(row.digits, direct.digits - 2);
  EXPECT_EQ(row.arithmetic, options.digits > 20 ? "triple-double" : "double-double");
}

/// Control: one entry is claimed too large by one part in 10^15, or in 10^29.
TEST_P(OfNorm, ConvictsAWrongEntry) {
  const auto& [line, digits] = GetParam();
  const auto off = [by = digits > 20 ? -96 : -50](std::int64_t entry, const Digits400& adjoint) {
    return entry == 37 ? Digits400(adjoint + ldexp(adjoint, by)) : adjoint;
  };
  AuditOptions options;
  options.digits = digits;
  const AuditRow row = Line(line).row("d_x", options, {{"x", off}});
  EXPECT_EQ(row.method, "statistics");
  EXPECT_EQ(row.verdict, Outcome::wrong) << row.reason;
  EXPECT_EQ(row.wrong_entries, std::vector<std::int64_t>{37});
}

INSTANTIATE_TEST_SUITE_P(
    All, OfNorm,
    testing::Combine(
        testing::Values(
            "{y = layer_norm(x, weight, beta)} rows=3 cols=70",
            "{y = layer_norm(x)} rows=2 cols=40", "{y = rms_norm(x, weight)} rows=3 cols=70",
            "{y = softmax(x)} rows=3 cols=70", "{y = log_softmax(x)} rows=3 cols=70",
            "{y = group_norm(x, weight, beta, groups=4)} rows=3 cols=80",
            "{y = batch_norm(x, weight, beta)} rows=50 cols=3",
            "{h = scale(silu(x), s[cols]); y = gelu(layer_norm(h, weight, beta))} rows=3 cols=50",
            "{n = layer_norm(x, weight, beta); y = add(x, multiply(n, tanh(x)))} rows=3 cols=50",
            "{n = rms_norm(x, weight); y = multiply(n, z); w = exp(n)} rows=3 cols=50",
            "{p = softmax(multiply(x, 3)); y = square(p)} rows=3 cols=50"),
        testing::Values(20, 33)),
    [](const auto& one) {
      std::string name = fmt::format("{}_{}_digits_", one.index, std::get<1>(one.param));
      for (const char c : std::string(std::get<0>(one.param)))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      return name;
    });

/// Sweeps of long groups ask for single numbers.
TEST(StatisticMoves, AreSweptInLongGroups) {
  const AuditRow row = Line("{y = layer_norm(x, weight, beta)} rows=2 cols=3000").row();
  EXPECT_EQ(row.method, "statistics");
  EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
}

TEST(StatisticMoves, AreThoseOfStepsThatCoupleNothingElse) {
  EXPECT_EQ(Line("{y = layer_norm(x)} rows=2 cols=40").normaliser(), 0);
  EXPECT_EQ(Line("{h = silu(x); y = layer_norm(h)} rows=2 cols=40").normaliser(), 1);
  EXPECT_EQ(Line("{y = softmax(layer_norm(x))} rows=2 cols=40").normaliser(), -1);
  EXPECT_EQ(Line("{y = sum(layer_norm(x), cols)} rows=2 cols=40").normaliser(), -1);
  EXPECT_EQ(Line("{y = layer_norm(add(x, mean(x, cols)))} rows=2 cols=40").normaliser(), -1);
  EXPECT_EQ(Line("{y = multiply(x, softmax(x))} rows=2 cols=40").normaliser(), 0);
  EXPECT_EQ(Line("{y = silu(x)} rows=2 cols=40").normaliser(), -1);
}

/// Behind a kink the sums of the others are no polynomial: no box fits, and direct moves are taken.
TEST(StatisticMoves, GiveWayWhereTheyHaveNoResult) {
  const AuditRow row = Line("{y = relu(layer_norm(x))} rows=2 cols=400").row();
  EXPECT_EQ(row.wrong, 0) << row.reason;
  EXPECT_EQ(row.inconclusive.size(), 0U) << row.reason;
  Line large("{y = layer_norm(x)} rows=9 cols=40");
  large.inputs.at("x").set(3, 1e30);
  const AuditRow beside = large.row();
  EXPECT_EQ(beside.wrong, 0) << beside.reason;
  EXPECT_EQ(beside.verdict, Outcome::certified) << beside.reason;
}

/// The adjoint of x / |x| is 0 but for its rounding, which in 400 digits no move shows.
TEST(AuditedGradient, OfRoundingAloneIsZero) {
  const AuditRow row = Line("{y = divide(x, abs(x))} rows=2 cols=5 seed=3").row();
  EXPECT_EQ(row.verdict, Outcome::certified) << row.reason;
}

/// A wide norm takes a few evaluations of each row, however wide it is.
TEST(StatisticMoves, TakeNoMoreEvaluationsOfAWiderRow) {
  const auto evaluations = [](const std::string& text) {
    const Line given(text);
    const AuditedGraph graph(given.claim, given.inputs);
    return GraphTarget(graph, 0).evaluations(0);
  };
  EXPECT_EQ(evaluations("{y = layer_norm(x)} rows=9 cols=4000"), 9 * 24);
  EXPECT_EQ(evaluations("{y = sum(layer_norm(x), cols)} rows=9 cols=40"), 9 * 40);
}

/// A block that is not finite says nothing of itself and of what sums over blocks, and all of the
/// others: a row of a norm, and of elementwise steps with a weight for each column a column.
TEST(StatisticMoves, OfABlockThatIsNotFiniteKeepNoneOfTheOthers) {
  struct Counts {
    const char* text;
    std::int64_t of_x, of_weight;
  };
  for (const Counts& line :
       {Counts{"{y = layer_norm(x, weight, beta)} rows=9 cols=40", 40, 40},
        Counts{"{y = multiply(tanh(x), weight[cols])} rows=9 cols=40", 9, 1}}) {
    Line given(line.text);
    given.inputs.at("x").set(3, std::numeric_limits<double>::quiet_NaN());
    const auto off = [](std::int64_t entry, const Digits400& adjoint) {
      return entry == 200 ? Digits400(adjoint * 1.001) : adjoint;
    };
    const auto row_of = [&](const char* name) { return given.row(name, {}, {{"x", off}}); };
    EXPECT_EQ(row_of("d_x").wrong_entries, std::vector<std::int64_t>{200}) << line.text;
    EXPECT_EQ(row_of("d_weight").wrong, 0);
    for (const auto& [name, entries] :
         {std::pair{"d_x", line.of_x}, std::pair{"d_weight", line.of_weight}}) {
      const AuditRow row = row_of(name);
      ASSERT_EQ(row.inconclusive.size(), 1U) << line.text << name << row.reason;
      EXPECT_EQ(row.inconclusive[0].reason, OpenReason::not_finite);
      EXPECT_EQ(row.inconclusive[0].entries, entries) << line.text << name;
    }
  }
}

/// The changes themselves, beside those of single moves.
void expect_changes_of_single_moves(AuditArithmetic arithmetic, double relative, double absolute) {
  const Line line("{y = silu(layer_norm(x, weight, beta))} rows=1 cols=40");
  const AuditedGraph graph(line.claim, line.inputs);
  const GraphTarget target(graph, 0);
  PartAtRest part(graph, arithmetic);
  part.take(target, 0);
  const std::vector<int> wider(40, 0);
  const double by[2] = {0x1p-16, -0x1p-16};
  std::vector<Wide> together(80);
  const PlacedPlan whole(graph.plan(), graph.moved(), 0, {});
  part.moves().statistic_changes(whole, whole, wider.data(), by, 2, together.data(), 40);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const MovedNumber move{i, by[k]};
      Wide alone;
      part.moves().changes(0, &move, 1, &alone);
      const Real error = abs(Real(real_of(together[k * 40 + i]) - real_of(alone)));
      EXPECT_LT(error, abs(real_of(alone)) * relative + absolute) << i;
    }
}
TEST(StatisticMoves, AreTheChangesOfSingleMoves) {
  expect_changes_of_single_moves(AuditArithmetic::double_double, 1e-22, 1e-28);
  expect_changes_of_single_moves(AuditArithmetic::triple_double, 1e-37, 1e-43);
}

/// Some places alone give the numbers that all places give there, whatever stands before and behind
/// the normaliser: a gate that x goes into too, and a mask of x, which rests.
TEST(StatisticMoves, OfSomePlacesAreThoseOfAll) {
  for (const char* text :
       {"{h = scale(silu(x), s[cols]); y = gelu(layer_norm(h, weight, beta))} rows=1 cols=40",
        "{n = layer_norm(x, weight, beta); y = add(x, multiply(n, tanh(x)))} rows=1 cols=40",
        "{n = softmax(x); y = where(greater(x, 0.1), n, multiply(n, 2))} rows=1 cols=40"}) {
    const Line line(text);
    const AuditedGraph graph(line.claim, line.inputs);
    const GraphTarget target(graph, 0);
    PartAtRest part(graph, AuditArithmetic::double_double);
    part.take(target, 0);
    ASSERT_GE(target.how().normaliser, 0) << text;
    const std::vector<int> wider(40, 0);
    const double by = 0x1p-16;
    const std::vector<std::size_t> places = {31, 4, 17};
    const PlacedPlan whole(graph.plan(), graph.moved(), 0, {});
    const PlacedPlan some(graph.plan(), graph.moved(), 0, places);
    std::vector<Wide> all(40);
    std::vector<Wide> few(3);
    part.moves().statistic_changes(whole, some, wider.data(), &by, 1, few.data(), 3);
    part.moves().statistic_changes(whole, whole, wider.data(), &by, 1, all.data(), 40);
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_NE(few[i].hi, 0) << text;
      EXPECT_EQ(real_of(few[i]), real_of(all[places[i]])) << text << " " << places[i];
    }
  }
}

}  // namespace
}  // namespace gradproof
