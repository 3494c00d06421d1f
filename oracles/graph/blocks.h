// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "core/compare/comparison.h"
#include "oracles/graph/plan.h"

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

/// Calls visit(local, whole, count) for the runs of a value's elements in a block: so many that
/// follow each other, with the place of the first in the block and in the whole value.
template <class Visit>
void each_run(const PlanValue& value, const std::string& cut, const Block& block,
              const Visit& visit) {
  if (!value.sliced) return visit(std::int64_t{0}, block.strip * value.count, value.count);
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  bool behind = false;
  for (std::size_t k = 0; k < value.axes.size(); ++k) {
    if (value.axes[k] == cut)
      behind = true;
    else
      (behind ? inner : outer) *= value.extents[k];
  }
  if (block.strips > 1) {
    for (std::int64_t k = 0; k < block.length; ++k)
      visit(k * inner, ((block.first + k) * block.strips + block.strip) * inner, inner);
    return;
  }
  const std::int64_t count = block.length * inner;
  for (std::int64_t o = 0; o < outer; ++o)
    visit(o * count, (o * block.whole + block.first) * inner, count);
}

/// The same by number along the axis, for comparisons: visit(local, run, count), `local` counting
/// the elements of the first number, then those of the second.
template <class Visit>
void each_run_by_number(const PlanValue& value, const Block& block, const Visit& visit) {
  if (!value.sliced) return visit(std::int64_t{0}, Run{block.strip * value.count, 1}, value.count);
  const std::int64_t inner = value.inner;
  const std::int64_t outer = value.outer;
  for (std::int64_t k = 0; k < block.length; ++k) {
    if (block.strips > 1) {
      const std::int64_t place = (block.first + k) * block.strips + block.strip;
      visit(k * inner, Run{place * inner, 1}, inner);
      continue;
    }
    const std::int64_t first = (block.first + k) * inner;
    if (inner == 1)
      visit(k * outer, Run{first, block.whole}, outer);
    else
      for (std::int64_t o = 0; o < outer; ++o)
        visit((k * outer + o) * inner, Run{o * block.whole * inner + first, 1}, inner);
  }
}

}  // namespace gradproof
