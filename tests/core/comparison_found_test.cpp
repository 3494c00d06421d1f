// SPDX-License-Identifier: Apache-2.0
// A Comparison finds more than counts: classes, worst columns, undecided truths, patterns.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/compare/comparison.h"
#include "tests/core/doubles.h"

namespace gradproof {
namespace {

TEST(Comparison, ClassesAreCountedByWhatWasWantedAndGot) {
  Comparison comparison(DType::f32, {5});
  const double got[]{kNan, kNan, 1, -kInf, 7};
  const double hi[]{1, 2, kInf, kInf, 7};
  for (std::int64_t i = 0; i < 5; ++i) comparison.add(i, got[i], {hi[i], 0, 0, 1, false});
  const Discrepancy d = comparison.finish();
  EXPECT_EQ(d.wrong_class, 4);
  EXPECT_EQ(class_text(d),
            "got NaN where a finite number is wanted: 2; got a finite number where +Inf is wanted: "
            "1; got -Inf where +Inf is wanted: 1");
  Comparison right(DType::f32, {1});  // the control
  right.add(0, 7, {7, 0, 0, 1, false});
  EXPECT_EQ(class_text(right.finish()), "");
}

TEST(Comparison, NaNHasNoSign) {
  Comparison comparison(DType::f32, {1});
  comparison.add(0, -kNan, {1, 0, 0, 1, false});
  EXPECT_FALSE(std::signbit(comparison.finish().worst.got));
  Comparison other(DType::f64, {1});
  other.add(0, -kInf, {-kNan, 0, 0, 1, false});
  const Element worst = other.finish().worst;
  EXPECT_TRUE(std::isnan(worst.want) && !std::signbit(worst.want));
  EXPECT_TRUE(std::signbit(worst.got)) << "the control: an infinity has one";
}

TEST(Comparison, TheWorstColumnsAreNamedWorstFirst) {
  Comparison comparison(DType::f32, {3, 8});
  for (std::int64_t i = 23; i >= 0; --i)
    comparison.add(i, static_cast<double>(i % 8) / 4, {0, 0, 0, 1, false});
  const auto worst = comparison.finish().worst_columns;
  ASSERT_EQ(worst.size(), 5u);
  EXPECT_EQ(worst[0], (WorstColumn{7, 1.75, 3}));
  EXPECT_EQ(worst[4], (WorstColumn{3, 0.75, 0}));
}

TEST(Comparison, ATruthThatIsNoNumberDecidesNothing) {
  Comparison comparison(DType::f32, {3});
  comparison.add(0, 1, {1, kNan, 0, 1, false});
  comparison.add(1, 1, {1, 0, kNan, 1, false});
  comparison.add(2, 1, {1.5, 0, 0, kNan, false});
  EXPECT_EQ(comparison.finish().undecided, 3);
}

TEST(Comparison, MillionsOfBadElementsCostNoMore) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 22;
  Comparison comparison(DType::f32, {kHuge, 2});
  Truths truths;
  truths.resize(4096);
  std::fill(truths.bound.begin(), truths.bound.end(), 1.0);
  const std::vector<double> got(truths.size(), 3.0);
  for (std::int64_t row = 0; row < kHuge; row += 4096) {
    comparison.add({2 * row, 2}, std::vector<double>(4096, 0.0).data(), truths);
    comparison.add({2 * row + 1, 2}, got.data(), truths);
  }
  const Discrepancy d = comparison.finish();
  EXPECT_EQ(d.bad, kHuge);
  EXPECT_EQ(d.pattern, "all in column 1");
  EXPECT_EQ(d.first_bad.back().index, 9);
  EXPECT_EQ(d.last_bad.front().index, 2 * kHuge - 9);
}

}  // namespace
}  // namespace gradproof
