// SPDX-License-Identifier: Apache-2.0
// Rows with a mask: numbers that are -Inf, or so low that their exponential is 0 in every form.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/doubles.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

constexpr std::int64_t kRows = 6;
constexpr std::int64_t kCols = 12;

/// The lowest number of a type, as masks are filled with, -Inf, and one between.
std::vector<double> masks_of(DType dtype) {
  return {-kInf, -largest_finite(dtype), dtype == DType::f16 ? -3e4 : -1e30};
}

/// A graph of one step whose row r has numbers up to its column r; the others are the mask.
struct Masked : Ran {
  Masked(const std::string& line, const std::string& tensor, const std::string& dtype, double mask)
      : Ran(line + " rows=6 cols=12 seed=7 dtype=" + dtype) {
    for (std::int64_t row = 0; row < kRows; ++row)
      for (std::int64_t col = row + 1; col < kCols; ++col)
        inputs.at(tensor).set(row * kCols + col, mask);
    got = graph_in_libtorch(graph, inputs, types_of(graph, c));
  }
  /// Judges the results under what somebody declares, or LibTorch's contract if that is empty.
  std::map<std::string, Judged, std::less<>> judged_under(const std::string& declared) const {
    if (declared.empty()) return judged();
    const auto said = parse_declared_contract(declared, graph);
    return judge_graph({graph, claim.extents, graph_contract(graph, types_of(graph, c), said)},
                       inputs, got);
  }
  std::int64_t bad_with(const std::string& name, std::int64_t at, double number) const {
    Masked other = *this;
    other.got.at(name).set(at, number);
    return other.judged().at(name).discrepancy.bad;
  }
};

std::vector<std::string> lines() {
  return {"{y = softmax(x[rows,cols])}", "{y = log_softmax(x[rows,cols])}",
          "{y = logsumexp(x[rows,cols], cols)}"};
}

class MaskedRows : public testing::TestWithParam<std::string> {};

TEST_P(MaskedRows, HaveABoundUnderEveryContract) {
  for (const std::string& line : lines())
    for (const double mask : masks_of(parse_dtype(GetParam()))) {
      const Masked m(line, "x", GetParam(), mask);
      for (const char* declared :
           {"", "maximum=subtracted functions=libtorch stored=all",
            "maximum=online functions=libtorch stored=all",
            "maximum=unsubtracted functions=libtorch stored=all", "functions=libtorch stored=all"})
        for (const auto& [name, judged] : m.judged_under(declared)) {
          EXPECT_EQ(judged.discrepancy.bad, 0) << line << mask << name << declared;
          EXPECT_EQ(judged.discrepancy.undecided, 0) << line << mask << name << declared;
          EXPECT_EQ(judged.discrepancy.vacuous, 0) << line << mask << name << declared;
        }
    }
}

/// The controls are a row that is NaN, one number everywhere, a masked element that is not 0, and
/// an element that is half as large again.
TEST_P(MaskedRows, ConvictWhatIsWrong) {
  for (const double mask : masks_of(parse_dtype(GetParam()))) {
    const Masked m("{y = softmax(x[rows,cols])}", "x", GetParam(), mask);
    Masked none = m;
    Masked one = m;
    for (std::int64_t i = 0; i < kCols; ++i) none.got.at("y").set(2 * kCols + i, kNan);
    for (std::int64_t i = 0; i < kRows * kCols; ++i) one.got.at("y").set(i, 0.37);
    EXPECT_EQ(none.judged().at("y").discrepancy.bad, kCols) << mask;
    EXPECT_GT(one.judged().at("y").discrepancy.bad, kRows * kCols - 4) << mask;
    EXPECT_EQ(m.bad_with("y", 2 * kCols + 7, 1e-3), 1) << mask;
    EXPECT_EQ(m.bad_with("y", 2 * kCols + 1, 1.5 * m.got.at("y").at(2 * kCols + 1)), 1) << mask;
    EXPECT_EQ(m.bad_with("d_x", 2 * kCols + 7, 1e-3), 1) << mask;
    EXPECT_EQ(m.bad_with("d_x", 2 * kCols + 1, kNan), 1) << mask;
  }
}

/// At the end of the range x - m - log sum is x in every form: the next number is wrong, and so is
/// what left the range.
TEST(MaskedRow, HasALogarithmAtTheLowestNumber) {
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    const double lowest = -largest_finite(parse_dtype(dtype));
    const Masked m("{y = log_softmax(x[rows,cols])}", "x", dtype, lowest);
    EXPECT_EQ(m.got.at("y").at(2 * kCols + 7), lowest) << dtype;
    EXPECT_EQ(m.bad_with("y", 2 * kCols + 7, lowest * (1 - 0x1p-6)), 1) << dtype;
    EXPECT_EQ(m.bad_with("y", 2 * kCols + 7, -kInf), 1) << dtype;
  }
}

/// A logarithm of -120000 is -Inf in float16, whose exponential is 0 and gives NaN times an
/// infinite sum of cotangents; the exact exponential is above 0, and gives an infinity.
TEST(MaskedRow, WhatLeftTheRangeMayBeZeroTimesInfinity) {
  const Ran ran(
      "{y = log_softmax(x[rows,cols])} rows=1 cols=3 dtype=f16 "
      "set=x@0,0:60000;x@0,1:-60000;x@0,2:0;dy@0,2:inf");
  EXPECT_TRUE(std::isnan(ran.got.at("d_x").at(1)));
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0);
}

