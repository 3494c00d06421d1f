// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512 F, DQ and VL, and only reached where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT avx512
#include "oracles/truth/fast_tier_text.h"

namespace gradproof {

std::unique_ptr<FastTier> fast_tier_avx512(const TierSetting& setting) {
  return make_tier(setting);
}

}  // namespace gradproof
