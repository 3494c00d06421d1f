// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512 F, DQ and VL, and only reached where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT avx512
#include "oracles/differences/evaluate/packed_losses_text.h"

namespace gradproof {

std::unique_ptr<PackedLosses> packed_losses_avx512(const Script& script,
                                                   AuditArithmetic arithmetic) {
  return make_packed_losses(script, arithmetic);
}

}  // namespace gradproof
