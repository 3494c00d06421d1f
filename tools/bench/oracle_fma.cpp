// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 and FMA, and only reached where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT fma
#include "tools/bench/reader_text.h"

namespace gradproof {

ReaderPair readers_fma(const Claim& claim, const CompiledPipeline& compiled) {
  return make_readers(claim, compiled);
}

}  // namespace gradproof
