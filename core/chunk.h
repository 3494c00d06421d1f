// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gradproof {

/// Bins of error/bound: 0 has its own, then 2^-40 to 2^16 in 32 equal parts of each octave, each
/// with its upper edge; the second and the last take the rest. A bin is the exponent and the top
/// mantissa bits of the double before the ratio.
inline constexpr int kParts = 32;
inline constexpr int kLowestOctave = -40;
inline constexpr int kHighestOctave = 16;
inline constexpr std::size_t kBins = (kHighestOctave - kLowestOctave) * kParts + 3;

/// Larger ratios count as this in the mean square.
inline constexpr double kLargestSquared = 256;

/// A few elements measured at once by loops that the compiler turns into vectors.
struct Chunk {
  static constexpr std::size_t kSize = 256;
  static constexpr std::int64_t kRare = 63;  ///< any of these bits
  static constexpr std::int64_t kNotZero = 64;

  std::size_t count = 0;  ///< at most kSize
  const double* got = nullptr;
  const double* hi = nullptr;
  const double* lo = nullptr;
  const double* radius = nullptr;
  const double* bound = nullptr;
  double last_place = 1;           ///< 2^(p-1) of the dtype
  std::int64_t lowest_bits = 0;    ///< of the double 2^emin; 1 for integers
  std::int64_t exponent_mask = 0;  ///< of a double; 0 for integers, whose last place is 1

  /// What `measure` finds. Of an element that is flagged as rare only the flag is meant: it is to
  /// be examined on its own.
  double ratio[kSize];        ///< error/bound
  double ulp[kSize];          ///< error in units of the truth's last place
  double low[kSize];          ///< the least number that passes
  double high[kSize];         ///< the greatest
  std::int64_t flags[kSize];  ///< kNotZero: 0 would not pass
  std::int64_t any = 0;       ///< all flags together
};

/// Of a whole chunk. Sums of integers: the order does not matter.
struct ChunkSummary {
  double max_ratio = 0;
  double max_ulp = 0;
  double highest_low = 0;
  double lowest_high = 0;
  std::int64_t squares_high = 0;  ///< sum of squared ratios, in units of 2^-32
  std::int64_t squares_low = 0;   ///< the rest, in units of 2^-80
  std::uint32_t bins[Chunk::kSize];
};

/// The same text compiled twice or more: the results are the same bits on every CPU, since each
/// operation is IEEE's and none is fused.
struct ChunkLoops {
  void (*measure)(Chunk&);
  /// The chunk's arrays must have numbers in all places below count.
  void (*summarise)(Chunk&, ChunkSummary&);
};

ChunkLoops chunk_loops_baseline();
ChunkLoops chunk_loops_avx2();
ChunkLoops chunk_loops_avx512();

/// The widest that this CPU can run.
const ChunkLoops& chunk_loops();

/// The largest ratio that the bin takes.
double upper_edge(std::size_t bin);

}  // namespace gradproof