/// A mask that is added to logits is as one that is given: no element needs 50 digits.
TEST(MaskedRow, OfASumWithAMaskTakesNoFiftyDigits) {
  for (const char* line :
       {"{y = softmax(add(multiply(x[i,j], 2), fixed(m[i,j], kind=causal)), j)} i=9 j=9",
        "{y = softmax(add(fixed(m[i,j], kind=causal), multiply(x[i,j], 2)), j)} i=9 j=9",
        "{y = logsumexp(subtract(x[i,j], fixed(m[i,j])), j)} i=9 j=9 set=m@3,4:inf;m@5,0:inf"}) {
    Ran ran(line);
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(judged.escalated, 0) << line << name;
      EXPECT_EQ(judged.discrepancy.bad + judged.discrepancy.vacuous, 0) << line << name;
    }
    ran.got.at("y").set(0, ran.got.at("y").at(0) + 0.01);
    EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 1) << line;
  }
}

/// A mask's -Inf is no number of a double-double, but its exponential is 0 and all else is as ever:
/// no element needs 50 digits, and the class of a logarithm is known without them.
TEST_P(MaskedRows, TakeNoFiftyDigits) {
  constexpr std::int64_t kMasked = kRows * kCols - kRows * (kRows + 1) / 2;
  for (const std::string& line : lines()) {
    const Masked m(line, "x", GetParam(), -kInf);
    const bool is_log = line.find("log_softmax") < line.size();
    for (const auto& [name, judged] : m.judged())
      EXPECT_EQ(judged.escalated, is_log && name == "y" ? kMasked : 0) << line << name;
  }
  Masked beside("{y = softmax(x[rows,cols])}", "x", GetParam(), -kInf);
  beside.inputs.at("x").set(2 * kCols, kInf);
  beside.got = graph_in_libtorch(beside.graph, beside.inputs, types_of(beside.graph, beside.c));
  EXPECT_EQ(beside.judged().at("y").escalated, kCols) << "+Inf makes a row of NaN";
  EXPECT_EQ(beside.bad_with("y", 2 * kCols + 7, 0), 1);
}

/// A step adds the mask: in 16 bits the sum may itself be -Inf.
TEST_P(MaskedRows, AsASumHaveABound) {
  for (const double mask : masks_of(parse_dtype(GetParam()))) {
    const Masked m("{s = add(x[rows,cols], keep[rows,cols]); y = softmax(s)}", "keep", GetParam(),
                   mask);
    const auto judged = m.judged();
    for (const char* name : {"y", "d_x"}) {
      EXPECT_EQ(judged.at(name).discrepancy.bad, 0) << mask << name;
      EXPECT_EQ(judged.at(name).discrepancy.vacuous, 0) << mask << name;
    }
    EXPECT_EQ(m.bad_with("y", 2 * kCols + 7, 1e-3), 1) << mask;
    EXPECT_EQ(m.bad_with("y", 2 * kCols, kNan), 1) << mask;
  }
}

TEST_P(MaskedRows, HaveALargestNumber) {
  const Masked m("{y = max(x[rows,cols], cols)}", "x", GetParam(), -kInf);
  for (const auto& [name, judged] : m.judged()) {
    EXPECT_EQ(judged.discrepancy.bad, 0) << name;
    EXPECT_EQ(judged.discrepancy.vacuous, 0) << name;
  }
  EXPECT_EQ(m.bad_with("y", 3, kNan), 1);
  EXPECT_EQ(m.bad_with("d_x", 2 * kCols + 7, kNan), 1);
}

/// If all numbers are -Inf, x - m is NaN, and so is all that follows; LibTorch's logsumexp is
/// -Inf.
TEST_P(MaskedRows, AreNaNWhereNothingIsLeft) {
  for (const std::string& line : lines()) {
    Masked m(line, "x", GetParam(), -kInf);
    m.inputs.at("x").set(0, -kInf);
    m.got = graph_in_libtorch(m.graph, m.inputs, types_of(m.graph, m.c));
    for (const auto& [name, judged] : m.judged())
      EXPECT_EQ(judged.discrepancy.bad, 0) << line << name;
    EXPECT_EQ(m.bad_with("y", 0, 0), 1) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MaskedRows, testing::Values("f32", "f64", "f16", "bf16"),
                         [](const auto& type) { return type.param; });

/// An exponential still overflows upwards if no maximum was subtracted from its argument.
TEST(MaskedRow, IsOpenWhereAnExponentialMayOverflow) {
  Masked m("{y = softmax(x[rows,cols])}", "x", "f32", -kInf);
  m.inputs.at("x").set(2 * kCols, 100);
  m.got = graph_in_libtorch(m.graph, m.inputs, types_of(m.graph, m.c));
  EXPECT_EQ(m.judged_under("maximum=unsubtracted").at("y").discrepancy.vacuous, kCols);
  EXPECT_EQ(m.judged_under("maximum=online").at("y").discrepancy.vacuous, 0);
}

TEST(MaskedSoftmax, OfComputedLogitsStaysInDoubleDouble) {
  for (const char* masked :
       {"causal(l, t, s)", "where(m, l, -inf)", "pad(l, s, more, before=1, value=-inf)"}) {
    const std::string line = "{l = contract(q[t,d], k[s,d], d); a = " + std::string(masked) +
                             "; p = softmax(a); y = square(p)} t=6 s=6 d=3";
    const Ran ran(std::string(masked).starts_with("where")
                      ? line.substr(0, 1) + "m = greater(o[t,s], -9); " + line.substr(1)
                      : line);
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(judged.escalated, 0) << line << " " << name;
      EXPECT_EQ(judged.discrepancy.bad, 0) << line << " " << name;
    }
  }
}

}  // namespace
}  // namespace gradproof
