// SPDX-License-Identifier: Apache-2.0
#include "core/compare/chunk.h"

#include "core/compare/chunk_text.h"

namespace gradproof {
namespace {

ChunkLoops widest() {
#ifdef GRADPROOF_CHUNK_AVX
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return chunk_loops_avx512();
  if (__builtin_cpu_supports("avx2")) return chunk_loops_avx2();
#endif
  return chunk_loops_baseline();
}

}  // namespace

ChunkLoops chunk_loops_baseline() { return {measure, summarise}; }

const ChunkLoops& chunk_loops() {
  static const ChunkLoops loops = widest();
  return loops;
}

double BinRange::upper_edge(std::size_t bin) const {
  if (bin == 0) return 0;
  if (bin == size() - 1) return __builtin_inf();
  const auto place = static_cast<std::int64_t>(bin) + (1023 + lowest) * kParts - 1;
  return from_bits(place << 47);
}

}  // namespace gradproof
