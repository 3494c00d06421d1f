// SPDX-License-Identifier: Apache-2.0
// Numbers along an axis in order (docs/graphs.md, "Order").
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "oracles/graph/stages/sort_stage.h"
#include "tests/graph/judged_line.h"

namespace gradproof {
namespace {

TEST(Sort, ItsExchangesLeaveAnyNumbersInOrder) {
  std::mt19937 random(1);
  for (std::int64_t n = 0; n <= 70; ++n)
    for (int k = 0; k < 40; ++k) {
      // Exchanges that order all zeros and ones order all numbers (Knuth, 5.3.4, theorem Z).
      std::vector<int> numbers;
      for (std::int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<int>(random() % 2));
      each_exchange(n, [&](std::int64_t i, std::int64_t j) {
        ASSERT_LT(i, j);
        ASSERT_LT(j, n);
        int& a = numbers[static_cast<std::size_t>(i)];
        int& b = numbers[static_cast<std::size_t>(j)];
        if (b > a) std::swap(a, b);
      });
      EXPECT_TRUE(std::is_sorted(numbers.rbegin(), numbers.rend())) << n;
    }
}

TEST(Sort, IsJudgedInEachType) {
  expect_judged("{y = sort(x, cols)} rows=3 cols=9");
  expect_judged("{y = sort(x, rows, order=ascending)} rows=7 cols=5");
  expect_judged("{y = slice(sort(x, cols), cols, k, count=2)} rows=6 cols=11");
  expect_judged(
      "{p = softmax(x, cols); y = softmax(slice(sort(p, cols), cols, k, count=3), k)} rows=6 "
      "cols=8");
  expect_judged("{y = sort(layer_norm(x), cols)} rows=5 cols=17", {}, {"f32"});
}

TEST(Sort, HasTheNumbersOfThePage) {
  const Ran ran = ran_with("{y = sort(x[t], t)} t=3", {{"x", {2, 5, 3}}, {"dy", {1, 10, 100}}});
  const std::vector<std::vector<double>> wanted{{5, 3, 2}, {100, 1, 10}};
  const char* const names[] = {"y", "d_x"};
  for (int k = 0; k < 2; ++k) {
    for (int at = 0; at < 3; ++at)
      EXPECT_EQ(ran.got.at(names[k]).at(at),
                wanted[static_cast<std::size_t>(k)][static_cast<std::size_t>(at)])
          << names[k] << at;
    EXPECT_EQ(bad_in(ran, names[k]), 0) << names[k];
    for (int at = 0; at < 3; ++at) {
      Ran wrong = ran;
      wrong.got.at(names[k]).set(at, ran.got.at(names[k]).at(at) * (1 + 1e-6));
      EXPECT_EQ(bad_in(wrong, names[k]), 1) << "sorted numbers are exact: " << names[k] << at;
    }
  }
}

TEST(Sort, OfTiesTakesEitherOrder) {
  const Ran ran =
      ran_with("{y = sort(x[t], t)} t=4", {{"x", {1, 7, 7, 2}}, {"dy", {1, 10, 100, 1000}}});
  for (const auto& [first, second] : {std::pair(1.0, 10.0), std::pair(10.0, 1.0)}) {
    Ran other = ran;
    other.got.at("d_x").set(1, first);
    other.got.at("d_x").set(2, second);
    EXPECT_EQ(bad_in(other, "d_x"), 0) << first;
  }
  Ran wrong = ran;
  wrong.got.at("d_x").set(1, 100);
  EXPECT_EQ(bad_in(wrong, "d_x"), 1) << "the third place is that of no tied number";
}

TEST(Sort, FailsWhereAGradientGoesToANeighbour) {
  Ran ran("{y = slice(sort(x, cols), cols, k, count=2)} rows=4 cols=16");
  EXPECT_EQ(bad_in(ran, "d_x"), 0);
  Tensor& d_x = ran.got.at("d_x");
  for (std::int64_t i = 0; i < 16; ++i)
    if (d_x.at(i) != 0) {
      const double moved = d_x.at(i);
      d_x.set(i, 0);
      d_x.set((i + 1) % 16, d_x.at((i + 1) % 16) + moved);
      break;
    }
  EXPECT_EQ(bad_in(ran, "d_x"), 2);
}

TEST(Sort, OfANaNIsOpenAndOfInfinitiesIsNot) {
  const Ran unordered("{y = sort(x, cols)} rows=3 cols=9 set=x@0,3:nan");
  for (const auto& [name, judged] : unordered.judged()) {
    EXPECT_EQ(judged.discrepancy.bad, 0) << name;
    EXPECT_EQ(judged.discrepancy.vacuous, 9) << name << ": of one row of three";
  }
  const Ran ran =
      ran_with("{y = sort(x[t], t)} t=3", {{"x", {2, -INFINITY, 3}}, {"dy", {1, 10, 100}}});
  EXPECT_EQ(bad_in(ran, "y"), 0);
  EXPECT_EQ(bad_in(ran, "d_x"), 0);
  Ran wrong = ran;
  wrong.got.at("y").set(1, 2.5);
  wrong.got.at("d_x").set(0, 1);
  EXPECT_EQ(bad_in(wrong, "y"), 1);
  EXPECT_EQ(bad_in(wrong, "d_x"), 1) << "an infinity leaves the order of the others as it is";
}

TEST(Sort, CutsBlocksFromOtherAxesAndHasOneNumber) {
  expect_judged("{y = sort(x[b,t,c], t)} b=40 t=5 c=37", {}, {"f32"});
  expect_judged("{y = sort(x, cols)} rows=3 cols=1", {}, {"f32"});
}

TEST(Sort, RefusesWhatItCannotBe) {
  expect_error("{y = sort(x)} rows=3 cols=4", "needs the axes that it works over");
  expect_error("{y = sort(x, rows, cols)} rows=3 cols=4", "works along one axis");
  expect_error("{y = sort(x, cols, order=up)} rows=3 cols=4", "descending");
}

}  // namespace
}  // namespace gradproof
