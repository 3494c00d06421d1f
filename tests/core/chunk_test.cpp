// SPDX-License-Identifier: Apache-2.0
// The loops of a comparison: the same bits on every CPU, and bins with the edges they promise.
#include "core/compare/chunk.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/compare/discrepancy.h"
#include "tests/core/doubles.h"

namespace gradproof {
namespace {

/// Numbers of all sizes for a chunk.
struct Numbers {
  std::vector<double> got, hi, lo, radius, bound;

  explicit Numbers(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    const auto some = [&](int lowest, int highest) {
      const int exponent =
          lowest + static_cast<int>(random() % static_cast<unsigned>(highest - lowest));
      const double sign = random() % 2 == 0 ? 1 : -1;
      return sign * std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
    };
    for (std::size_t i = 0; i < count; ++i) {
      hi.push_back(random() % 9 == 0 ? 0 : some(-160, 120));
      bound.push_back(random() % 11 == 0 ? 0 : std::abs(hi.back()) * std::abs(some(-30, -2)));
      got.push_back(random() % 7 == 0 ? hi.back() : hi.back() + bound.back() * some(-30, 2));
      lo.push_back(hi.back() * some(-70, -54));
      radius.push_back(bound.back() * std::abs(some(-60, -1)));
    }
  }

  Chunk chunk(DType dtype) const {
    Chunk c;
    c.count = got.size();
    c.got = got.data();
    c.hi = hi.data();
    c.lo = lo.data();
    c.radius = radius.data();
    c.bound = bound.data();
    c.last_place = std::ldexp(1.0, precision_of(dtype) - 1);
    c.lowest_bits = std::bit_cast<std::int64_t>(std::ldexp(1.0, min_exponent_of(dtype)));
    c.exponent_mask = std::int64_t{0x7FF} << 52;
    return c;
  }
};

std::vector<ChunkLoops> runnable() {
  std::vector<ChunkLoops> loops;
  for (const auto& compilation : chunk_loop_compilations())
    if (runs_here(compilation.set)) loops.push_back(compilation.make());
  return loops;
}

TEST(Chunk, IsTheSameOnEveryCpu) {
  for (const std::size_t count : {1u, 15u, 16u, 64u, 255u, 256u}) {
    const Numbers numbers(count, count);
    Chunk want = numbers.chunk(DType::f32);
    chunk_loops_of<InstructionSet::baseline>().measure(want);
    for (const ChunkLoops& loops : runnable()) {
      Chunk c = numbers.chunk(DType::f32);
      loops.measure(c);
      ASSERT_EQ(c.any, want.any);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(c.flags[i], want.flags[i]);
        ASSERT_EQ(bits(c.ratio[i]), bits(want.ratio[i]));
        ASSERT_EQ(bits(c.ulp[i]), bits(want.ulp[i]));
        ASSERT_EQ(bits(c.low[i]), bits(want.low[i]));
        ASSERT_EQ(bits(c.high[i]), bits(want.high[i]));
        ASSERT_EQ(bits(c.relative[i]), bits(want.relative[i]));
      }
    }
  }
}

void expect_same(const ChunkSquares& a, const ChunkSquares& b) {
  EXPECT_EQ(a.window, b.window);
  EXPECT_EQ(a.high, b.high);
  EXPECT_EQ(a.low, b.low);
}

TEST(Chunk, SummariesAreTheSameOnEveryCpu) {
  for (const std::size_t count : {1u, 15u, 16u, 64u, 255u, 256u}) {
    const Numbers numbers(count, count);
    Chunk first = numbers.chunk(DType::f32);
    ChunkSummary want;
    chunk_loops_of<InstructionSet::baseline>().measure(first);
    chunk_loops_of<InstructionSet::baseline>().summarise(first, want);
    for (const ChunkLoops& loops : runnable()) {
      Chunk c = numbers.chunk(DType::f32);
      ChunkSummary s;
      loops.measure(c);
      loops.summarise(c, s);
      EXPECT_EQ(bits(s.max_ratio), bits(want.max_ratio));
      EXPECT_EQ(bits(s.max_ulp), bits(want.max_ulp));
      EXPECT_EQ(bits(s.highest_low), bits(want.highest_low));
      EXPECT_EQ(bits(s.lowest_high), bits(want.lowest_high));
      EXPECT_EQ(bits(s.least_relative), bits(want.least_relative));
      EXPECT_EQ(s.zeros, want.zeros);
      EXPECT_EQ(s.zero_passes, want.zero_passes);
      expect_same(s.ratio_squares, want.ratio_squares);
      expect_same(s.truth_squares, want.truth_squares);
      expect_same(s.bound_squares, want.bound_squares);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(s.ratio_bins[i], want.ratio_bins[i]);
        ASSERT_EQ(s.relative_bins[i], want.relative_bins[i]);
      }
    }
  }
}

TEST(Chunk, MeasuresUlpsAsTheyAreDefined) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    const Numbers numbers(5, 256);
    Chunk c = numbers.chunk(dtype);
    chunk_loops().measure(c);
    for (std::size_t i = 0; i < c.count; ++i) {
      const double error = std::abs((c.got[i] - c.hi[i]) - c.lo[i]);
      ASSERT_EQ(c.ulp[i], ulp_error(error, c.hi[i], dtype)) << c.hi[i];
    }
  }
}

std::uint32_t bin_of(BinRange range, double number) {
  Chunk c;
  c.count = 1;
  c.hi = c.bound = &number;
  c.any = Chunk::kFarTruth;  // a number that may be infinite
  c.ratio[0] = c.relative[0] = number;
  c.ulp[0] = c.low[0] = c.high[0] = 0;
  ChunkSummary s;
  chunk_loops().summarise(c, s);
  return range.lowest == kRatioBins.lowest ? s.ratio_bins[0] : s.relative_bins[0];
}

TEST(Chunk, ABinHoldsItsUpperEdgeAndNothingAbove) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const BinRange range : {kRatioBins, kRelativeBins}) {
    EXPECT_EQ(range.upper_edge(0), 0);
    EXPECT_EQ(range.upper_edge(1), std::ldexp(1, range.lowest));
    EXPECT_EQ(range.upper_edge(range.size() - 2), std::ldexp(1, range.highest));
    EXPECT_EQ(range.upper_edge(range.size() - 1), infinity);
    EXPECT_EQ(bin_of(range, 0), 0u);
    EXPECT_EQ(bin_of(range, std::numeric_limits<double>::denorm_min()), 1u);
    EXPECT_EQ(bin_of(range, infinity), range.size() - 1);
    for (std::size_t bin = 1; bin + 1 < range.size(); ++bin) {
      ASSERT_EQ(bin_of(range, range.upper_edge(bin)), bin);
      ASSERT_EQ(bin_of(range, std::nextafter(range.upper_edge(bin), infinity)), bin + 1);
    }
  }
}

}  // namespace
}  // namespace gradproof
