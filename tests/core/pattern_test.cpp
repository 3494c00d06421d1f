// SPDX-License-Identifier: Apache-2.0
// The pattern of a bad set in words. Each beside a set that is nearly it and must not be called so.
#include <functional>

#include <gtest/gtest.h>

#include "core/compare/bad_set.h"

namespace gradproof {
namespace {

using Indices = std::vector<std::int64_t>;

Indices where(const Extents& extents,
              const std::function<bool(std::int64_t, std::int64_t)>& is_bad) {
  Indices bad;
  for (std::int64_t i = 0; i < extents.size(); ++i)
    if (is_bad(i / extents.cols, i % extents.cols)) bad.push_back(i);
  return bad;
}

std::string pattern(const Indices& bad, const Shape& shape, std::int64_t group_width = 0) {
  return pattern_of(bad, extents_of(shape, group_width));
}

/// The set with one element more.
Indices with(Indices bad, std::int64_t index) {
  bad.push_back(index);
  return bad;
}

TEST(Pattern, OneColumnOneRow) {
  EXPECT_EQ(pattern({2, 8, 14, 20}, {4, 6}), "all in column 2");
  EXPECT_EQ(pattern({2, 8, 14, 21}, {4, 6}), "");
  EXPECT_EQ(pattern({6, 8, 9}, {4, 6}), "all in row 1");
  EXPECT_EQ(pattern({6, 8, 13}, {4, 6}), "");
}

TEST(Pattern, EveryElementOrAllButOne) {
  EXPECT_EQ(pattern({0, 1}, {2}), "every element");
  EXPECT_EQ(pattern({0, 1, 2}, {4}), "indices 0 to 2");
  EXPECT_EQ(pattern({3}, {4, 6}), "");
  EXPECT_EQ(pattern({}, {4, 6}), "");
}

TEST(Pattern, OneGroup) {
  const Shape shape{4, 12};
  EXPECT_EQ(pattern({4, 18, 31}, shape, 4), "all in group 1 (columns 4 to 7)");
  EXPECT_EQ(pattern({4, 18, 33}, shape, 4), "");
  EXPECT_EQ(pattern({4, 6}, shape, 4), "all in row 0, group 1 (columns 4 to 7)");
  EXPECT_EQ(pattern({4, 8}, shape, 4), "all in row 0");
  EXPECT_EQ(pattern({8, 9, 10}, {16}, 4), "all in group 2 (columns 8 to 11)");
  EXPECT_EQ(pattern({8, 9, 12}, {16}, 4), "");
}

TEST(Pattern, SeveralGroups) {
  const Extents extents{8, 40, 4};
  const auto two = [](std::int64_t row, std::int64_t col) {
    return (col / 4 == 3 || col / 4 == 8) && (row + col) % 2 == 0;
  };
  EXPECT_EQ(pattern_of(where(extents, two), extents), "2 groups: 3, 8");
  const auto many = [](std::int64_t row, std::int64_t col) {
    return col / 4 % 2 == 0 && (row * col + row) % 3 == 0;
  };
  EXPECT_EQ(pattern_of(where(extents, many), extents), "");
}

TEST(Pattern, TheTail) {
  const Shape shape{4, 6};
  const Indices columns{4, 5, 10, 11, 16, 17, 22, 23};
  EXPECT_EQ(pattern(columns, shape), "the tail: every row from column 4 on");
  EXPECT_EQ(pattern(with(columns, 0), shape), "");
  EXPECT_EQ(pattern({17, 18, 19, 20, 21, 22, 23}, shape), "the tail from index 17 on");
  EXPECT_EQ(pattern({17, 18, 19, 20, 21, 22}, shape), "indices 17 to 22");
  EXPECT_EQ(pattern({17, 18, 20, 21, 22, 23}, shape), "");
  const Extents extents{8, 6, 0};
  const auto rows = [](std::int64_t row, std::int64_t) { return row >= 5; };
  EXPECT_EQ(pattern_of(where(extents, rows), extents), "the tail: rows from 5 on");
  EXPECT_EQ(pattern_of(with(where(extents, rows), 0), extents), "");
}

TEST(Pattern, SomeOfTheLastPartialTile) {
  const Extents extents{16, 70, 0};
  const auto tail = [](std::int64_t row, std::int64_t col) {
    return col >= 64 && (row + col) % 3 != 0;
  };
  EXPECT_EQ(pattern_of(where(extents, tail), extents), "all in columns from 64 on");
  EXPECT_EQ(pattern_of(with(where(extents, tail), 9), extents),
            "7 columns: 9, 64, 65, 66, 67, 68, 69");
}

TEST(Pattern, AllInEveryKth) {
  const Extents extents{12, 64, 0};
  const auto some = [](std::int64_t row, std::int64_t col) {
    return col % 4 == 1 && (row + col / 4) % 3 != 0;
  };
  EXPECT_EQ(pattern_of(where(extents, some), extents), "all in every 4th column from 1 on");
  EXPECT_EQ(pattern_of(with(where(extents, some), 2), extents), "");
  const Extents tall{60, 16, 0};
  const auto rows = [](std::int64_t row, std::int64_t col) {
    return row % 5 == 2 && (row / 5 + col) % 3 != 0;
  };
  EXPECT_EQ(pattern_of(where(tall, rows), tall), "all in every 5th row from 2 on");
  EXPECT_EQ(pattern_of(with(where(tall, rows), 0), tall), "");
}

TEST(Pattern, EveryKthElement) {
  EXPECT_EQ(pattern({1, 5, 9, 13}, {24}), "every 4th element from 1 to 13");
  EXPECT_EQ(pattern({1, 5, 9, 13}, {17}), "every 4th element from 1 on");
  EXPECT_EQ(pattern({1, 5, 10}, {24}), "");
  EXPECT_EQ(pattern({1, 5, 13}, {24}), "");
  EXPECT_EQ(pattern({1, 5}, {24}), "");
}

TEST(Pattern, EveryKthColumnOrRow) {
  const Extents extents{5, 96, 0};
  const auto columns = [](std::int64_t, std::int64_t col) { return col % 32 == 5; };
  EXPECT_EQ(pattern_of(where(extents, columns), extents), "every 32nd column from 5 on");
  const auto all_but_one = [&](std::int64_t row, std::int64_t col) {
    return columns(row, col) && (row != 2 || col != 37);
  };
  EXPECT_EQ(pattern_of(where(extents, all_but_one), extents), "3 columns: 5, 37, 69, every 32nd");
  EXPECT_EQ(pattern_of(with(where(extents, columns), 6), extents), "4 columns: 5, 6, 37, 69");
  const Extents tall{12, 4, 0};
  const auto rows = [](std::int64_t row, std::int64_t) { return row % 3 == 1; };
  EXPECT_EQ(pattern_of(where(tall, rows), tall), "every 3rd row from 1 on");
  EXPECT_EQ(pattern_of(with(where(tall, rows), 0), tall), "");
}

TEST(Pattern, SeveralColumns) {
  const Extents extents{6, 100, 0};
  const auto three = [](std::int64_t row, std::int64_t col) {
    return row != 1 && (col == 5 || col == 38 || col == 69);
  };
  EXPECT_EQ(pattern_of(where(extents, three), extents), "3 columns: 5, 38, 69");
  // Six elements in six columns are no columns.
  EXPECT_EQ(pattern({1, 112, 253, 340, 499, 577}, {6, 100}), "");
}

TEST(Pattern, ARectangle) {
  const Extents extents{10, 20, 0};
  const auto tile = [](std::int64_t row, std::int64_t col) {
    return row >= 2 && row <= 4 && col >= 7 && col < 9;
  };
  EXPECT_EQ(pattern_of(where(extents, tile), extents), "a rectangle: rows 2 to 4, columns 7 to 8");
  EXPECT_EQ(pattern_of(with(where(extents, tile), 3), extents), "");
  const auto sparse = [](std::int64_t row, std::int64_t col) {
    return row % 2 == 1 && col >= 7 && col < 9;
  };
  EXPECT_EQ(pattern_of(where(extents, sparse), extents), "every 2nd row from 1 on, columns 7 to 8");
}

TEST(Pattern, ElementsHereAndThereHaveNone) {
  const Extents extents{16, 64, 0};
  const auto scattered = [](std::int64_t row, std::int64_t col) {
    return (row * 37 + col * 101) % 29 == 3;
  };
  EXPECT_EQ(pattern_of(where(extents, scattered), extents), "");
}

TEST(Progression, DoesNotDependOnTheOrderNorTheParts) {
  const Indices numbers{40, 7, 18, 29, 73, 51};
  for (std::size_t cut = 0; cut <= numbers.size(); ++cut) {
    Progression left, right;
    for (std::size_t i = 0; i < numbers.size(); ++i) (i < cut ? left : right).add(numbers[i]);
    right.merge(left);
    EXPECT_EQ(right.first(), 7);
    EXPECT_EQ(right.last(), 73);
    EXPECT_EQ(right.step(), 11);
    EXPECT_EQ(right.length(), 7);
  }
}

}  // namespace
}  // namespace gradproof
