// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 and FMA, and only reached where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT fma
#include "oracles/truth/fast_tier_text.h"

namespace gradproof {

std::unique_ptr<FastTier> fast_tier_fma(const TierSetting& setting) { return make_tier(setting); }

}  // namespace gradproof
