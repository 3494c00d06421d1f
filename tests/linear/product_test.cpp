// SPDX-License-Identifier: Apache-2.0
// The truth about a Linear, and its bound, against sums at 50 digits; what is wrong is found.
#include <cmath>
#include <functional>
#include <limits>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/compare/verdict.h"
#include "core/error.h"
#include "tests/support/linear_support.h"

namespace gradproof {
namespace {

using Real = boost::multiprecision::cpp_bin_float_50;

/// One product of a Linear: element (i, j) is the sum of `count` products and perhaps a bias.
struct Sum {
  Shape shape;
  std::int64_t count;
  std::function<double(std::int64_t, std::int64_t, std::int64_t)> left, right;
  std::function<double(std::int64_t)> bias;  ///< or none
};

struct Exact {
  Real value = 0, bound = 0;
};

/// gamma_n (|a||b| + |bias|), n the products and the bias; n - 1 for a sum of numbers alone.
Exact exact(const Sum& s, std::int64_t i, std::int64_t j, int roundings) {
  Exact e;
  Real size = 0;
  for (std::int64_t k = 0; k < s.count; ++k) {
    const Real product = Real(s.left(i, j, k)) * s.right(i, j, k);
    e.value += product;
    size += abs(product);
  }
  if (s.bias) e.value += s.bias(j);
  if (s.bias) size += std::abs(s.bias(j));
  const Real nu = Real(roundings) * ldexp(Real(1), -24);
  e.bound = nu / (1 - nu) * size;
  return e;
}

/// Numbers that are `off` bounds away from the truth, up and down in turn.
Tensor off_by(const Sum& s, int roundings, double off) {
  Tensor got(DType::f32, s.shape);
  const std::int64_t cols = s.shape.back();
  for (std::int64_t index = 0; index < got.numel(); ++index) {
    const Exact e = exact(s, index / cols, index % cols, roundings);
    got.set(index, static_cast<double>(e.value + e.bound * (index % 2 ? off : -off)));
  }
  return got;
}

/// A Linear of 5 rows, 150 -> 7, and its sums as data.
struct Linear {
  std::int64_t rows = 5, in = 150, out = 7;
  Tensor input, weight, bias, d_z;

  explicit Linear(bool whole = false)
      : input(random("input", {rows, in}, whole)),
        weight(random("weight", {out, in}, whole)),
        bias(random("bias", {out}, whole)),
        d_z(random("d_z", {rows, out}, whole)) {}

