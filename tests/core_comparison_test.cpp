// SPDX-License-Identifier: Apache-2.0
// A Comparison in parts: whatever the order and the parts, the same Discrepancy to the last bit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/comparison.h"

namespace gradproof {
namespace {

constexpr std::int64_t kRows = 40;
constexpr std::int64_t kCols = 50;

struct Sample {
  std::int64_t index;
  double got;
  Truth want;
};

/// Errors of all sizes, ties among the worst, classes that are wrong and bounds that are nothing.
std::vector<Sample> samples(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sample> all;
  for (std::int64_t i = 0; i < kRows * kCols; ++i) {
    const double hi = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 7;
    const double error = std::ldexp(1, -static_cast<int>(random() % 40));
    Sample s{i, hi + error, {hi, 0, 0, std::ldexp(1, -8), false}};
    if (random() % 97 == 0) s.want.bound = std::numeric_limits<double>::infinity();
    if (random() % 401 == 0) s.got = std::numeric_limits<double>::quiet_NaN();
    all.push_back(s);
  }
  return all;
}

void expect_same(const Element& a, const Element& b) {
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.got), std::bit_cast<std::uint64_t>(b.got));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.ratio), std::bit_cast<std::uint64_t>(b.ratio));
}

void expect_same(const std::vector<Element>& a, const std::vector<Element>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const Discrepancy& a, const Discrepancy& b) {
  const auto numbers = [](const Discrepancy& d) {
    return std::vector<std::uint64_t>{
        std::bit_cast<std::uint64_t>(d.max_ratio), std::bit_cast<std::uint64_t>(d.p99_ratio),
        std::bit_cast<std::uint64_t>(d.rms_ratio), std::bit_cast<std::uint64_t>(d.max_ulp)};
  };
  const auto counts = [](const Discrepancy& d) {
    return std::vector<std::int64_t>{d.elements, d.bad, d.undecided, d.vacuous, d.wrong_class};
  };
  EXPECT_EQ(numbers(a), numbers(b));
  EXPECT_EQ(counts(a), counts(b));
  EXPECT_EQ(a.histogram, b.histogram);
  EXPECT_EQ(a.good_before, b.good_before);
  EXPECT_EQ(a.pattern, b.pattern);
  EXPECT_EQ(a.zero_would_pass, b.zero_would_pass);
  EXPECT_EQ(a.constant_would_pass, b.constant_would_pass);
  expect_same(a.worst, b.worst);
  expect_same(a.first_bad, b.first_bad);
  expect_same(a.last_bad, b.last_bad);
}

Discrepancy in_one(const std::vector<Sample>& all) {
  Comparison comparison(DType::f32);
  for (const Sample& s : all) comparison.add(s.index, s.got, s.want);
  return comparison.finish({kRows, kCols});
}

Discrepancy in_parts(const std::vector<Sample>& all, std::size_t count, std::mt19937_64& random) {
  std::vector<Comparison> parts(count, Comparison(DType::f32));
  for (const Sample& s : all) parts[random() % count].add(s.index, s.got, s.want);
  std::shuffle(parts.begin(), parts.end(), random);
  Comparison whole(DType::f32);
  for (const Comparison& part : parts) whole.merge(part);
  return whole.finish({kRows, kCols});
}

TEST(Comparison, IsTheSameInAnyOrderAndInAnyParts) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<Sample> all = samples(seed);
    const Discrepancy want = in_one(all);
    ASSERT_GT(want.bad, 0);
    std::mt19937_64 random(seed);
    std::shuffle(all.begin(), all.end(), random);
    expect_same(in_one(all), want);
    for (const std::size_t count : {1u, 2u, 7u, 60u})
      expect_same(in_parts(all, count, random), want);
  }
}

TEST(Comparison, ControlOneOtherElementIsSeen) {
  std::vector<Sample> all = samples(3);
  const Discrepancy before = in_one(all);
  all[17].got = all[17].want.hi + 1;
  EXPECT_NE(in_one(all).rms_ratio, before.rms_ratio);
}

TEST(Comparison, AnEmptyPartChangesNothing) {
  const std::vector<Sample> all = samples(5);
  Comparison whole(DType::f32);
  whole.merge(Comparison(DType::f32));
  for (const Sample& s : all) whole.add(s.index, s.got, s.want);
  whole.merge(Comparison(DType::f32));
  expect_same(whole.finish({kRows, kCols}), in_one(all));
}

}  // namespace
}  // namespace gradproof
