// SPDX-License-Identifier: Apache-2.0
// Likely errors of sums: legal orders are within them, of numbers of any kind, and a sum of rounded
// operands is beyond them; numbers that do not look drawn at random have the certain bound.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string_view>

#include <gtest/gtest.h>

#include "oracles/bounds/error_sum.h"
#include "tests/oracles/kinds_of_numbers.h"

namespace gradproof {
namespace {

using Sum = ErrorSum<Binary32>;

/// The error of the sum of these numbers, in so many parts that are joined.
double error_of(const Numbers& x, double lambda, std::size_t parts = 1) {
  std::vector<Sum> sums(parts, Sum({lambda, lambda > 1 ? 2.0 : 1.0, static_cast<double>(parts)}));
  for (std::size_t k = 0; k < x.size(); ++k)
    sums[k % parts].add(ErrorScalar<Binary32>(static_cast<double>(x[k])));
  for (std::size_t p = 1; p < parts; ++p) sums.front().add(sums[p]);
  return sums.front().sum(static_cast<std::int64_t>(x.size()) - 1).total();
}

/// The sum of these numbers as the oracles have it along the axis of blocks: of each block of eight
/// numbers in turn a sum in lanes, which are joined.
Sum in_parts_of_blocks(const Numbers& x) {
  constexpr std::size_t kLanes = kLanesOf<Pack>;
  constexpr std::size_t kBlock = 8;
  struct Fields {
    double value = 0, error = 0, magnitude = 0, finite = 0;
    bool vacuous = false, overflow = false;
    SummandFields summands = {};
  };
  const LikelySetting setting{8, 2, static_cast<double>(kLanes * x.size() / kBlock)};
  Sum all(setting);
  for (std::size_t first = 0; first + kBlock <= x.size(); first += kBlock) {
    ErrorSum<Binary32, Pack> block(setting);
    for (std::size_t at = first; at < first + kBlock; at += kLanes) {
      double each[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) each[i] = x[at + i];
      block.add(ErrorScalar<Binary32, Pack>(load<Pack>(each)));
    }
    Fields fields;
    block.joined().of_lane(0).write(fields);
    all.add(Sum::read(fields));
  }
  return all;
}

/// Numbers that repeat after more than a block look random in blocks: each has others.
bool looks_random_in_blocks(const Kind& kind) {
  return kind.is_random || std::string_view(kind.name) == "period of 64";
}

TEST(LikelySums, InBlocksOfLanesLookAsTheyDoInARow) {
  for (const Kind& kind : kinds())
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Numbers x = drawn(kind, 1024, seed);
      const Sum sum = in_parts_of_blocks(x);
      EXPECT_EQ(sum.is_random(), looks_random_in_blocks(kind)) << kind.name << " " << seed;
      const double bound = sum.sum(std::ssize(x) - 1).total();
      for (const float legal : legal_sums(x))
        EXPECT_LE(std::abs(legal - exact(x)), bound + 0x1p-24 * std::abs(exact(x))) << kind.name;
    }
}

class LikelySum : public testing::TestWithParam<std::size_t> {};

TEST_P(LikelySum, HoldsEveryOrder) {
  for (const Kind& kind : kinds())
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Numbers x = drawn(kind, GetParam(), seed);
      const double truth = exact(x);
      for (const std::size_t parts : {1, 4, 8})
        for (const float sum : legal_sums(x))
          EXPECT_LE(std::abs(sum - truth), error_of(x, 8, parts) + 0x1p-24 * std::abs(truth))
              << kind.name << " of " << x.size() << " in " << parts;
    }
}

TEST_P(LikelySum, IsSmallerWhereNumbersLookDrawnAlone) {
  for (const Kind& kind : kinds()) {
    const Numbers x = drawn(kind, GetParam(), 11);
    const double certain = error_of(x, 0);
    const double gain = certain / error_of(x, 8);
    if (x.size() < 1024) {
      EXPECT_GE(gain, 1) << kind.name;
    } else if (kind.is_random) {
      EXPECT_GT(gain, 0.1 * std::sqrt(static_cast<double>(x.size()))) << kind.name;
    } else {
      EXPECT_EQ(gain, 1) << kind.name << " of " << x.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, LikelySum, testing::Values(63, 192, 1024, 4096, 16384),
                         [](const auto& of) { return "numbers_" + std::to_string(of.param); });

/// A product over K numbers whose factors were rounded to TF32 is beyond the likely error and
/// within the certain one.
TEST(LikelyProduct, SeesRoundedFactors) {
  const auto in_tf32 = [](float x) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & 0xffffe000U);
  };
  std::mt19937_64 draw(3);
  const std::size_t n = 4096;
  double squares = 0;
  double certain = 0;
  constexpr int kRows = 64;
  for (int row = 0; row < kRows; ++row) {
    Numbers x(n), rounded(n);
    for (std::size_t k = 0; k < n; ++k) {
      const float a = normal(draw), b = normal(draw);
      x[k] = a * b;
      rounded[k] = in_tf32(a) * in_tf32(b);
    }
    const double off = tree(rounded) - exact(x);
    squares += std::pow(off / error_of(x, 8), 2);
    certain = std::max(certain, std::abs(off) / error_of(x, 0));
  }
  EXPECT_GT(std::sqrt(squares / kRows), 3);
  EXPECT_LT(certain, 1);
}

/// One standard deviation in place of eight: the root mean square of legal errors is below it.
TEST(TypicalSum, IsTheRootMeanSquareOfLegalErrorsOrMore) {
  for (const Kind& kind : kinds()) {
    if (!kind.is_random) continue;
    double squares = 0;
    constexpr int kRows = 100;
    for (std::uint64_t row = 1; row <= kRows; ++row) {
      const Numbers x = drawn(kind, 4096, row);
      squares += std::pow((chain(x) - exact(x)) / error_of(x, 1), 2);
    }
    EXPECT_LT(std::sqrt(squares / kRows), 1) << kind.name;
    EXPECT_GT(std::sqrt(squares / kRows), 0.1) << kind.name;
  }
}

}  // namespace
}  // namespace gradproof
