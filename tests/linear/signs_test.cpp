// SPDX-License-Identifier: Apache-2.0
// Freivalds' test by tiles passes right products, and sees errors as often as it says.
#include <cmath>
#include <functional>
#include <limits>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/compare/verdict.h"
#include "oracles/linear/freivalds.h"
#include "tests/support/linear_support.h"

namespace gradproof {
namespace {

constexpr std::int64_t kRows = 9, kIn = 70, kOut = 300;  ///< two tiles, and a short one

struct Forward {
  Tensor input, weight, bias, z;

  explicit Forward(bool whole = false, std::int64_t out = kOut)
      : input(random("input", {kRows, kIn}, whole)),
        weight(random("weight", {out, kIn}, whole)),
        bias(random("bias", {out}, whole)),
        z(product(input, weight)) {
    for (std::int64_t i = 0; i < z.numel(); ++i) z.set(i, z.at(i) + bias.at(i % out));
  }

  LinearJudged judged(std::uint64_t seed = 1) const {
    return compare_linear({.input = &input, .weight = &weight, .bias = &bias, .z = &z},
                          {ProductCheck::freivalds, seed})
        .at("z");
  }

  /// gamma of the roundings times |A||B| + |bias|.
  double bound(std::int64_t index) const {
    const std::int64_t row = index / weight.shape()[0], col = index % weight.shape()[0];
    double size = std::abs(bias.at(col));
    for (std::int64_t k = 0; k < kIn; ++k)
      size += std::abs(input.at(row * kIn + k) * weight.at(col * kIn + k));
    return gamma_of(kIn + 1, kSingleUnit) * size;
  }

  void shift(std::int64_t index, double by) { z.set(index, z.at(index) + by); }
};

/// The tensors of a forward pass, drawn once.
const Forward& drawn(bool whole = false) {
  static const Forward real, integers(true);
  return whole ? integers : real;
}

Outcome outcome(const LinearJudged& j) { return judge(j.discrepancy).outcome; }

TEST(LinearSigns, CorrectProductsPassAndSayWhatIsSeen) {
  for (const bool whole : {false, true}) {
    const Forward& f = drawn(whole);
    const LinearJudged found = f.judged();
    EXPECT_EQ(outcome(found), Outcome::passed);
    EXPECT_EQ(found.shape, (Shape{kRows, 3, kSignVectors}));
    EXPECT_EQ(found.discrepancy.elements, numel(found.shape));
    EXPECT_NE(found.witness.find("Freivalds"), std::string::npos);
    EXPECT_NE(found.why.find("2^-16"), std::string::npos);
    EXPECT_EQ(found.discrepancy.max_ratio == 0, whole);
    EXPECT_EQ(found.seen_over == 0, whole);
  }
}

/// d_input = d_z W and d_W = d_z^T input, whole, so that a plain sum is exact.
TEST(LinearSigns, GradientsToo) {
  const Tensor input = random("input", {kRows, kIn}, true);
  const Tensor weight = random("weight", {kOut, kIn}, true);
  const Tensor d_z = random("d_z", {kRows, kOut}, true);
  Tensor d_input(DType::f32, Shape{kRows, kIn}), d_weight(DType::f32, Shape{kOut, kIn});
  for (std::int64_t k = 0; k < kIn; ++k) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < kOut; ++j) sum += d_z.at(i * kOut + j) * weight.at(j * kIn + k);
      d_input.set(i * kIn + k, sum);
    }
    for (std::int64_t j = 0; j < kOut; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < kRows; ++i) sum += d_z.at(i * kOut + j) * input.at(i * kIn + k);
      d_weight.set(j * kIn + k, sum);
    }
  }
  const auto found = [&](const std::string& name) {
    return outcome(compare_linear({.input = &input,
                                   .weight = &weight,
                                   .d_z = &d_z,
                                   .d_input = &d_input,
                                   .d_weight = &d_weight},
                                  {ProductCheck::freivalds, 3})
                       .at(name));
  };
  EXPECT_EQ(found("d_input"), Outcome::passed);
  EXPECT_EQ(found("d_weight"), Outcome::passed);
  d_input.set(77, d_input.at(77) + 1);
  d_weight.set(2077, d_weight.at(2077) - 1);
  EXPECT_EQ(found("d_input"), Outcome::failed);
  EXPECT_EQ(found("d_weight"), Outcome::failed);
}

/// A correct product may be a whole bound off in every element, whatever the signs are.
TEST(LinearSigns, ErrorsOfAWholeBoundAreNoAlarm) {
  Forward f = drawn();
  const Stream direction(5, "direction");
  const Tensor exact = truth_of_z({.input = &f.input, .weight = &f.weight, .bias = &f.bias},
                                  [] {
                                    std::vector<std::int64_t> all(kOut);
                                    for (std::size_t j = 0; j < all.size(); ++j)
                                      all[j] = static_cast<std::int64_t>(j);
                                    return all;
                                  }())
                           .value;
  for (std::int64_t i = 0; i < f.z.numel(); ++i) {
    const double sign = direction.bits(static_cast<std::uint64_t>(i)) & 1 ? -1 : 1;
    f.z.set(i, exact.at(i) + sign * (f.bound(i) - std::ldexp(std::abs(exact.at(i)), -23)));
  }
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LinearJudged found = f.judged(seed);
    EXPECT_EQ(found.discrepancy.bad, 0) << seed;
    largest = std::max(largest, found.discrepancy.max_ratio);
  }
  // The limit is no idle one: a sum of such errors is 1/lambda of it in the mean, and more.
  EXPECT_GT(largest, 1 / lambda_for(kRows * 3 * kSignVectors));
}

