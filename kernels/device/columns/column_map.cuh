// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/columns/column_arguments.cuh"
#include "kernels/device/columns/column_place.cuh"
#include "kernels/device/stages.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Computes y of stages that need no statistics, or whose statistics are known by now, with one
/// block for each column tile and chunk.
template <class Chain, class S, class P, class A>
__global__ void __launch_bounds__(256, blocks_at_once<A>(3))
    value_of_chunks(ColumnForward<S, P, A> a, std::int64_t tiles, bool vector) {
  constexpr int kLanes = columns::kStreamLanes;
  constexpr int kBatch = 4;
  const Part part = part_of<true>(a.rows, a.cols, tiles);
  const Columns& columns = part.at.columns;
  const Chain chain(a, columns);
  with_whole(vector && columns.inside == kQuad, [&](auto is_whole) {
    Walk<const S> from[] = {walk(a.x, part.begin, columns)};
    const Walk<S> to = walk(a.y, part.begin, columns);
    map_rows<kLanes, kBatch, is_whole.value>(
        part.at.lane, part.rows, from, to,
        [&](const auto& quads) { return chain.value(convert_quad<A>(quads.of[0])); });
  });
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
