// SPDX-License-Identifier: Apache-2.0
// The errors that a pass could have seen: figures computed by hand, factors beside them that fail
// and pass, and the same bits whatever the sizes, the order and the parts.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/compare/comparison.h"
#include "core/compare/verdict.h"
#include "tests/core/doubles.h"

namespace gradproof {
namespace {

struct Bounded {
  double truth;
  double bound;
};

/// The Comparison of exact results.
Comparison compared(const std::vector<Bounded>& all, std::int64_t elements) {
  Comparison comparison(DType::f64, {elements});
  std::int64_t index = 0;
  for (const Bounded& s : all) comparison.add(index++, s.truth, {s.truth, 0, 0, s.bound, false});
  return comparison;
}

Resolution resolution_of(const std::vector<Bounded>& all) {
  const auto count = static_cast<std::int64_t>(all.size());
  return compared(all, count).finish().resolution;
}

TEST(Resolution, IsTheSmallestFactorAndTheMedianOne) {
  const Resolution r = resolution_of({{1, 0.25}, {-2, 0.25}, {0, 0.5}, {4, 0.25}});
  EXPECT_EQ(r.whole, 0.0625);
  EXPECT_EQ(r.median, 0.125);
  EXPECT_EQ(r.zeros, 1);
  EXPECT_EQ(r.zero_passes, 0);
  EXPECT_EQ(r.rms_bound, std::sqrt((3 * 0.0625 + 0.25) / 4));
  EXPECT_EQ(r.rms_truth, std::sqrt(21.0 / 4));
  EXPECT_EQ(r.bound_over_truth(), r.rms_bound / r.rms_truth);
}

TEST(Resolution, TheMedianIsRoundedUpWithinAnOctave) {
  const Resolution r = resolution_of({{1, 0x1.01p-20}, {1, 1}, {1, 0}});
  EXPECT_EQ(r.whole, 0);
  EXPECT_EQ(r.median, 0x1.08p-20);
}

TEST(Resolution, OfNumbersThatNoFactorMoves) {
  const Resolution zeros = resolution_of({{0, 0}, {0, 1}});
  EXPECT_EQ(zeros.whole, kInf);
  EXPECT_EQ(zeros.median, kInf);
  EXPECT_EQ(zeros.zeros, 2);
  EXPECT_EQ(zeros.zero_passes, 0);
  EXPECT_EQ(zeros.bound_over_truth(), kInf);
  const Resolution classes = resolution_of({{kNan, 1}, {kInf, kInf}, {-kInf, 1}, {8, 1}});
  EXPECT_EQ(classes.whole, 0.125);
  EXPECT_EQ(classes.median, kInf);
  EXPECT_EQ(classes.zeros + classes.zero_passes, 0);
  EXPECT_EQ(classes.rms_truth, 4);
  const Resolution counts = resolution_of({{7, 0}});  // an exact integer
  EXPECT_EQ(counts.whole, 0);
  EXPECT_EQ(counts.median, 0);
  EXPECT_EQ(counts.bound_over_truth(), 0);
}

TEST(Resolution, ABoundThatPromisesNothingResolvesNothing) {
  const Resolution r = resolution_of({{1, kInf}, {2, kInf}, {4, 1}});
  EXPECT_EQ(r.whole, 0.25);
  EXPECT_EQ(r.median, kInf);
  EXPECT_EQ(r.zero_passes, 2);
  EXPECT_EQ(r.rms_bound, std::sqrt(1.0 / 3));
}

TEST(Resolution, ZeroPassesUpToTheBoundItself) {
  EXPECT_EQ(resolution_of({{3, 3}, {-3, 3}, {3, std::nextafter(3, 0)}, {0, 3}}).zero_passes, 2);
}

/// A result that is exact but for a factor, beside what it is said to resolve.
TEST(Resolution, AFactorBeyondItFailsAndOneWithinPasses) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Bounded> all;
    for (int i = 0; i < 40; ++i) {
      const double truth = std::ldexp(static_cast<double>(random() >> 40), round - 100);
      all.push_back({truth, truth * std::ldexp(1 + static_cast<double>(random() % 64), -20)});
    }
    const double whole = resolution_of(all).whole;
    for (const double sign : {-1, 1})
      for (const bool beyond : {false, true}) {
        const double d = sign * whole * (beyond ? 1 + 0x1p-20 : 1 - 0x1p-20);
        Comparison comparison(DType::f64, {40});
        for (std::int64_t i = 0; i < 40; ++i) {
          const Bounded& s = all[static_cast<std::size_t>(i)];
          comparison.add(i, s.truth * (1 + d), {s.truth, 0, 0, s.bound, false});
        }
        EXPECT_EQ(judge(comparison.finish()).outcome, beyond ? Outcome::failed : Outcome::passed);
      }
  }
}

