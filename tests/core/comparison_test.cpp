// SPDX-License-Identifier: Apache-2.0
// A Comparison in parts: whatever the order and the parts, the same Discrepancy to the last bit.
#include "core/compare/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tests/core/doubles.h"

namespace gradproof {
namespace {

constexpr std::int64_t kRows = 40;
constexpr std::int64_t kCols = 50;

struct Sample {
  std::int64_t index;
  double got;
  Truth want;
};

/// All sizes, ties among the worst, wrong classes, no bounds; coarse, huge and infinite truths.
std::vector<Sample> samples(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sample> all;
  for (std::int64_t i = 0; i < kRows * kCols; ++i) {
    const double hi = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 7;
    const double error = std::ldexp(1, -static_cast<int>(random() % 40));
    Sample s{i, hi + error, {hi, 0, 0, std::ldexp(1, -8), false}};
    if (random() % 97 == 0) s.want.bound = std::numeric_limits<double>::infinity();
    if (random() % 401 == 0) s.got = kNan;
    if (random() % 199 == 0) s.want.hi = kInf;
    if (random() % 211 == 0) s.got = s.want.hi = kNan;
    if (random() % 151 == 0) {
      s.want.radius = s.want.bound / 2;
      s.got = s.want.hi + s.want.bound;
    }
    if (random() % 173 == 0) s.want.bound = 0;
    if (random() % 181 == 0) s.got = s.want.hi;
    if (random() % 307 == 0) s.want.hi = std::ldexp(s.want.hi, 1000);
    s.want.any_nonfinite = random() % 5 == 0;
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
    return std::vector<std::uint64_t>{std::bit_cast<std::uint64_t>(d.max_ratio),
                                      std::bit_cast<std::uint64_t>(d.p99_ratio),
                                      std::bit_cast<std::uint64_t>(d.rms_ratio),
                                      std::bit_cast<std::uint64_t>(d.max_ulp),
                                      std::bit_cast<std::uint64_t>(d.resolution.whole),
                                      std::bit_cast<std::uint64_t>(d.resolution.median),
                                      std::bit_cast<std::uint64_t>(d.resolution.rms_bound),
                                      std::bit_cast<std::uint64_t>(d.resolution.rms_truth)};
  };
  const auto counts = [](const Discrepancy& d) {
    return std::vector<std::int64_t>{d.elements,
                                     d.bad,
                                     d.undecided,
                                     d.vacuous,
                                     d.wrong_class,
                                     d.resolution.zeros,
                                     d.resolution.zero_passes};
  };
  EXPECT_EQ(numbers(a), numbers(b));
  EXPECT_EQ(counts(a), counts(b));
  EXPECT_EQ(a.histogram, b.histogram);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.worst_columns, b.worst_columns);
  EXPECT_EQ(a.good_before, b.good_before);
  EXPECT_EQ(a.pattern, b.pattern);
  EXPECT_EQ(a.constant_would_pass, b.constant_would_pass);
  expect_same(a.worst, b.worst);
  expect_same(a.first_bad, b.first_bad);
  expect_same(a.last_bad, b.last_bad);
}

Comparison nothing() { return Comparison(DType::f32, {kRows, kCols}, 10); }

Discrepancy in_one(const std::vector<Sample>& all) {
  Comparison comparison = nothing();
  for (const Sample& s : all) comparison.add(s.index, s.got, s.want);
  return comparison.finish();
}

Discrepancy in_parts(const std::vector<Sample>& all, std::size_t count, std::mt19937_64& random) {
  std::vector<Comparison> parts(count, nothing());
  for (const Sample& s : all) parts[random() % count].add(s.index, s.got, s.want);
  std::shuffle(parts.begin(), parts.end(), random);
  Comparison whole = nothing();
  for (const Comparison& part : parts) whole.merge(part);
  return whole.finish();
}

void add_run(Comparison& to, const std::vector<Sample>& all, const Run& run, std::int64_t count) {
  Truths truths;
  std::vector<double> got;
  truths.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const Sample& s = all[static_cast<std::size_t>(run.index(static_cast<std::int64_t>(i)))];
    got.push_back(s.got);
    truths.hi[i] = s.want.hi;
    truths.lo[i] = s.want.lo;
    truths.radius[i] = s.want.radius;
    truths.bound[i] = s.want.bound;
    truths.any_nonfinite[i] = s.want.any_nonfinite;
  }
  to.add(run, got.data(), truths);
}

