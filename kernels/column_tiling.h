// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include "simt/view.h"

/// The division of work in the kernels of kernels/device/columns/column_*.cuh, on which contracts,
/// workspaces and launches must agree.
namespace gradproof::columns {

/// Up to this height a tile of columns stays in shared memory between a BatchNorm's passes (163840
/// bytes at most, so that every device since sm_80 takes the same path). Taller matrices, and all
/// passes that need no statistics of the batch, are streamed in chunks of rows.
constexpr std::int64_t kResidentRows = 1024;
constexpr std::int64_t kResidentRowsOfDouble = 512;
constexpr std::int64_t kChunkRows = 512;
constexpr int kStreamLanes = 32;   ///< threads that share a column of a chunk
constexpr int kFinishLanes = 32;   ///< threads that share a column's partial results
constexpr int kSharedLanes = 256;  ///< threads that sum the gradient of a parameter of one number

constexpr int kFewLanes = 32;
constexpr int kManyLanes = 128;
/// The bytes of shared memory that the largest resident tile leaves for each lane of a column.
constexpr int kSlotBytes = 16;

template <class A>
constexpr std::int64_t resident_rows() {
  return std::is_same_v<A, double> ? kResidentRowsOfDouble : kResidentRows;
}

/// The number of threads that share a column of a resident tile.
constexpr int resident_lanes(std::int64_t rows) {
  return rows <= kFewLanes ? kFewLanes : kManyLanes;
}

/// The rows, split evenly into chunks; the first chunks are the longest.
struct Chunks {
  std::int64_t rows;
  std::int64_t count;
  SIMT_HOST_DEVICE constexpr std::int64_t size(std::int64_t chunk) const {
    return rows / count + (chunk < rows % count ? 1 : 0);
  }
  SIMT_HOST_DEVICE constexpr std::int64_t begin(std::int64_t chunk) const {
    const std::int64_t longer = rows % count;
    return chunk * (rows / count) + (chunk < longer ? chunk : longer);
  }
};

SIMT_HOST_DEVICE constexpr Chunks chunks_of(std::int64_t rows) {
  return {rows, (rows + kChunkRows - 1) / kChunkRows};
}

/// The workspace holds `terms` numbers for each column of each chunk, and for each whole column.
constexpr std::int64_t workspace_elements(std::int64_t rows, std::int64_t cols, int terms) {
  return terms * cols * (chunks_of(rows).count + 1);
}

}  // namespace gradproof::columns
