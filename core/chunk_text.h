// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops over a chunk, compiled once for each instruction set. Nothing here calls an inline
// function of a header: the linker might take another unit's copy of it.
#include "core/chunk.h"

namespace gradproof {
namespace {

constexpr std::size_t kLanes = 16;
constexpr double kLargest = 0x1.fffffffffffffp1023;
constexpr double kFar = 0x1p900;  ///< beyond it products with powers of two may overflow

inline std::int64_t bits_of(double value) { return __builtin_bit_cast(std::int64_t, value); }
inline double from_bits(std::int64_t bits) { return __builtin_bit_cast(double, bits); }

/// Whatever is not finite, not far inside its bound, or has a truth that is coarse beside it. A bit
/// of its own for each reason: the compiler makes vectors of selections, not of mixed conditions.
inline std::int64_t rare_flags(double got, double hi, double radius, double bound, double error,
                               double ratio) {
  const std::int64_t classes = __builtin_fabs(got) <= kLargest ? 0 : 1;
  const std::int64_t far = __builtin_fabs(hi) <= kFar ? 0 : 2;
  const std::int64_t vacuous = bound <= kLargest ? 0 : 4;
  const std::int64_t wrong = error <= kFar ? 0 : 8;
  const std::int64_t coarse = radius <= 0.25 * bound ? 0 : 16;
  const std::int64_t near = ratio <= 0.5 ? 0 : 32;
  return classes | far | vacuous | wrong | coarse | near;
}

/// All arrays apart from each other, as only parameters can promise.
[[gnu::noinline]] std::int64_t measure_arrays(
    std::size_t count, const double* __restrict got, const double* __restrict hi,
    const double* __restrict lo, const double* __restrict radius, const double* __restrict bound,
    double last_place, std::int64_t lowest, std::int64_t mask, double* __restrict ratios,
    double* __restrict ulps, double* __restrict low, double* __restrict high,
    std::int64_t* __restrict flags) {
  constexpr std::int64_t kInverse = std::int64_t{2046} << 52;  // 2^-e has the field 2046 - field
  std::int64_t any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // got - hi is exact where it matters (Sterbenz); lo then adds the truth beyond double.
    const double error = __builtin_fabs((got[i] - hi[i]) - lo[i]);
    const double quotient = error / bound[i];
    const double ratio = error == 0 ? 0 : quotient;  // an exact result under a bound of 0 is right
    const std::int64_t field = bits_of(hi[i]) & mask;
    const std::int64_t not_zero = __builtin_fabs(hi[i]) <= bound[i] ? 0 : Chunk::kNotZero;
    ratios[i] = ratio;
    ulps[i] = (error * last_place) * from_bits(kInverse - (field > lowest ? field : lowest));
    low[i] = hi[i] - bound[i];
    high[i] = hi[i] + bound[i];
    flags[i] = not_zero | rare_flags(got[i], hi[i], radius[i], bound[i], error, ratio);
    any |= flags[i];
  }
  return any;
}

void measure(Chunk& c) {
  c.any = measure_arrays(c.count, c.got, c.hi, c.lo, c.radius, c.bound, c.last_place, c.lowest_bits,
                         c.exponent_mask, c.ratio, c.ulp, c.low, c.high, c.flags);
}

/// The greatest (or with Sign -1 the least) of the first count numbers, in lanes of their own.
template <int Sign>
double extreme(const double* values, std::size_t count) {
  double best[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) best[k] = values[k];
  for (std::size_t i = kLanes; i < count; i += kLanes) {
#pragma GCC unroll 1
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double value = values[i + k];
      best[k] = Sign * value > Sign * best[k] ? value : best[k];
    }
  }
  double last = best[0];
  for (std::size_t k = 1; k < kLanes; ++k) last = Sign * best[k] > Sign * last ? best[k] : last;
  return last;
}

void pad(Chunk& c, std::size_t padded) {
  for (std::size_t i = c.count; i < padded; ++i) {
    c.ratio[i] = c.ulp[i] = 0;
    c.low[i] = -__builtin_inf();
    c.high[i] = __builtin_inf();
  }
}

void find_bins(const Chunk& c, std::uint32_t* __restrict bins, std::size_t padded) {
  constexpr std::int32_t kFirst = (1023 + kLowestOctave) * kParts - 1;
  constexpr std::int32_t kMost = static_cast<std::int32_t>(kBins) - 1;
  for (std::size_t i = 0; i < padded; ++i) {
    const std::uint64_t before = static_cast<std::uint64_t>(bits_of(c.ratio[i])) - 1;
    const auto place = static_cast<std::int32_t>(before >> 47);  // 17 bits; of 0 they are all ones
    const std::int32_t bin = place - kFirst + 1;
    const std::int32_t inside = bin < 1 ? 1 : bin > kMost ? kMost : bin;
    bins[i] = static_cast<std::uint32_t>(place > 0xFFFF ? 0 : inside);
  }
}

/// Squares are rounded to 2^-80 and added as integers: the sum does not depend on the order.
void add_squares(const Chunk& c, ChunkSummary& s, std::size_t padded) {
  constexpr double kMagic = 0x1.8p52;  // its last place is 1: what is added is rounded to it
  const std::int64_t magic = bits_of(kMagic);
  std::int64_t high = 0;
  std::int64_t low = 0;
  for (std::size_t i = 0; i < padded; ++i) {
    const double ratio = c.ratio[i] < kLargestSquared ? c.ratio[i] : kLargestSquared;
    const double square = ratio * ratio * 0x1p32;
    const double whole = square + kMagic;
    const double rest = (square - (whole - kMagic)) * 0x1p48 + kMagic;
    high += bits_of(whole) - magic;
    low += bits_of(rest) - magic;
  }
  s.squares_high = high;
  s.squares_low = low;
}

void summarise(Chunk& c, ChunkSummary& s) {
  const std::size_t padded = (c.count + kLanes - 1) / kLanes * kLanes;
  pad(c, padded);
  s.max_ratio = extreme<1>(c.ratio, padded);
  s.max_ulp = extreme<1>(c.ulp, padded);
  s.highest_low = extreme<1>(c.low, padded);
  s.lowest_high = extreme<-1>(c.high, padded);
  find_bins(c, s.bins, padded);
  add_squares(c, s, padded);
}

}  // namespace
}  // namespace gradproof
