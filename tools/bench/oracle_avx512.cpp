// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512 F, DQ and VL, and only reached where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT avx512
#include "tools/bench/reader_text.h"

namespace gradproof {

ReaderPair readers_avx512(const Claim& claim, const CompiledPipeline& compiled) {
  return make_readers(claim, compiled);
}

}  // namespace gradproof
