// SPDX-License-Identifier: Apache-2.0
// If every computation of an element gives one class, no number of another class passes.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/doubles.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// A graph with numbers in the first element of some of its tensors.
struct Planted {
  std::string line;
  std::map<std::string, double> numbers;
  std::string target = "y";
  std::string dtype = "f32";
};

std::ostream& operator<<(std::ostream& out, const Planted& p) {
  out << p.line << " " << p.target;
  for (const auto& [name, number] : p.numbers) out << " " << name << "=" << number;
  return out;
}

Ran ran_of(const Planted& p) {
  Ran ran(p.line + " n=4 seed=3 dtype=" + p.dtype);
  for (const auto& [name, number] : p.numbers) ran.inputs.at(name).set(0, number);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, types_of(ran.graph, ran.c));
  return ran;
}

/// The number of others among NaN, both infinities and 0.37 that pass; -1 if LibTorch's does not.
int others_that_pass(const Planted& p, const std::string& declared) {
  Ran ran = ran_of(p);
  const auto said = parse_declared_contract(declared, ran.graph);
  const GraphClaim claim{ran.graph, ran.claim.extents,
                         declared.empty()
                             ? ran.claim.contract
                             : graph_contract(ran.graph, types_of(ran.graph, ran.c), said)};
  const auto passes = [&](double number) {
    Ran other = ran;
    other.got.at(p.target).set(0, number);
    return judge_graph(claim, other.inputs, other.got).at(p.target).discrepancy.bad == 0;
  };
  const double right = ran.got.at(p.target).at(0);
  if (!passes(right)) return -1;
  int passing = 0;
  for (const double number : {kNan, kInf, -kInf, 0.37})
    if (bits(number) != bits(right) && !(std::isnan(number) && std::isnan(right)))
      passing += passes(number) ? 1 : 0;
  return passing;
}

void expect_decided(const std::vector<Planted>& all) {
  for (const Planted& p : all)
    for (const char* declared : {"", "stored=none", "functions=usual"})
      EXPECT_EQ(others_that_pass(p, declared), 0) << p << " " << declared;
}

TEST(DecidedClass, OfAQuotientByAGivenZero) {
  const std::string line = "{y = divide(a[n], b[n])}";
  std::vector<Planted> all{{"{y = divide(1, b[n])}", {{"b", 0}}}};
  for (const char* target : {"y", "d_a", "d_b"})
    for (const double a : {2.0, -2.0, 0.0, kInf, kNan})
      for (const double b : {0.0, -0.0}) all.push_back({line, {{"a", a}, {"b", b}}, target});
  expect_decided(all);
  expect_decided(
      {{line, {{"a", 2}, {"b", 0}}, "y", "f64"}, {line, {{"a", 2}, {"b", 0}}, "y", "bf16"}});
}

// 2e9 - 1999999872 is 128, and off by 119 at most: the exponential is from 1e4 to 1e107.
TEST(DecidedClass, OfWhatMayBeTooLargeIsOpenInLaterSteps) {
  const std::map<std::string, double> numbers{{"x", 2e9}, {"t", 1}, {"b", -1999999872.0}};
  for (const std::string of_power : {"neg(v)", "abs(v)", "exp(v)", "square(v)", "neg(abs(v))"}) {
    const std::string argument = "{p = multiply(x[n], t[n]); d = add(p, b[n]); v = exp(d); y = ";
    if (of_power != "exp(v)") {  // which is too large in any case
      EXPECT_EQ(others_that_pass({argument + of_power + "}", numbers}, ""), 3) << of_power;
    }
    const std::string exact = "{v = exp(x[n]); y = " + of_power + "}";
    EXPECT_EQ(others_that_pass({exact, {{"x", 89}}}, ""), 0) << "a control: " << of_power;
  }
}

// Nothing is known of a softmax whose numbers are off by more than their logarithms, nor of the
// class of its exponential: LibTorch's is an infinity, and 0 times an infinity is NaN.
TEST(DecidedClass, OfAnExponentialOfWhatIsUnknownIsOpen) {
  Ran ran(
      "{v1 = add(x[rows,cols], -1.5); v2 = softmax(v1); v3 = rotary(v2, t1, t2); v4 = neg(v3); "
      "v5 = exp(v4)} rows=13 cols=38 dtype=f16 fill=offset:1000 dy=onehot seed=912");
  const auto wrong = [&] { return ran.judged().at("d_t1").discrepancy.bad; };
  EXPECT_EQ(wrong(), 0);
  // A control: no number that is known is infinite.
  ran = Ran("{v4 = neg(x[rows,cols]); v5 = exp(v4)} rows=2 cols=2 dtype=f16 dy=onehot seed=912");
  ran.got.at("d_x").set(0, kInf);
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 1);
}

// The layer_norm of one column is 0, and off by a little; an infinity times it may be an infinity,
// of which hardtanh is 1.
TEST(DecidedClass, OfABoundedFunctionOfANaNThatMayBeAnInfinityIsOpen) {
  Ran ran(
      "{v1 = layer_norm(x[rows,cols]); v2 = multiply(v1, t1[rows,cols]); v3 = hardtanh(v2); "
      "v4 = exp(v3)} rows=2 cols=1 dtype=f32 seed=1");
  const auto wrong_of = [&](double factor, double got) {
    ran.inputs.at("x").set(0, 23472);
    ran.inputs.at("t1").set(0, factor);
    ran.got = graph_in_libtorch(ran.graph, ran.inputs, types_of(ran.graph, ran.c));
    ran.got.at("v4").set(0, got);
    return ran.judged().at("v4").discrepancy.bad;
  };
  for (const double got : {kNan, std::exp(1.0), std::exp(-1.0)}) EXPECT_EQ(wrong_of(kInf, got), 0);
  EXPECT_EQ(wrong_of(0, kNan), 1) << "a control";
  EXPECT_EQ(wrong_of(0, std::exp(1.0)), 1) << "a control";
}

