// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/instruction_set.h"

namespace gradproof {

/// Bins of numbers from 0 up: 0 has its own, then 2^lowest to 2^highest in 32 equal parts of each
/// octave, each with its upper edge; the second and the last take the rest. A bin is the exponent
/// and the top mantissa bits of the double before the number.
inline constexpr int kParts = 32;
struct BinRange {
  int lowest = 0;
  int highest = 0;

  constexpr std::size_t size() const {
    return static_cast<std::size_t>(highest - lowest) * kParts + 3;
  }
  /// The largest number that the bin takes.
  double upper_edge(std::size_t bin) const;
};
inline constexpr BinRange kRatioBins{-40, 16};    ///< of error/bound
inline constexpr BinRange kRelativeBins{-64, 8};  ///< of bound/|truth|

/// Larger ratios count as this one in the mean square.
inline constexpr double kLargestSquared = 256;

/// A few elements measured at once by loops that the compiler turns into vectors.
struct Chunk {
  static constexpr std::size_t kSize = 256;
  static constexpr std::int64_t kRare = 63;  ///< any of these bits
  static constexpr std::int64_t kFarTruth = 2;
  static constexpr std::int64_t kNoBound = 4;
  static constexpr std::int64_t kZeroTruth = 64;
  static constexpr std::int64_t kZeroPasses = 128;  ///< though the truth is not 0

  std::size_t count = 0;  ///< at most kSize
  const double* got = nullptr;
  const double* hi = nullptr;
  const double* lo = nullptr;
  const double* radius = nullptr;
  const double* bound = nullptr;
  double last_place = 1;           ///< 2^(p-1) of the dtype
  std::int64_t lowest_bits = 0;    ///< of the double 2^emin; 1 for integers
  std::int64_t exponent_mask = 0;  ///< of a double; 0 for integers, whose last place is 1

  /// The results of `measure`. For an element that is flagged as rare only the flag is valid: the
  /// element must be examined on its own.
  double ratio[kSize];        ///< error/bound
  double ulp[kSize];          ///< error in units of the truth's last place
  double low[kSize];          ///< the least number that passes
  double high[kSize];         ///< the greatest
  double relative[kSize];     ///< bound/|truth|; infinite where the truth is 0 or not finite
  std::int64_t flags[kSize];  ///< the bits above
  std::int64_t any = 0;       ///< all flags together
};

/// Squares of numbers below 2^(24 (window + 1)), each rounded to units of 2^(48 window), the rest
/// to 2^(48 (window - 1)): sums of integers, in which the order does not matter.
struct ChunkSquares {
  int window = 0;
  std::int64_t high = 0;
  std::int64_t low = 0;
};
inline constexpr int kWindowOctaves = 24;
inline constexpr int kLowestWindow = -42;  ///< numbers below 2^-1032 lose digits there

/// The summary of a whole chunk.
struct ChunkSummary {
  double max_ratio = 0;
  double max_ulp = 0;
  double highest_low = 0;
  double lowest_high = 0;
  double least_relative = 0;
  std::int64_t zeros = 0;        ///< flags kZeroTruth
  std::int64_t zero_passes = 0;  ///< flags kZeroPasses
  ChunkSquares ratio_squares;    ///< a ratio above kLargestSquared counts as that
  ChunkSquares truth_squares;    ///< of elements with a finite truth and a finite bound
  ChunkSquares bound_squares;    ///< of the same
  std::uint32_t ratio_bins[Chunk::kSize];
  std::uint32_t relative_bins[Chunk::kSize];
};

/// The loops, compiled for each instruction set. The results are the same bits on every CPU, since
/// each operation is IEEE's and none is fused.
struct ChunkLoops {
  void (*measure)(Chunk&);
  /// The chunk's arrays must have numbers in all places below `count`.
  void (*summarise)(Chunk&, ChunkSummary&);
};

/// Each compilation of chunk_loops.cpp defines the function of its instruction set.
template <InstructionSet set>
ChunkLoops chunk_loops_of();
std::vector<Compilation<ChunkLoops (*)()>> chunk_loop_compilations();

/// The loops for the widest instructions that this CPU can run.
const ChunkLoops& chunk_loops();

}  // namespace gradproof
