// SPDX-License-Identifier: Apache-2.0
// The loops over a chunk, compiled once for each instruction set. Nothing here calls an inline
// function of a header: the linker might take another compilation's copy of it.
#include "core/compare/chunk.h"

namespace gradproof {
namespace {

constexpr std::size_t kLanes = 16;
constexpr double kLargest = 0x1.fffffffffffffp1023;
constexpr double kFar = 0x1p900;  ///< beyond it products with powers of two may overflow

inline std::int64_t bits_of(double value) { return __builtin_bit_cast(std::int64_t, value); }
inline double from_bits(std::int64_t bits) { return __builtin_bit_cast(double, bits); }

/// The flags of an element that is not finite, not far inside its bound, or has too coarse a truth.
/// Each reason has its own bit: the compiler makes vectors of selections, not of mixed conditions.
inline std::int64_t rare_flags(double got, double hi, double radius, double bound, double error,
                               double ratio) {
  const std::int64_t classes = __builtin_fabs(got) <= kLargest ? 0 : 1;
  const std::int64_t far = __builtin_fabs(hi) <= kFar ? 0 : Chunk::kFarTruth;
  const std::int64_t vacuous = bound <= kLargest ? 0 : Chunk::kNoBound;
  const std::int64_t wrong = error <= kFar ? 0 : 8;
  const std::int64_t coarse = radius <= 0.25 * bound ? 0 : 16;
  const std::int64_t near = ratio <= 0.5 ? 0 : 32;
  return classes | far | vacuous | wrong | coarse | near;
}

/// Measures elements in arrays that do not overlap, which only parameters can promise.
[[gnu::noinline]] std::int64_t measure_arrays(
    std::size_t count, const double* __restrict got, const double* __restrict hi,
    const double* __restrict lo, const double* __restrict radius, const double* __restrict bound,
    double last_place, std::int64_t lowest, std::int64_t mask, double* __restrict ratios,
    double* __restrict ulps, double* __restrict low, double* __restrict high,
    double* __restrict relative, std::int64_t* __restrict flags) {
  constexpr std::int64_t kInverse = std::int64_t{2046} << 52;  // 2^-e has the field 2046 - field
  const double most = mask == 0 ? __builtin_inf() : 2 * last_place;  // then no digit is right
  std::int64_t any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // got - hi is exact where it matters (Sterbenz); lo then adds the truth beyond double.
    const double error = __builtin_fabs((got[i] - hi[i]) - lo[i]);
    const double quotient = error / bound[i];
    const double ratio = error == 0 ? 0 : quotient;  // an exact result under a bound of 0 is right
    const std::int64_t field = bits_of(hi[i]) & mask;
    const double size = __builtin_fabs(hi[i]);
    const double share = bound[i] / size;
    const std::int64_t zero = size == 0 ? Chunk::kZeroTruth : 0;
    const std::int64_t passes = size <= bound[i] ? Chunk::kZeroPasses : 0;
    ratios[i] = ratio;
    const double ulp =
        (error * last_place) * from_bits(kInverse - (field > lowest ? field : lowest));
    ulps[i] = ulp < most ? ulp : most;
    low[i] = hi[i] - bound[i];
    high[i] = hi[i] + bound[i];
    relative[i] = size == 0 ? __builtin_inf() : share;
    flags[i] = zero | (size == 0 ? 0 : passes) |
               rare_flags(got[i], hi[i], radius[i], bound[i], error, ratio);
    any |= flags[i];
  }
  return any;
}

void measure(Chunk& c) {
  c.any = measure_arrays(c.count, c.got, c.hi, c.lo, c.radius, c.bound, c.last_place, c.lowest_bits,
                         c.exponent_mask, c.ratio, c.ulp, c.low, c.high, c.relative, c.flags);
}

/// The greatest (or with Sign -1 the least) of the first `count` numbers, found lane by lane.
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
    c.high[i] = c.relative[i] = __builtin_inf();
  }
}

template <int Lowest, int Highest>
void find_bins(const double* __restrict values, std::uint32_t* __restrict bins,
               std::size_t padded) {
  constexpr std::int32_t kFirst = (1023 + Lowest) * kParts - 1;
  constexpr std::int32_t kMost = (Highest - Lowest) * kParts + 2;
  for (std::size_t i = 0; i < padded; ++i) {
    const std::uint64_t before = static_cast<std::uint64_t>(bits_of(values[i])) - 1;
    const auto place = static_cast<std::int32_t>(before >> 47);  // 17 bits; of 0 they are all ones
    const std::int32_t bin = place - kFirst + 1;
    const std::int32_t inside = bin < 1 ? 1 : bin > kMost ? kMost : bin;
    bins[i] = static_cast<std::uint32_t>(place > 0xFFFF ? 0 : inside);
  }
}

