// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/hard_numbers.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace gradproof {
namespace {

class HardNumbers : public ::testing::TestWithParam<DType> {};

/// Written into a tensor they must not become others.
TEST_P(HardNumbers, AreNumbersOfTheType) {
  for (const double number : hard_numbers(GetParam())) {
    if (std::isnan(number)) continue;
    EXPECT_EQ(round_to(GetParam(), number), number);
    EXPECT_EQ(std::signbit(round_to(GetParam(), number)), std::signbit(number));
  }
}

TEST_P(HardNumbers, HaveEachKind) {
  const std::vector<double>& all = hard_numbers(GetParam());
  const auto has = [&](const auto& is_so) { return std::any_of(all.begin(), all.end(), is_so); };
  const double normal = std::ldexp(1.0, min_exponent_of(GetParam()));
  EXPECT_TRUE(has([](double x) { return x == 0 && std::signbit(x); }));
  EXPECT_TRUE(has([&](double x) { return x != 0 && std::abs(x) < normal; }));
  EXPECT_TRUE(has([&](double x) { return x == -largest_finite(GetParam()); }));
  EXPECT_TRUE(has([](double x) { return x == -INFINITY; }));
  EXPECT_TRUE(has([](double x) { return std::isnan(x); }));
  EXPECT_TRUE(has([&](double x) {  // the sum with 1 is a tie
    return x > 0 && round_to(GetParam(), 1 + x) == 1 && round_to(GetParam(), 1 + 1.001 * x) > 1;
  }));
}

INSTANTIATE_TEST_SUITE_P(Types, HardNumbers,
                         testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace gradproof
