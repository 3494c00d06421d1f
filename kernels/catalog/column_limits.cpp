// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/families.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/catalog/size_levels.h"
#include "kernels/column_tiling.h"

namespace gradproof {
namespace {

// These are the columns of a block's tile: kResidentQuads, kFinishColumns and kStreamQuads of
// kernels/device/columns/column_launch.cuh, which only a .cu may include.
constexpr std::int64_t kResidentColumns = 16;
constexpr std::int64_t kStreamColumns = 32;

}  // namespace

std::vector<Factor> column_limits(const Graph& pipeline, DType dtype) {
  SizeLevels rows("rows");
  for (const std::int64_t few : {0, 1, 2}) rows.add(few);
  rows.add_sides(columns::kStreamLanes);  // one row a lane, and lanes that have two
  rows.add_sides(columns::kChunkRows);
  if (has_stage(pipeline, "batch_norm"))
    rows.add_sides(dtype == DType::f64 ? columns::kResidentRowsOfDouble : columns::kResidentRows);
  rows.add_large_sides(columns::kChunkRows * columns::kFinishLanes);
  if (dtype == DType::f32)
    rows.add_large(kOverGridY);  // the host lays out grids alike for all types

  SizeLevels cols("cols");
  for (const std::int64_t of_quad : {1, 4, 5}) cols.add(of_quad);  // cut off, whole, and both
  cols.add_sides(kResidentColumns);
  cols.add_sides(kStreamColumns);
  cols.add_sides(columns::kSharedLanes);  // as many threads have one column each
  if (dtype == DType::f32)
    for (const std::int64_t blocks : {kOverGridY, kOverGridY * kStreamColumns})
      cols.add_columns_over_grid(blocks);
  return {rows.factor(), cols.factor()};
}

}  // namespace gradproof