/// In runs of `length` along rows, or down the columns.
Discrepancy in_runs(const std::vector<Sample>& all, std::int64_t length, bool columns) {
  Comparison comparison = nothing();
  const std::int64_t stride = columns ? kCols : 1, count = kRows * kCols / stride;
  for (std::int64_t line = 0; line < stride; ++line)
    for (std::int64_t i = 0; i < count; i += length)
      add_run(comparison, all, {line + i * stride, stride}, std::min(length, count - i));
  return comparison.finish();
}

/// Packs whose lanes are rows, columns, or the parts of each row.
Discrepancy in_packs_of_rows(const std::vector<Sample>& all, std::int64_t lanes) {
  Comparison comparison = nothing();
  for (std::int64_t row = 0; row < kRows; row += lanes)
    add_run(comparison, all, {row * kCols, 1, lanes, kCols}, lanes * kCols);
  return comparison.finish();
}
Discrepancy in_packs_of_columns(const std::vector<Sample>& all, std::int64_t lanes) {
  Comparison comparison = nothing();
  for (std::int64_t column = 0; column < kCols; column += lanes)
    add_run(comparison, all, {column, kCols, lanes, 1}, lanes * kRows);
  return comparison.finish();
}
Discrepancy in_packs_of_parts(const std::vector<Sample>& all, std::int64_t lanes) {
  Comparison comparison = nothing();
  for (std::int64_t row = 0; row < kRows; ++row)
    add_run(comparison, all, {row * kCols, 1, lanes, kCols / lanes}, kCols);
  return comparison.finish();
}

TEST(Comparison, RunsSayWhatElementsSay) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<Sample> all = samples(seed);
    const Discrepancy want = in_one(all);
    for (const std::int64_t length : {1, 7, 16, 50, 257, 2000}) {
      expect_same(in_runs(all, length, false), want);
      expect_same(in_runs(all, length, true), want);
    }
  }
}

TEST(Comparison, PacksSayWhatElementsSay) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<Sample> all = samples(seed);
    const Discrepancy want = in_one(all);
    for (const std::int64_t lanes : {1, 2, 5, 10}) {
      expect_same(in_packs_of_rows(all, lanes), want);
      expect_same(in_packs_of_columns(all, lanes), want);
      expect_same(in_packs_of_parts(all, lanes), want);
    }
  }
}

/// The Discrepancy by its definition, one element after the other.
TEST(Comparison, CountsWhatTheDefinitionSays) {
  const std::vector<Sample> all = samples(11);
  Discrepancy want;
  double squares = 0;
  std::vector<double> ratios;
  for (const auto& [index, got, truth] : all) {
    double ratio = 0;
    const bool permitted = truth.any_nonfinite && !std::isfinite(got);
    const bool wrong = !permitted && class_of(got) != class_of(truth.hi);
    if (wrong) ratio = kInf;
    if (!wrong && !permitted && std::isfinite(truth.hi) && got != truth.hi)
      ratio = std::abs(got - truth.hi) / truth.bound;
    const double slack = truth.bound > 0 ? truth.radius / truth.bound : 0;
    want.wrong_class += wrong;
    want.bad += ratio > 1 + slack;
    want.undecided += ratio <= 1 + slack && ratio > 1 - slack;
    want.vacuous += std::isinf(truth.bound);
    want.max_ratio = std::max(want.max_ratio, ratio);
    squares += std::pow(std::min(ratio, 256.0), 2);
    ratios.push_back(ratio);
  }
  const Discrepancy d = in_one(all);
  EXPECT_EQ(d.wrong_class, want.wrong_class);
  EXPECT_EQ(d.bad, want.bad);
  EXPECT_EQ(d.undecided, want.undecided);
  EXPECT_GT(d.undecided, 0);
  EXPECT_EQ(d.vacuous, want.vacuous);
  EXPECT_EQ(d.max_ratio, want.max_ratio);
  // A square is rounded to 2^-80, and each double operation here to 2^-53 of itself.
  const auto count = static_cast<double>(all.size());
  EXPECT_NEAR(d.rms_ratio * d.rms_ratio * count, squares, 2 * count * 0x1p-53 * squares);
  std::sort(ratios.begin(), ratios.end());
  const double p99 = ratios[(ratios.size() - 1) * 99 / 100];
  EXPECT_GE(d.p99_ratio, p99);
  EXPECT_LE(d.p99_ratio, p99 * (1 + 1.0 / kParts));
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
  Comparison whole = nothing();
  whole.merge(nothing());
  for (const Sample& s : all) whole.add(s.index, s.got, s.want);
  whole.merge(nothing());
  expect_same(whole.finish(), in_one(all));
}

}  // namespace
}  // namespace gradproof
