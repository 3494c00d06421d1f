// SPDX-License-Identifier: Apache-2.0
#include "oracles/fast_tier.h"

#include "oracles/fast_tier_text.h"

namespace gradproof {

std::unique_ptr<FastTier> fast_tier_baseline(const Claim& claim) {
  return std::make_unique<CertifiedTier>(claim);
}

std::unique_ptr<FastTier> fast_tier(const Claim& claim) {
#ifdef GRADPROOF_FAST_TIER_FMA
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return fast_tier_fma(claim);
#endif
  return fast_tier_baseline(claim);
}

}  // namespace gradproof