/// An error that is larger than is said is seen with every seed; half a bound is not.
TEST(LinearSigns, SeesWhatItSays) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Forward f = drawn();
    const auto index = static_cast<std::int64_t>(seed * 52);
    f.shift(index, 0.5 * f.bound(index));
    const LinearJudged small = f.judged(seed);
    EXPECT_EQ(outcome(small), Outcome::passed) << seed;
    EXPECT_GT(small.seen_over, f.bound(index));
    f.shift(index, 1.2 * small.seen_over);
    EXPECT_EQ(outcome(f.judged(seed)), Outcome::failed) << seed;
  }
}

/// Two errors of the size that is said, in one row and tile, cancel for every second vector: the
/// least that the derivation promises.
TEST(LinearSigns, EverySecondVectorSeesAtLeast) {
  std::int64_t seen = 0, missed = 0, vectors = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Forward f = drawn();
    const double over = 1.2 * f.judged(seed).seen_over;
    f.shift(3, over);
    f.shift(90, over);
    const LinearJudged found = f.judged(seed);
    seen += found.discrepancy.bad;
    missed += found.discrepancy.bad == 0;
    vectors += kSignVectors;
  }
  const auto n = static_cast<double>(vectors);
  const double deviations = (static_cast<double>(seen) - n / 2) / std::sqrt(n / 4);
  EXPECT_LT(std::abs(deviations), 5);  // of a fair coin, once in two million
  EXPECT_EQ(missed, 0);                // 100 times 2^-16
}

/// Nothing is rounded, so nothing is permitted: not one unit, not one unit in the last place, not a
/// number so small that a sum would lose it.
TEST(LinearSigns, WholeNumbersHaveNoTolerance) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto index = static_cast<std::int64_t>(seed * 80);
    const auto with = [&](const std::function<double(double)>& change) {
      Forward f = drawn(true);
      f.z.set(index, change(f.z.at(index)));
      return outcome(f.judged(seed));
    };
    EXPECT_EQ(with([](double v) { return v; }), Outcome::passed);
    EXPECT_EQ(with([](double v) { return v + 1; }), Outcome::failed);
    EXPECT_EQ(with([](double v) { return double{std::nextafterf(static_cast<float>(v), 1e9F)}; }),
              Outcome::failed);
    EXPECT_EQ(with([](double v) { return v == 0 ? 1e-44 : -v; }), Outcome::failed);
    EXPECT_EQ(with([](double) { return std::numeric_limits<double>::infinity(); }),
              Outcome::failed);
  }
}

TEST(LinearSigns, SeesWhatGoesWrong) {
  const Forward& good = drawn();
  Forward f = drawn();
  for (std::int64_t i = 0; i < f.z.numel(); ++i) f.shift(i, -f.bias.at(i % kOut));
  EXPECT_EQ(outcome(f.judged()), Outcome::failed) << "no bias";
  f = good;
  for (std::int64_t j = 0; j < kOut; ++j) {
    f.z.set(2 * kOut + j, good.z.at(5 * kOut + j));
    f.z.set(5 * kOut + j, good.z.at(2 * kOut + j));
  }
  EXPECT_EQ(outcome(f.judged()), Outcome::failed) << "two rows exchanged";
  Forward square(false, kIn);
  EXPECT_EQ(outcome(square.judged()), Outcome::passed);
  square.z = product(square.input, square.weight, true);
  EXPECT_EQ(outcome(square.judged()), Outcome::failed) << "weight transposed";
  f = good;
  f.z.set(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(outcome(f.judged()), Outcome::failed) << "NaN";
}

/// A test that would not see zeros is Mistrusted.
TEST(LinearSigns, ATestThatProvesLittleIsMistrusted) {
  Forward f = drawn();
  for (std::int64_t i = 0; i < f.bias.numel(); ++i) f.bias.set(i, 0);
  // Large terms cancel in pairs; the first and the last are all that is left.
  for (std::int64_t j = 0; j < kOut; ++j)
    for (std::int64_t k = 1; k + 1 < kIn; ++k) f.weight.set(j * kIn + k, k % 2 ? 1e8 : -1e8);
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t k = 1; k + 1 < kIn; ++k) f.input.set(i * kIn + k, 1);
  f.z = product(f.input, f.weight);
  EXPECT_EQ(outcome(f.judged()), Outcome::mistrusted);
}

TEST(LinearSigns, ReplayedBySeed) {
  const Forward& f = drawn();
  EXPECT_EQ(f.judged(7).discrepancy.max_ratio, f.judged(7).discrepancy.max_ratio);
  EXPECT_NE(f.judged(7).discrepancy.max_ratio, f.judged(8).discrepancy.max_ratio);
}

/// Products of norms of chunks are at least |A||B|, and equal to it where all sizes are equal.
TEST(LinearSigns, NormsBoundTheProductOfSizes) {
  const at::Tensor a = at::randn({5, 36}, at::kDouble), b = at::randn({36, 4}, at::kDouble);
  const at::Tensor exact = at::mm(a.abs(), b.abs());
  const auto by_norms = [](const at::Tensor& left, const at::Tensor& right, std::int64_t chunk) {
    return row_norms(left, chunk).mm(column_norms(right, chunk));
  };
  EXPECT_TRUE(at::equal(by_norms(a, b, 1), exact));
  EXPECT_TRUE((by_norms(a, b, 16) > exact).all().item<bool>());
  EXPECT_TRUE(at::equal(by_norms(a.sign(), b.sign(), 16), at::full({5, 4}, 36, at::kDouble)));
  EXPECT_TRUE(at::equal(by_norms(a.t(), b.t(), 3), by_norms(b, a, 3).t()));
}

}  // namespace
}  // namespace gradproof
