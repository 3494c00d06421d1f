// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 against their definition, every bit pattern of each.
#include "core/tensor/dtype.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace gradproof {
namespace {

struct Format {
  DType dtype;
  int exponent_bits;
  int fraction_bits;
};

constexpr Format kFormats[]{{DType::f16, 5, 10}, {DType::bf16, 8, 7}};

/// IEEE 754: (-1)^s 2^(e - bias) (1 + f/2^p), with the subnormals, infinities and NaN.
double by_definition(const Format& format, unsigned bits) {
  const int fraction = static_cast<int>(bits) & ((1 << format.fraction_bits) - 1);
  const int ones = (1 << format.exponent_bits) - 1;
  const int exponent = (static_cast<int>(bits) >> format.fraction_bits) & ones;
  const int bias = ones / 2;
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const double part = std::ldexp(fraction, -format.fraction_bits);
  if (exponent == ones)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(part, 1 - bias);
  return sign * std::ldexp(1 + part, exponent - bias);
}

std::uint16_t bits_of(unsigned number) { return static_cast<std::uint16_t>(number); }

TEST(HalfPrecision, EveryPatternIsReadByItsDefinitionAndWrittenBack) {
  for (const Format& format : kFormats)
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const double want = by_definition(format, bits);
      const double got = from_bits16(format.dtype, bits_of(bits));
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(got)) << bits;
        ASSERT_TRUE(std::isnan(by_definition(format, to_bits16(format.dtype, got)))) << bits;
      } else {
        ASSERT_EQ(got, want) << bits;
        ASSERT_EQ(std::signbit(got), std::signbit(want)) << bits;
        ASSERT_EQ(to_bits16(format.dtype, want), bits);
      }
    }
}

/// Between any two neighbours: the middle goes to the even one, anything beside it to the nearer.
TEST(HalfPrecision, RoundsOnceToNearestEven) {
  for (const Format& format : kFormats) {
    const auto ones = static_cast<unsigned>((1 << format.exponent_bits) - 1);
    const unsigned infinity = ones << format.fraction_bits;
    for (unsigned low = 0; low + 1 < infinity; ++low) {
      const double a = by_definition(format, low);
      const double b = by_definition(format, low + 1);
      const double middle = a + (b - a) / 2;  // exact in double
      const unsigned even = low % 2 == 0 ? low : low + 1;
      for (const double sign : {1.0, -1.0}) {
        const unsigned side = sign < 0 ? 0x8000u : 0u;
        ASSERT_EQ(to_bits16(format.dtype, sign * middle), side | even) << middle;
        ASSERT_EQ(to_bits16(format.dtype, sign * std::nextafter(middle, a)), side | low) << middle;
        ASSERT_EQ(to_bits16(format.dtype, sign * std::nextafter(middle, b)), side | (low + 1));
      }
    }
  }
}

TEST(HalfPrecision, OverflowsFromHalfAStepAboveTheLargest) {
  for (const Format& format : kFormats) {
    const double largest = largest_finite(format.dtype);
    const double step =
        largest - from_bits16(format.dtype, bits_of(to_bits16(format.dtype, largest) - 1u));
    const double edge = largest + step / 2;
    EXPECT_EQ(round_to(format.dtype, std::nextafter(edge, 0)), largest);
    EXPECT_TRUE(std::isinf(round_to(format.dtype, edge)));
    EXPECT_EQ(round_to(format.dtype, -1e300), -std::numeric_limits<double>::infinity());
  }
}

/// A double just above a tie of f16 that float32 would take for the tie.
TEST(HalfPrecision, IsNotRoundedTwice) {
  const double tie = 1 + std::ldexp(1, -11);
  EXPECT_EQ(round_to(DType::f16, tie), 1);
  const double above = tie + std::ldexp(1, -40);
  EXPECT_EQ(static_cast<float>(above), static_cast<float>(tie));  // what makes it a trap
  EXPECT_EQ(round_to(DType::f16, above), 1 + std::ldexp(1, -10));
}

/// Numbers that as doubles are the middle of two neighbours, and the middle itself.
TEST(Rounding, OfATruthBeyondDoubleHappensOnce) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const double step = std::ldexp(1.0, 1 - precision_of(dtype));
    for (const double whole : {0.0, 1.0, 2.0, 3.0}) {
      const double low = 1 + whole * step;
      const double middle = low + step / 2;
      const double even = static_cast<int>(whole) % 2 == 0 ? low : low + step;
      EXPECT_EQ(round_to(dtype, middle, 0), even);
      EXPECT_EQ(round_to(dtype, middle, 0x1p-100), low + step);
      EXPECT_EQ(round_to(dtype, middle, -0x1p-100), low);
      EXPECT_EQ(round_to(dtype, -middle, 0x1p-100), -low);
      EXPECT_EQ(round_to(dtype, low, 0x1p-60), low);
      // The control: rounded to double first, both are the tie.
      EXPECT_EQ(round_to(dtype, middle + 0x1p-100), even);
    }
    const double smallest = std::ldexp(1.0, min_exponent_of(dtype) - precision_of(dtype) + 1);
    EXPECT_EQ(round_to(dtype, smallest / 2, 0), 0);
    EXPECT_EQ(round_to(dtype, smallest / 2, std::ldexp(smallest, -60)), smallest);
  }
  EXPECT_EQ(round_to(DType::f64, 1, 0x1p-54), 1);
  EXPECT_TRUE(std::isinf(round_to(DType::f16, HUGE_VAL, 1)));
}

}  // namespace
}  // namespace gradproof