/// Windows of sizes begin at 2^(24 k - 1/2): on both sides of each, and at the ends of doubles.
TEST(Resolution, RootMeanSquaresNeitherOverflowNorVanish) {
  std::vector<double> sizes{1e300, 1e-300, 0x1.fffffffffffffp1023, 0x1p-1022};
  for (int k = -41; k <= 42; ++k)
    for (const double from : {0x1.6a09e667f3bccp-1, 0x1.6a09e667f3bcdp-1, 1.0})
      sizes.push_back(std::ldexp(from, 24 * k));
  for (const double size : sizes) {
    const Resolution r = resolution_of({{size, size / 8}, {-size, size / 8}, {size, size / 8}});
    // Each square is rounded to 2^-48 of itself or better, but for the last window's.
    EXPECT_NEAR(r.rms_truth / size, 1, size > 0x1p-1008 ? 0x1p-47 : 0x1p-19) << size;
    EXPECT_NEAR(r.bound_over_truth(), 0.125, size > 0x1p-1000 ? 0x1p-47 : 0x1p-12) << size;
  }
}

std::vector<Bounded> of_all_sizes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int spread = seed % 2 == 0 ? 2000 : 60;
  std::vector<Bounded> all;
  for (int i = 0; i < 1000; ++i) {
    const auto number = [&] {
      const int exponent = static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2;
      return std::ldexp(static_cast<double>(random() >> 11), exponent - 52);
    };
    all.push_back({random() % 9 == 0 ? 0 : number(), number()});
  }
  return all;
}

TEST(Resolution, RootMeanSquaresAreThoseOfExtendedPrecision) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Bounded> all = of_all_sizes(seed);
    long double truth = 0, bound = 0;  // exponents to 16384
    for (const Bounded& s : all) {
      truth += static_cast<long double>(s.truth) * static_cast<long double>(s.truth);
      bound += static_cast<long double>(s.bound) * static_cast<long double>(s.bound);
    }
    const Resolution r = resolution_of(all);
    const auto want = static_cast<double>(std::sqrt(truth / 1000));
    EXPECT_NEAR(r.rms_truth / want, 1, 1000 * 0x1p-48);
    EXPECT_NEAR(r.rms_bound / static_cast<double>(std::sqrt(bound / 1000)), 1, 1000 * 0x1p-48);
  }
}

void expect_same_bits(const Resolution& a, const Resolution& b) {
  const auto bits = [](const Resolution& r) {
    return std::vector<std::uint64_t>{
        std::bit_cast<std::uint64_t>(r.whole), std::bit_cast<std::uint64_t>(r.median),
        std::bit_cast<std::uint64_t>(r.rms_bound), std::bit_cast<std::uint64_t>(r.rms_truth)};
  };
  EXPECT_EQ(bits(a), bits(b));
  EXPECT_EQ(a.zeros, b.zeros);
  EXPECT_EQ(a.zero_passes, b.zero_passes);
}

TEST(Resolution, IsTheSameInAnyOrderAndInAnyParts) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Bounded> all = of_all_sizes(seed);
    const Resolution want = resolution_of(all);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5; ++round) {
      std::shuffle(all.begin(), all.end(), random);
      expect_same_bits(resolution_of(all), want);
      const auto middle = all.begin() + static_cast<int>(random() % all.size());
      Comparison whole = compared({all.begin(), middle}, 1000);
      whole.merge(compared({middle, all.end()}, 1000));
      expect_same_bits(whole.finish().resolution, want);
    }
    const auto largest = std::max_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bound < b.bound; });
    largest->bound *= 1 + 0x1p-30;  // the control
    EXPECT_NE(resolution_of(all).rms_bound, want.rms_bound);
  }
}

TEST(Resolution, OfTwoPartsThatWereFinished) {
  const std::vector<Bounded> first{{1, 0.25}, {2, 0.25}, {0, 1}};
  const std::vector<Bounded> second{{4, 0.5}, {-4, 8}};
  std::vector<Bounded> both = first;
  both.insert(both.end(), second.begin(), second.end());
  Resolution sum = resolution_of(first);
  sum.add(3, resolution_of(second), 2);
  const Resolution want = resolution_of(both);
  EXPECT_EQ(sum.whole, want.whole);
  EXPECT_EQ(sum.zeros, want.zeros);
  EXPECT_EQ(sum.zero_passes, 1);
  EXPECT_DOUBLE_EQ(sum.rms_bound, want.rms_bound);
  EXPECT_DOUBLE_EQ(sum.rms_truth, want.rms_truth);
  EXPECT_GE(sum.median, want.median);
}

}  // namespace
}  // namespace gradproof
