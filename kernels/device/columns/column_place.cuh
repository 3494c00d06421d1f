// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/column_tiling.h"
#include "kernels/device/quad.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Blocks that a multiprocessor shall hold, for __launch_bounds__; a double takes two registers.
template <class A>
constexpr int blocks_at_once(int of_float) {
  return std::is_same_v<A, double> ? (of_float + 1) / 2 : of_float;
}

/// The place at which a thread works: threadIdx.x counts quads of the block's column tile,
/// threadIdx.y is the lane that walks the rows lane, lane + lanes, ... of these columns.
struct Place {
  int lane;
  int slot;  ///< the quad's first column in the tile
  Columns columns;
};

__device__ inline Place place_in(std::int64_t tile, std::int64_t cols) {
  const int slot = static_cast<int>(threadIdx.x) * kQuad;
  return {static_cast<int>(threadIdx.y), slot,
          columns_from(tile * blockDim.x * kQuad + slot, cols)};
}

/// The quads of the same columns in some matrices.
template <class S, int kInputs>
struct Row {
  Quad<S> of[kInputs];
};

template <int kCount, int kLanes, bool kWhole, int kInputs, class S>
__device__ void load_rows(Row<S, kInputs> (&loaded)[kCount], const Walk<const S> (&from)[kInputs]) {
  for (int i = 0; i < kCount; ++i)
    for (int m = 0; m < kInputs; ++m) loaded[i].of[m] = load<kWhole>(from[m], i * kLanes);
}

template <class T>
__device__ void advance(Walk<T>& rows, int by) {
  rows.to += by * rows.row_stride;
}

/// Calls visit(row, quads) for the rows lane, lane + kLanes, ... below `rows`, with the matrices'
/// quads of that row. Loads kBatch rows at once as long as there are so many, so that their loads
/// are in flight together.
template <int kLanes, int kBatch, bool kWhole, int kInputs, class S, class Visit>
__device__ void visit_rows(int lane, int rows, Walk<const S> (&from)[kInputs], const Visit& visit) {
  int row = lane;
  for (int m = 0; m < kInputs; ++m) advance(from[m], lane);
  const auto visit_batch = [&](auto count) {
    Row<S, kInputs> loaded[count.value];
    load_rows<count.value, kLanes, kWhole>(loaded, from);
    for (int m = 0; m < kInputs; ++m) advance(from[m], count.value * kLanes);
    for (int i = 0; i < count.value; ++i) visit(row + i * kLanes, loaded[i]);
    return count.value * kLanes;
  };
  while (row + (kBatch - 1) * kLanes < rows)
    row += visit_batch(std::integral_constant<int, kBatch>{});
  while (row < rows) row += visit_batch(std::integral_constant<int, 1>{});
}

/// Visits these rows and writes map(quads) to the same row of another matrix, if there is one.
template <int kLanes, int kBatch, bool kWhole, int kInputs, class S, class Map>
__device__ void map_rows(int lane, int rows, Walk<const S> (&from)[kInputs], Walk<S> to,
                         const Map& map) {
  const bool wanted = to.to != nullptr;
  if (wanted) advance(to, lane);
  visit_rows<kLanes, kBatch, kWhole>(lane, rows, from, [&](int, const auto& quads) {
    const auto value = map(quads);
    if (!wanted) return;
    store<kWhole>(to, 0, value);
    advance(to, kLanes);
  });
}

/// A block's part of a streamed pass: one column tile of one chunk of rows.
struct Part {
  Place at;
  std::int64_t chunk;
  std::int64_t begin;  ///< its first row
  int rows;
};

/// A pass that comes second goes from the last chunk to the first, because the cache still holds
/// the rows that were read last.
template <bool kFromLast>
__device__ Part part_of(std::int64_t rows, std::int64_t cols, std::int64_t tiles) {
  const columns::Chunks chunks = columns::chunks_of(rows);
  const std::int64_t turn = blockIdx.x / tiles;
  const std::int64_t chunk = kFromLast ? chunks.count - 1 - turn : turn;
  return {place_in(blockIdx.x % tiles, cols), chunk, chunks.begin(chunk),
          static_cast<int>(chunks.size(chunk))};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