/// The bits of the largest absolute value among numbers that are not infinite or NaN.
std::int64_t largest_size(const double* values, std::size_t count) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t size = bits_of(__builtin_fabs(values[i]));
    largest = size > largest ? size : largest;
  }
  return largest;
}

/// The highest window in whose units the square of the number does not round to 0.
int window_of(std::int64_t largest) {
  constexpr std::int64_t kFraction = (std::int64_t{1} << 52) - 1;
  constexpr double kRootOfHalf = 0x1.6a09e667f3bcdp-1;  // its square is just above 1/2
  constexpr int kFirst = 1022 + kLowestWindow * kWindowOctaves;
  const std::int64_t above = largest - (bits_of(kRootOfHalf) & kFraction);
  const int octaves = above < 0 ? -1 : static_cast<int>(above >> 52) - kFirst;
  return octaves < 0 ? kLowestWindow : octaves / kWindowOctaves + kLowestWindow;
}

/// Each square is rounded by itself, and to 0 in units of windows above its own: the sums do not
/// depend on whether a square came before the largest or after it.
ChunkSquares squares_of(const double* values, std::size_t count, std::int64_t largest) {
  constexpr double kMagic = 0x1.8p52;  // its last place is 1: what is added is rounded to it
  constexpr double kUnits = 0x1p48;
  const int window = window_of(largest);
  const double scale = from_bits(static_cast<std::int64_t>(1023 - window * kWindowOctaves) << 52);
  std::uint64_t high = 0;  // of the bits themselves: kMagic's are taken off together
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double scaled = values[i] * scale;
    const double square = scaled * scaled;
    const double whole = square + kMagic;
    const double rest = (square - (whole - kMagic)) * kUnits + kMagic;
    high += static_cast<std::uint64_t>(bits_of(whole));
    low += static_cast<std::uint64_t>(bits_of(rest));
  }
  const std::uint64_t magic = count * static_cast<std::uint64_t>(bits_of(kMagic));
  return {window, static_cast<std::int64_t>(high - magic), static_cast<std::int64_t>(low - magic)};
}

void add_ratio_squares(const Chunk& c, ChunkSummary& s) {
  if (s.max_ratio <= kLargestSquared) {
    s.ratio_squares = squares_of(c.ratio, c.count, bits_of(s.max_ratio));
    return;
  }
  double ratio[Chunk::kSize];
  for (std::size_t i = 0; i < c.count; ++i)
    ratio[i] = c.ratio[i] < kLargestSquared ? c.ratio[i] : kLargestSquared;
  s.ratio_squares = squares_of(ratio, c.count, bits_of(kLargestSquared));
}

void add_sizes(const double* truth, const double* bound, std::size_t count, ChunkSummary& s) {
  s.truth_squares = squares_of(truth, count, largest_size(truth, count));
  s.bound_squares = squares_of(bound, count, largest_size(bound, count));
}

/// Adds the squares, with 0 in place of both truth and bound where one of them is not finite.
void add_finite_sizes(const Chunk& c, ChunkSummary& s) {
  double truth[Chunk::kSize];
  double bound[Chunk::kSize];
  for (std::size_t i = 0; i < c.count; ++i) {
    const bool finite = __builtin_fabs(c.hi[i]) <= kLargest && c.bound[i] <= kLargest;
    truth[i] = finite ? c.hi[i] : 0;
    bound[i] = finite ? c.bound[i] : 0;
  }
  add_sizes(truth, bound, c.count, s);
}

std::int64_t count_flag(const Chunk& c, std::int64_t flag) {
  std::int64_t count = 0;
  if ((c.any & flag) == 0) return count;
  for (std::size_t i = 0; i < c.count; ++i) count += (c.flags[i] & flag) != 0 ? 1 : 0;
  return count;
}

void summarise(Chunk& c, ChunkSummary& s) {
  const std::size_t padded = (c.count + kLanes - 1) / kLanes * kLanes;
  pad(c, padded);
  s.max_ratio = extreme<1>(c.ratio, padded);
  s.max_ulp = extreme<1>(c.ulp, padded);
  s.highest_low = extreme<1>(c.low, padded);
  s.lowest_high = extreme<-1>(c.high, padded);
  s.least_relative = extreme<-1>(c.relative, padded);
  s.zeros = count_flag(c, Chunk::kZeroTruth);
  s.zero_passes = count_flag(c, Chunk::kZeroPasses);
  find_bins<kRatioBins.lowest, kRatioBins.highest>(c.ratio, s.ratio_bins, padded);
  find_bins<kRelativeBins.lowest, kRelativeBins.highest>(c.relative, s.relative_bins, padded);
  add_ratio_squares(c, s);
  if ((c.any & (Chunk::kFarTruth | Chunk::kNoBound)) == 0)
    add_sizes(c.hi, c.bound, c.count, s);
  else
    add_finite_sizes(c, s);
}

}  // namespace

template <>
ChunkLoops chunk_loops_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>() {
  return {measure, summarise};
}

}  // namespace gradproof
