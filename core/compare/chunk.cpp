// SPDX-License-Identifier: Apache-2.0
#include "core/compare/chunk.h"

#include <bit>
#include <limits>

namespace gradproof {

std::vector<Compilation<ChunkLoops (*)()>> chunk_loop_compilations() {
  return compilations_of([]<InstructionSet set>() { return &chunk_loops_of<set>; });
}

const ChunkLoops& chunk_loops() {
  static const ChunkLoops loops = widest(chunk_loop_compilations()).make();
  return loops;
}

double BinRange::upper_edge(std::size_t bin) const {
  if (bin == 0) return 0;
  if (bin == size() - 1) return std::numeric_limits<double>::infinity();
  const auto place = static_cast<std::int64_t>(bin) + (1023 + lowest) * kParts - 1;
  return std::bit_cast<double>(place << 47);
}

}  // namespace gradproof
