// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "simt/view.h"

/// The layout of threads over rows, groups and channels in the kernels with a GroupNorm; their
/// contract follows from it. A unit is one row of a group; its width is the group's channels.
namespace gradproof {
namespace group {

constexpr int kQuad = 4;       ///< adjacent channels that a thread loads at once
constexpr int kHeldQuads = 2;  ///< quads that a thread holds in registers
constexpr int kHeld = kQuad * kHeldQuads;
constexpr int kThreads = 128;     ///< of a block
constexpr int kFinishLanes = 64;  ///< at most so many threads share a channel's partial sums
constexpr int kFinishChannels = 8;
constexpr int kSharedLanes = 256;  ///< threads that sum the gradient of a parameter of one number

/// Up to this width the lanes of a unit hold it in registers; wider units are read once more a sum.
constexpr std::int64_t kResidentWidth = std::int64_t{kThreads} * kHeld;

constexpr std::int64_t blocks_of(std::int64_t length, std::int64_t part) {
  return (length + part - 1) / part;
}

/// The number of threads that share a unit: a power of two, no more than are needed to hold it.
constexpr int lanes_of(std::int64_t width) {
  int lanes = 1;
  while (lanes < kThreads && std::int64_t{lanes} * kHeld < width) lanes *= 2;
  return lanes;
}

/// The rows, split evenly in chunks that one thread walks down; the first are the longest.
struct Chunks {
  std::int64_t rows, count;
  SIMT_HOST_DEVICE constexpr std::int64_t size(std::int64_t chunk) const {
    return rows / count + (chunk < rows % count ? 1 : 0);
  }
  SIMT_HOST_DEVICE constexpr std::int64_t begin(std::int64_t chunk) const {
    const std::int64_t longer = rows % count;
    return chunk * (rows / count) + (chunk < longer ? chunk : longer);
  }
};

constexpr std::int64_t clamped(std::int64_t value, std::int64_t low, std::int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/// Longer chunks read parameters less often, and in backward leave fewer partial sums; more chunks
/// keep more blocks busy.
constexpr Chunks forward_chunks(std::int64_t rows) {
  return {rows, blocks_of(rows, clamped(rows / 256, 1, 16))};
}
constexpr Chunks backward_chunks(std::int64_t rows) {
  return {rows, blocks_of(rows, clamped(rows / 64, 4, 64))};
}

/// The threads that share a channel's partial sums, a power of two, with some eight sums each.
constexpr int finish_lanes(std::int64_t chunks) {
  int lanes = 1;
  while (lanes < kFinishLanes && std::int64_t{lanes} * 8 < chunks) lanes *= 2;
  return lanes;
}

/// A block has (lanes, together * chunks_together) threads: the lanes of `together` neighbouring
/// groups, or of a part of one wide group, in each of some neighbouring chunks.
struct Tiling {
  Chunks chunks;
  std::int64_t groups, width;
  std::int64_t parts;  ///< tiles of a wide group, each of kResidentWidth channels; else 1
  std::int64_t tiles;  ///< of a row
  int lanes, together, chunks_together;

  constexpr bool resident() const { return parts == 1; }
  constexpr std::int64_t blocks() const { return tiles * blocks_of(chunks.count, chunks_together); }
};

constexpr Tiling tiling_of(const Chunks& chunks, std::int64_t cols, std::int64_t groups) {
  const std::int64_t width = cols / groups;
  const std::int64_t parts = blocks_of(width, kResidentWidth);
  const int lanes = lanes_of(width);
  const std::int64_t together = clamped(kThreads / lanes, 1, groups);
  const std::int64_t chunks_together =
      clamped(kThreads / (lanes * together), 1, chunks.count > 1 ? chunks.count : 1);
  return {chunks,
          groups,
          width,
          parts,
          parts * blocks_of(groups, together),
          lanes,
          static_cast<int>(together),
          static_cast<int>(chunks_together)};
}

/// The layout of backward's workspace, in numbers: `sums` partial sums for each chunk and column,
/// as many whole ones for each column, and the two sums of each unit of wide groups.
struct Scratch {
  std::int64_t chunks, cols, sums, units;
  bool vector = false;  ///< whether sums of whole quads may be written at once
  SIMT_HOST_DEVICE constexpr std::int64_t partial(std::int64_t sum, std::int64_t chunk) const {
    return (sum * chunks + chunk) * cols;
  }
  SIMT_HOST_DEVICE constexpr std::int64_t whole(std::int64_t sum) const {
    return partial(sums, 0) + sum * cols;
  }
  SIMT_HOST_DEVICE constexpr std::int64_t of_units() const { return whole(sums); }
  constexpr std::int64_t numbers() const { return of_units() + 2 * units; }
};

constexpr Scratch scratch_of(std::int64_t rows, std::int64_t cols, std::int64_t groups,
                             std::int64_t sums) {
  const bool wide = cols / groups > kResidentWidth;
  return {backward_chunks(rows).count, cols, sums, wide ? rows * groups : 0};
}

}  // namespace group
}  // namespace gradproof
