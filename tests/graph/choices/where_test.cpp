// SPDX-License-Identifier: Apache-2.0
// Choices by masks and comparisons, and masks of two axes (docs/graphs.md, "Choices and masks").
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graph/graph.h"
#include "tests/graph/judged_line.h"

namespace gradproof {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const GraphTensor& tensor_of(const Graph& graph, std::string_view name) {
  for (const GraphTensor& t : graph.tensors)
    if (t.name == name) return t;
  throw InstrumentError("no such tensor");
}

TEST(Where, IsJudgedInEachType) {
  expect_judged("{y = where(mask, x, z)} rows=3 cols=5");
  expect_judged("{y = where(mask[rows], x[rows,cols], -2)} rows=3 cols=5");
  expect_judged("{y = where(mask, 0.5, x)} rows=3 cols=5");
  expect_judged(
      "{y = where(minimum(m[rows], fixed(keep[cols], kind=onehot)), exp(x[rows,cols]), z)} "
      "rows=3 cols=5");
}

TEST(Where, TakesTheOperandThatTheMaskChooses) {
  Ran ran = ran_with("{y = where(mask[t], x[t], z[t])} t=2",
                     {{"x", {2, -1}}, {"z", {5, 7}}, {"mask", {1, 0}}, {"dy", {1, 1}}});
  EXPECT_EQ(ran.got.at("y").at(0), 2);
  EXPECT_EQ(ran.got.at("y").at(1), 7);
  EXPECT_EQ(ran.got.at("d_x").at(1), 0);
  EXPECT_EQ(ran.got.at("d_z").at(1), 1);
  EXPECT_EQ(bad_in(ran, "y") + bad_in(ran, "d_x") + bad_in(ran, "d_z"), 0);
  ran.got.at("y").set(1, -1);  // of the other operand
  EXPECT_EQ(bad_in(ran, "y"), 1);
}

TEST(Where, KeepsWhatItDoesNotTakeOut) {
  const Ran ran =
      ran_with("{y = where(mask[t], x[t], 0)} t=3", {{"x", {kNan, kInf, 3}}, {"mask", {0, 0, 1}}});
  EXPECT_EQ(bad_in(ran, "y") + bad_in(ran, "d_x"), 0);
  EXPECT_EQ(ran.got.at("y").at(0), 0);
  for (const double number : {kNan, kInf}) {  // what a product with the mask gives
    Ran wrong = ran;
    wrong.got.at("y").set(0, number);
    EXPECT_EQ(bad_in(wrong, "y"), 1) << number;
    wrong.got.at("d_x").set(1, number);
    EXPECT_EQ(bad_in(wrong, "d_x"), 1) << number;
  }
}

TEST(Where, HasAMaskThatIsFixed) {
  const Graph graph = parse_graph("y = where(mask, x, z)");
  EXPECT_EQ(tensor_of(graph, "mask").part, TensorPart::fixed);
  EXPECT_EQ(tensor_of(graph, "mask").kind, FixedKind::coin);
  EXPECT_EQ(parse_graph(to_string(graph)), graph);
  const Graph padded = parse_graph("y = where(fixed(mask, kind=padding), x, z)");
  EXPECT_EQ(tensor_of(padded, "mask").kind, FixedKind::padding);
  EXPECT_EQ(parse_graph(to_string(padded)), padded);
}

TEST(Where, AsksForTheGradientOfATensorThatIsMoreThanAMask) {
  EXPECT_EQ(tensor_of(parse_graph("y = where(x, x, 0)"), "x").part, TensorPart::input);
  expect_judged("{y = where(greater(x, 0.1), x, 0)} rows=3 cols=5", {}, {"f32", "f64"});
}

TEST(Where, DrawsAMaskOfEachKindAsWhatStays) {
  Ran ran("{y = where(fixed(mask[i,j], kind=causal), x[i,j], -inf)} i=3 j=3");
  EXPECT_EQ(ran.inputs.at("mask").at(1), 0);
  EXPECT_EQ(ran.inputs.at("mask").at(3), 1);
  EXPECT_EQ(ran.got.at("y").at(1), -kInf);
  EXPECT_EQ(bad_in(ran, "y") + bad_in(ran, "d_x"), 0);
}

TEST(Comparison, IsOneOrZero) {
  for (const char* word : {"greater", "greater_equal", "equal"}) {
    const Ran ran = ran_with(std::string("{y = ") + word + "(x[t], z[t])} t=5",
                             {{"x", {1, 2, kInf, kNan, -0.0}}, {"z", {2, 2, kInf, 1, 0}}});
    EXPECT_EQ(bad_in(ran, "y"), 0) << word;
    for (int at = 0; at < 5; ++at) {
      Ran wrong = ran;
      wrong.got.at("y").set(at, 1 - ran.got.at("y").at(at));
      EXPECT_EQ(bad_in(wrong, "y"), 1) << word << at;
    }
  }
}

TEST(Comparison, IsOpenWhereErrorsDecideIt) {
  Ran ran(
      "{a = multiply(x[t], 3); b = add(x, add(x, x)); y = where(greater(a, b), z, neg(z))} t=9");
  for (int at = 0; at < 9; ++at) ran.got.at("y").set(at, -ran.got.at("y").at(at));
  EXPECT_EQ(bad_in(ran, "y"), 0);
  Ran far("{a = multiply(x[t], 3); y = where(greater(a, x), z[t], neg(z))} t=9 fill=uniform");
  for (int at = 0; at < 9; ++at) far.got.at("y").set(at, -far.got.at("y").at(at));
  EXPECT_EQ(bad_in(far, "y"), 9);
}

TEST(Band, KeepsWhatALineSays) {
  expect_judged("{y = tril(x, rows, cols)} rows=4 cols=4");
  expect_judged("{y = triu(x, rows, cols, diagonal=-1)} rows=4 cols=4");
  expect_judged("{y = causal(x[b,i,j], i, j, value=-100)} b=2 i=4 j=4");
  expect_judged("{y = softmax(causal(multiply(x[i,b,j], 0.3), i, j, window=2), j)} b=2 i=4 j=4");
  expect_judged("{y = pad(x, cols, c, before=1, value=3)} rows=2 cols=4");
}

TEST(Band, HasTheNumbersOfTorch) {
  Ran ran("{y = causal(x[i,j], i, j, diagonal=1, window=2)} i=3 j=4");
  const int kept[3][4] = {{1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 1, 1}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      const int at = 4 * i + j;
      EXPECT_EQ(ran.got.at("y").at(at), kept[i][j] == 1 ? ran.inputs.at("x").at(at) : -kInf);
    }
  EXPECT_EQ(bad_in(ran, "y") + bad_in(ran, "d_x"), 0);
  ran.got.at("d_x").set(2, 0.25);  // something goes back to a number that is masked
  EXPECT_EQ(bad_in(ran, "d_x"), 1);
}

TEST(Band, FillsWithAnInfinityWhatItsTypeHasNot) {
  for (const char* line : {"{y = causal(x[i,j], i, j, value=-1e9)} i=3 j=3 dtype=f16",
                           "{y = pad(x[i,j], j, k, before=1, value=1e6)} i=3 j=3 dtype=f16",
                           "{y = pad(x[i,j], j, k, before=1, value=-1e40)} i=3 j=3 dtype=f32"}) {
    Ran ran(line);
    EXPECT_EQ(bad_in(ran, "y"), 0) << line;
    const int at = ran.claim.graph.steps.front().stage == "pad" ? 0 : 1;
    EXPECT_TRUE(std::isinf(ran.got.at("y").at(at))) << line;
    ran.got.at("y").set(at, 0);
    EXPECT_EQ(bad_in(ran, "y"), 1) << line;
  }
}

TEST(Comparison, WithANumberBeyondTheTypeIsOpenAtAnInfinity) {
  const Ran ran =
      ran_with("{y = where(greater(x[t], 1e6), x, 0)} t=3 dtype=f16", {{"x", {kInf, 1, 1000}}});
  EXPECT_EQ(bad_in(ran, "y") + bad_in(ran, "d_x"), 0);
}

/// The product of 51200 and 1.2 lies at 61440, in the middle of f8e5m2's largest number and of what
/// would be the next one.
TEST(Rounding, IsOpenWhereErrorsDecideBetweenANumberAndAnInfinity) {
  Ran ran = ran_with("{y = round_to(multiply(x[t], 1.2), to=f8e5m2, overflow=special)} t=3",
                     {{"x", {51200, 10, 1e6}}});
  for (const double number : {57344.0, kInf}) {
    ran.got.at("y").set(0, number);
    EXPECT_EQ(bad_in(ran, "y"), 0) << number;
  }
  ran.got.at("y").set(1, kInf);
  EXPECT_EQ(bad_in(ran, "y"), 1);
  ran.got.at("y").set(2, 57344);  // what saturates is surely wrong far beyond the type
  EXPECT_EQ(bad_in(ran, "y"), 2);
}

/// f8e4m3 has no infinity: what is surely too large is NaN, and 448 is wrong there.
TEST(Rounding, OfWhatIsSurelyTooLargeIsNan) {
  Ran ran = ran_with("{y = round_to(multiply(x[t], 1.2), to=f8e4m3, overflow=special)} t=3",
                     {{"x", {1000, -1000, 10}}});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(std::isnan(ran.got.at("y").at(i)));
  EXPECT_EQ(bad_in(ran, "y"), 0);
  ran.got.at("y").set(0, 448);
  ran.got.at("y").set(1, 440);
  EXPECT_EQ(bad_in(ran, "y"), 2);
}

TEST(Rsqrt, IsJudgedWhereLibTorchsVectorsEnd) {
  for (const char* type : {"f16", "bf16", "f32", "f64"})
    for (int cols = 1; cols < 40; cols += 3) {
      const Ran ran(fmt::format("{{y = rsqrt(x)}} rows=1 cols={} fill=uniform dtype={} seed={}",
                                cols, type, cols));
      EXPECT_EQ(bad_in(ran, "y"), 0) << type << cols;
    }
}

TEST(Band, RefusesWhatItCannotBe) {
  expect_error("{y = causal(x, rows)} rows=3 cols=4", "causal names 2 axes");
  expect_error("{y = causal(x, rows, cols, window=0)} rows=3 cols=4", "bad value '0'");
  expect_error("{y = causal(x, rows, cols, value=nan)} rows=3 cols=4", "bad value 'nan'");
  expect_error("{y = pad(x, cols, c, before=1, mode=reflect, value=2)} rows=3 cols=4",
               "mode=reflect takes no value");
  expect_error("{y = elu(x, alpha=inf)} rows=3 cols=4", "bad value 'inf'");
  expect_error("{y = tril(x[i,j], i, i)} i=4 j=5", "tril names 2 axes");
  expect_error("{y = causal(x[i,j], j, j)} i=4 j=5", "causal names 2 axes");
}

}  // namespace
}  // namespace gradproof