TEST(DecidedClass, OfWhatIsTooLarge) {
  expect_decided({{"{y = square(x[n])}", {{"x", 1e20}}},
                  {"{y = exp(x[n])}", {{"x", 89}}},
                  {"{y = multiply(a[n], b[n])}", {{"a", 1e30}, {"b", 1e30}}},
                  {"{y = multiply(a[n], b[n])}", {{"a", 1e30}, {"b", -1e30}}},
                  {"{y = add(a[n], b[n])}", {{"a", 3e38}, {"b", 3e38}}},
                  {"{y = subtract(a[n], b[n])}", {{"a", -3e38}, {"b", 3e38}}},
                  {"{y = divide(a[n], b[n])}", {{"a", 1e30}, {"b", 1e-30}}},
                  {"{y = multiply(a[n], b[n])}", {{"a", 1e30}, {"b", 2}, {"dy", 1e30}}, "d_b"},
                  {"{y = square(x[n])}", {{"x", 1e200}}, "y", "f64"},
                  {"{y = square(x[n])}", {{"x", 300}}, "y", "f16"},
                  {"{y = square(x[n])}", {{"x", 1e30}}, "y", "bf16"}});
}

/// The number of right answers among NaN, both infinities and 0.37 for a sum of these numbers.
int answers_of_sum(const std::vector<double>& numbers) {
  Ran ran("{y = sum(x[rows,cols], cols)} rows=1 cols=6 dtype=f32");
  for (std::size_t i = 0; i < 6; ++i)
    ran.inputs.at("x").set(static_cast<std::int64_t>(i), numbers[i]);
  int right = 0;
  for (const double number : {kNan, kInf, -kInf, 0.37}) {
    ran.got.at("y").set(0, number);
    right += ran.judged().at("y").discrepancy.bad == 0 ? 1 : 0;
  }
  return right;
}

// The largest number is 3.4e38.
TEST(DecidedClass, OfASumThatIsTooLargeInAnyOrder) {
  EXPECT_EQ(answers_of_sum({2e38, 2e38, 0, 0, 0, 0}), 1);
  EXPECT_EQ(answers_of_sum({3e38, 3e38, 3e38, -3e38, 0, 0}), 1) << "no partial sum is -Inf";
  EXPECT_EQ(answers_of_sum({-3e38, -3e38, -3e38, 3e38, 0, 0}), 1);
  EXPECT_EQ(answers_of_sum({3e38, 3e38, 3e38, 3e38, -3e38, -3e38}), 4) << "Inf + -Inf";
  EXPECT_EQ(answers_of_sum({3e38, 3e38, 0, 0, -3e38, -3e38}), 4) << "0, or beyond on the way";
  EXPECT_EQ(answers_of_sum({kInf, -3e38, -3e38, 0, 0, 0}), 3) << "no finite number";
}

TEST(DecidedClass, OfAGradientAtNaN) {
  std::vector<Planted> all;
  for (const char* word :
       {"tanh", "sigmoid", "exp", "square", "log", "sqrt", "erf", "sin", "cos", "silu", "gelu"})
    all.push_back({std::string("{y = ") + word + "(x[n])}", {{"x", kNan}}, "d_x"});
  expect_decided(all);
}

TEST(DecidedClass, WhereADomainBegins) {
  expect_decided({{"{y = log(x[n])}", {{"x", 0}}},
                  {"{y = log(x[n])}", {{"x", 0}}, "d_x"},
                  {"{y = log(x[n])}", {{"x", -0.0}}, "d_x"},
                  {"{y = log1p(x[n])}", {{"x", -1}}, "d_x"},
                  {"{y = sqrt(x[n])}", {{"x", 0}}},
                  {"{y = sqrt(x[n])}", {{"x", 0}}, "d_x"}});
}

TEST(DecidedClass, FarOut) {
  expect_decided({{"{y = softplus(x[n])}", {{"x", kInf}}, "d_x"},
                  {"{y = exp(x[n])}", {{"x", -kInf}}},
                  {"{y = exp(x[n])}", {{"x", -kInf}}, "d_x"}});
}

/// The controls: where right codes differ, or a number may have overflowed on the way, several
/// classes pass.
TEST(OpenClass, StaysOpen) {
  for (const Planted& p : std::vector<Planted>{
           {"{y = relu(x[n])}", {{"x", kNan}}, "d_x"},
           {"{y = softplus(x[n])}", {{"x", kNan}}, "d_x"},
           {"{y = abs(x[n])}", {{"x", kNan}}, "d_x"},
           {"{y = sqrt(square(x[n]))}", {{"x", 1e20}}},
           {"{y = subtract(square(a[n]), square(b[n]))}", {{"a", 1e30}, {"b", 1e20}}},
           {"{y = add(a[n], b[n])}", {{"a", 0x1.fffffep127}, {"b", 1e31}}},
           {"{y = sqrt(x[n])}", {{"x", -0.0}}, "d_x"},
           {"{y = gelu(x[n])}", {{"x", kInf}}},
           {"{y = neg(gelu(square(x[n])))}", {{"x", 1e30}}},
           {"{y = divide(1, subtract(a[n], b[n]))}", {{"a", 1}, {"b", 1}}}})
    EXPECT_GT(others_that_pass(p, ""), 0) << p;
}

}  // namespace
}  // namespace gradproof
