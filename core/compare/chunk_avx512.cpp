// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX512, and only reached where the CPU has it.
#include "core/compare/chunk_text.h"

namespace gradproof {

ChunkLoops chunk_loops_avx512() { return {measure, summarise}; }

}  // namespace gradproof