  Sum z() const {
    return {{rows, out},
            in,
            [this](auto i, auto, auto k) { return input.at(i * in + k); },
            [this](auto, auto j, auto k) { return weight.at(j * in + k); },
            [this](auto j) { return bias.at(j); }};
  }
  Sum d_input() const {
    return {{rows, in},
            out,
            [this](auto i, auto, auto k) { return d_z.at(i * out + k); },
            [this](auto, auto j, auto k) { return weight.at(k * in + j); },
            {}};
  }
  Sum d_weight() const {
    return {{out, in},
            rows,
            [this](auto i, auto, auto k) { return d_z.at(k * out + i); },
            [this](auto, auto j, auto k) { return input.at(k * in + j); },
            {}};
  }
  Sum d_bias() const {
    return {{out},
            rows,
            [this](auto, auto j, auto k) { return d_z.at(k * out + j); },
            [](auto, auto, auto) { return 1.0; },
            {}};
  }
};

/// All four results `off` bounds away, judged.
std::map<std::string, LinearJudged, std::less<>> judged(const Linear& l, double off) {
  const Tensor z = off_by(l.z(), 151, off);
  const Tensor d_input = off_by(l.d_input(), 7, off);
  const Tensor d_weight = off_by(l.d_weight(), 5, off);
  const Tensor d_bias = off_by(l.d_bias(), 4, off);
  return compare_linear({&l.input, &l.weight, &l.bias, &z, &l.d_z, &d_input, &d_weight, &d_bias});
}

/// The results are stored in float32: where the bound is a few units of the last place, what is
/// stored may be half of one further on. Elements of few terms may have cancelled sums below.
TEST(LinearProduct, TruthAndBoundAreThoseOf50Digits) {
  const auto within = judged(Linear(), 0.75);
  const auto beyond = judged(Linear(), 1.25);
  ASSERT_EQ(within.size(), 4u);
  for (const auto& [name, result] : within) {
    EXPECT_EQ(result.discrepancy.bad, 0) << name;
    EXPECT_EQ(result.discrepancy.undecided, 0) << name;
    EXPECT_GT(result.discrepancy.max_ratio, 0.74) << name;
    EXPECT_EQ(beyond.at(name).discrepancy.bad, beyond.at(name).discrepancy.elements) << name;
  }
}

/// Whole numbers: nothing is rounded, so nothing is permitted.
TEST(LinearProduct, WholeNumbersAreExact) {
  const Linear l(true);
  for (const auto& [name, result] : judged(l, 0)) {
    EXPECT_EQ(result.discrepancy.bad, 0) << name;
    EXPECT_EQ(result.discrepancy.max_ratio, 0) << name;
    EXPECT_NE(result.why.find("exact"), std::string::npos) << result.why;
  }
  for (const auto& [name, result] : judged(Linear(), 0))
    EXPECT_EQ(result.why.find("exact"), std::string::npos) << name;
  Tensor z = off_by(l.z(), 151, 0);
  z.set(3, std::nextafterf(static_cast<float>(z.at(3)), 1e9F));
  const auto wrong =
      compare_linear({.input = &l.input, .weight = &l.weight, .bias = &l.bias, .z = &z});
  EXPECT_EQ(wrong.at("z").discrepancy.bad, 1);
}

/// More rows and columns than a tile has.
TEST(LinearProduct, OneWrongElementAmongMillions) {
  const Tensor input = random("input", {4100, 3});
  const Tensor weight = random("weight", {600, 3});
  Tensor z = product(input, weight);
  const auto find = [&] {
    return compare_linear({.input = &input, .weight = &weight, .z = &z}).at("z").discrepancy;
  };
  EXPECT_EQ(find().bad, 0);
  EXPECT_EQ(find().elements, 4100 * 600);
  const std::int64_t index = 4099 * 600 + 599;
  z.set(index, z.at(index) + 1e-5);
  EXPECT_EQ(find().bad, 1);
  EXPECT_EQ(find().worst.index, index);
}

TEST(LinearProduct, SeesATransposedWeightWhereItFits) {
  const Tensor input = random("input", {4, 30});
  const Tensor weight = random("weight", {30, 30});
  const auto bad = [&](bool transposed) {
    const Tensor z = product(input, weight, transposed);
    return compare_linear({.input = &input, .weight = &weight, .z = &z}).at("z").discrepancy.bad;
  };
  EXPECT_EQ(bad(false), 0);
  EXPECT_GT(bad(true), 100);
}

TEST(LinearProduct, SeesAMissingBias) {
  const Linear l;
  const Tensor z = product(l.input, l.weight);
  EXPECT_EQ(
      compare_linear({.input = &l.input, .weight = &l.weight, .z = &z}).at("z").discrepancy.bad, 0);
  EXPECT_GT(compare_linear({.input = &l.input, .weight = &l.weight, .bias = &l.bias, .z = &z})
                .at("z")
                .discrepancy.bad,
            0);
}

TEST(LinearProduct, NaNIsOfItsOwnClass) {
  Linear l;
  l.input.set(2, std::numeric_limits<double>::quiet_NaN());
  Tensor z = product(l.input, l.weight);
  const auto bad = [&] {
    return compare_linear({.input = &l.input, .weight = &l.weight, .z = &z})
        .at("z")
        .discrepancy.bad;
  };
  EXPECT_EQ(bad(), 0);
  z.set(20, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(bad(), 1);
}

TEST(LinearProduct, NoRowsNoElements) {
  const Tensor input(DType::f32, Shape{0, 3}), z(DType::f32, Shape{0, 2});
  const Tensor weight = random("weight", {2, 3});
  Tensor d_weight(DType::f32, Shape{2, 3});
  for (std::int64_t i = 0; i < 6; ++i) d_weight.set(i, 0);
  const auto all = compare_linear(
      {.input = &input, .weight = &weight, .z = &z, .d_z = &z, .d_weight = &d_weight});
  EXPECT_EQ(all.at("z").discrepancy.elements, 0);
  EXPECT_EQ(all.at("d_weight").discrepancy.bad, 0);
  d_weight.set(1, 1e-30);
  EXPECT_EQ(compare_linear({.input = &input, .weight = &weight, .d_z = &z, .d_weight = &d_weight})
                .at("d_weight")
                .discrepancy.bad,
            1);
}

TEST(LinearProduct, RefusesWhatDoesNotFit) {
  const Linear l;
  const Tensor z(DType::f32, Shape{5, 8}), wide(DType::f64, Shape{5, 7});
  const Tensor transposed(DType::f32, Layout{{5, 7}, {1, 5}, 0, 35});
  for (const Tensor* wrong : {&z, &wide, &transposed})
    EXPECT_THROW(compare_linear({.input = &l.input, .weight = &l.weight, .z = wrong}),
                 InstrumentError);
  EXPECT_THROW(compare_linear({.input = &l.input}), InstrumentError);
}

}  // namespace
}  // namespace gradproof
