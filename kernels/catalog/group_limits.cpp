// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/catalog/families.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/catalog/size_levels.h"
#include "kernels/group_tiling.h"

namespace gradproof {
namespace {

/// The last number of rows, from `rows` on, before the value of `of_rows` changes.
template <class OfRows>
std::int64_t last_alike(std::int64_t rows, const OfRows& of_rows) {
  while (of_rows(rows + 1) == of_rows(rows)) ++rows;
  return rows;
}

Factor row_limits(DType dtype) {
  SizeLevels rows("rows");
  for (const std::int64_t few : {0, 1, 2}) rows.add(few);
  const auto chunks = [](std::int64_t n) { return group::backward_chunks(n).count; };
  rows.add_sides(last_alike(1, chunks));  // the first two chunks of backward
  // At the next limit two threads share a channel's partial sums; then chunks get longer.
  rows.add_sides(last_alike(1, [&](std::int64_t n) { return group::finish_lanes(chunks(n)); }));
  rows.add_sides(last_alike(1, [](std::int64_t n) {
    return (n - 1) / group::forward_chunks(n).count;  // 0 while each row is a chunk
  }));
  rows.add_large_sides(64 * group::kFinishLanes);  // the longest chunks of both
  if (dtype == DType::f32)
    rows.add_large(kOverGridY);  // the host lays out grids alike for all types
  return rows.factor();
}

/// The levels of channels and groups together, which describe a row.
class RowLevels {
 public:
  void add(std::int64_t width, std::int64_t groups) {
    const std::string cols = std::to_string(width * groups);
    const std::string count = std::to_string(groups);
    levels_.push_back({fmt::format("{}x{}", groups, width), {{"cols", cols}, {"groups", count}}});
  }
  /// Adds a large level as SizeLevels::add_columns_over_grid does, but with one row.
  void add_over_grid(std::int64_t width, std::int64_t groups) {
    add(width, groups);
    levels_.back().texts.push_back({"rows", "1"});
    levels_.back().texts.push_back({"op", "forward"});
    levels_.back().large = true;
    levels_.back().elements = kOverGridElements;
  }
  std::vector<Level> levels() const { return levels_; }

 private:
  std::vector<Level> levels_;
};

/// The groups by their width: a quad that is cut off, whole and with a tail; both sides of what one
/// lane, most lanes but for the last doubling, and a block hold; a wide group of whole quads; a
/// tile of groups that is filled in part, with half a block each and with one lane each. The last
/// level has more columns than a shared sum has threads.
Factor channel_limits(DType dtype) {
  using namespace group;
  static_assert(2 * (kThreads + 1) > kSharedLanes);
  constexpr std::int64_t kHalf = kResidentWidth / 2;
  RowLevels rows;
  rows.add(1, 1);
  rows.add(kQuad - 1, 1);
  rows.add(kQuad, 2);
  rows.add(kQuad + 1, 3);
  rows.add(kHeld, 1);
  rows.add(kHeld + 1, 3);
  rows.add(kHalf / 2 + 1, 3);
  rows.add(kHalf, 1);
  rows.add(kHalf + 1, 1);
  rows.add(kResidentWidth, 1);
  rows.add(kResidentWidth + 1, 1);
  rows.add(kResidentWidth + kQuad, 1);
  rows.add(2, kThreads + 1);
  if (dtype == DType::f32) {  // the host lays out grids alike for all types
    rows.add_over_grid(kOverGridY, 1);
    rows.add_over_grid(2, kOverGridY);
  }
  return {"channels", rows.levels(), {}, true};
}

}  // namespace

std::vector<Factor> group_limits(const Graph&, DType dtype) {
  return {row_limits(dtype), channel_limits(dtype)};
}

}  // namespace gradproof
