// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 and FMA, and only reached where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT fma
#include "oracles/differences/evaluate/packed_loss_text.h"

namespace gradproof {

std::unique_ptr<PackedLoss> packed_loss_fma(const CompiledPipeline& compiled,
                                            AuditArithmetic arithmetic) {
  return make_packed_loss(compiled, arithmetic);
}

}  // namespace gradproof
