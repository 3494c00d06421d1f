// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "core/tensor/read_numbers.h"
#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// Numbers from `first` on along the axis that blocks are cut from; of a graph in strips (strips.h)
/// those in one of them.
struct Block {
  std::int64_t first = 0;
  std::int64_t length = 0;
  std::int64_t whole = 0;  ///< extent of the axis
  std::int64_t strip = 0;
  std::int64_t strips = 1;
};

/// A value's elements in a block as lines of those that follow each other in the whole value: the
/// place of the first line, and how far it is from one line's first element to the next one's.
struct BlockLines {
  std::int64_t first = 0;
  std::int64_t stride = 0;
  LineCounts counts;
};

inline BlockLines lines_of(const PlanValue& value, const Block& block) {
  const std::int64_t strip = value.axes.empty() ? 0 : block.strip;  // one number is in every strip
  if (!value.sliced) return {strip * value.count, 0, {1, value.count}};
  const std::int64_t inner = value.inner;
  if (block.strips > 1)
    return {(block.first * block.strips + block.strip) * inner,
            block.strips * inner,
            {block.length, inner}};
  return {block.first * inner, block.whole * inner, {value.outer, block.length * inner}};
}

/// Calls visit(local, whole, count) for each line of a value's elements in a block, with the place
/// of the first in the block and in the whole value.
template <class Visit>
void each_run(const PlanValue& value, const Block& block, const Visit& visit) {
  const BlockLines lines = lines_of(value, block);
  for (std::int64_t line = 0; line < lines.counts.lines; ++line)
    visit(line * lines.counts.of_line, lines.first + line * lines.stride, lines.counts.of_line);
}

}  // namespace gradproof
