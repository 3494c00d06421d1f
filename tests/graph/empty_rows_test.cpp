// SPDX-License-Identifier: Apache-2.0
// Rows of which a mask leaves nothing, and what a line says of them: empty=nan, zero, any.
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/core/doubles.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

constexpr std::int64_t kLong = 9;

/// Row 1 has nothing but -Inf, row 2 two of them.
struct EmptyRow : Ran {
  EmptyRow(const std::string& line, const std::string& masked, const std::string& dtype)
      : Ran(line + " rows=4 cols=9 seed=3 dtype=" + dtype) {
    for (std::int64_t col = 0; col < kLong; ++col) inputs.at(masked).set(kLong + col, -kInf);
    for (const std::int64_t col : {2, 5}) inputs.at(masked).set(2 * kLong + col, -kInf);
    got = graph_in_libtorch(graph, inputs, types_of(graph, c));
  }
  std::int64_t bad_with(const std::string& name, std::int64_t at, double number) const {
    EmptyRow other = *this;
    other.got.at(name).set(at, number);
    return other.judged().at(name).discrepancy.bad;
  }
};

struct MaskedStage {
  std::string line;
  bool keeps = true;  ///< the value has the row's axis
};

std::vector<MaskedStage> stages_with(const std::string& rule) {
  const std::string said = rule.empty() ? "" : ", empty=" + rule;
  return {{"{y = softmax(x" + said + ")}"},
          {"{y = log_softmax(x" + said + ")}"},
          {"{y = logsumexp(x, cols" + said + ")}", false}};
}

class RowsOfAMask : public testing::TestWithParam<std::string> {};

TEST_P(RowsOfAMask, AreWhatTheLineSays) {
  for (const std::string rule : {"", "zero"})
    for (const MaskedStage& stage : stages_with(rule)) {
      const EmptyRow row(stage.line, "x", GetParam());
      const std::int64_t at = stage.keeps ? kLong : 1;
      const double y = row.got.at("y").at(at);
      EXPECT_TRUE(rule == "zero" ? y == 0 : std::isnan(y) == stage.keeps) << stage.line << y;
      for (const auto& [name, judged] : row.judged()) {
        EXPECT_EQ(judged.discrepancy.bad, 0) << stage.line << name;
        EXPECT_EQ(judged.discrepancy.undecided, 0) << stage.line << name;
        // The formula's result of a logsumexp of such a row is open.
        const bool is_open = rule.empty() && !stage.keeps;
        EXPECT_TRUE(is_open || judged.discrepancy.vacuous == 0) << stage.line << name;
      }
    }
}

/// The controls: the other answers, and numbers beside them, are wrong.
TEST_P(RowsOfAMask, AreNothingElse) {
  for (const MaskedStage& stage : stages_with("zero")) {
    const EmptyRow row(stage.line, "x", GetParam());
    const std::int64_t at = stage.keeps ? kLong + 3 : 1;
    for (const double wrong : {kNan, 1.0 / kLong, -kInf})
      EXPECT_EQ(row.bad_with("y", at, wrong), 1) << stage.line << wrong;
    for (const double wrong : {kNan, 0.01})
      EXPECT_EQ(row.bad_with("d_x", kLong + 3, wrong), 1) << stage.line << wrong;
    EXPECT_EQ(row.bad_with("y", 0, 1.5 * row.got.at("y").at(0)), 1) << stage.line;
  }
  for (const MaskedStage& stage : stages_with("")) {
    const EmptyRow row(stage.line, "x", GetParam());
    EXPECT_EQ(row.bad_with("y", stage.keeps ? kLong + 3 : 1, 0), 1) << stage.line;
  }
}

/// A row that may be anything proves nothing, and the others are judged.
TEST_P(RowsOfAMask, MayBeAnything) {
  for (const MaskedStage& stage : stages_with("any")) {
    const EmptyRow row(stage.line, "x", GetParam());
    const std::int64_t at = stage.keeps ? kLong + 3 : 1;
    for (const double number : {kNan, 0.0, 0.25, -kInf})
      EXPECT_EQ(row.bad_with("y", at, number), 0) << stage.line << number;
    EXPECT_EQ(row.judged().at("y").discrepancy.vacuous, stage.keeps ? kLong : 1) << stage.line;
    EXPECT_EQ(row.bad_with("y", 0, 1.5 * row.got.at("y").at(0)), 1) << stage.line;
  }
}

/// The mask that a step adds; what is taken of the row behind it has it too.
TEST_P(RowsOfAMask, FollowFromASum) {
  const EmptyRow row(
      "{s = add(x[rows,cols], fixed(mask[rows,cols])); p = softmax(s, empty=zero); y = "
      "multiply(p, v[cols])}",
      "mask", GetParam());
  for (const auto& [name, judged] : row.judged()) {
    EXPECT_EQ(judged.discrepancy.bad, 0) << name;
    EXPECT_EQ(judged.discrepancy.undecided, 0) << name;
    EXPECT_EQ(judged.discrepancy.vacuous, 0) << name;
  }
  EXPECT_EQ(row.bad_with("y", kLong + 3, kNan), 1);
  EXPECT_EQ(row.bad_with("d_x", kLong + 3, 0.01), 1);
  EXPECT_EQ(row.bad_with("d_v", 3, 1.5 * row.got.at("d_v").at(3)), 1);
}

INSTANTIATE_TEST_SUITE_P(Types, RowsOfAMask, testing::Values("f32", "f64", "f16", "bf16"),
                         [](const auto& type) { return type.param; });

TEST(EmptyRow, IsSaidByAWordOfItsStage) {
  EXPECT_THROW(parse_graph("y = softmax(x, empty=0)"), UsageError);
  EXPECT_THROW(parse_graph("y = softmax(x, empty=-inf)"), UsageError);
  EXPECT_THROW(parse_graph("y = relu(x, empty=zero)"), UsageError);
  EXPECT_EQ(parse_graph("y = logsumexp(x, cols, empty=-inf)").steps.front().word("empty"), "-inf");
  EXPECT_EQ(parse_graph("y = logsumexp(x, cols)").steps.front().word("empty"), "-inf");
  EXPECT_EQ(parse_graph("y = softmax(x)").steps.front().word("empty"), "nan");
}

}  // namespace
}  // namespace gradproof
