// SPDX-License-Identifier: Apache-2.0
#include "oracles/truth/fast_tier_text.h"

namespace gradproof {

FastTier::FastTier(const TierSetting& setting)
    : setting_(setting), truths_(setting.outputs.size()) {}
FastTier::~FastTier() = default;

std::unique_ptr<FastTier> fast_tier_baseline(const TierSetting& setting) {
  return make_tier(setting);
}

std::vector<TierKind> tier_kinds() {
  std::vector<TierKind> kinds{{"baseline", true, &fast_tier_baseline}};
#ifdef GRADPROOF_X86_TIERS
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  kinds.push_back({"fma", fma, &fast_tier_fma});
  const bool avx512 = fma && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  kinds.push_back({"avx512", avx512, &fast_tier_avx512});
#endif
  return kinds;
}

std::unique_ptr<FastTier> fast_tier(const TierSetting& setting) {
  static const TierKind best = [] {
    TierKind found{};
    for (const TierKind& kind : tier_kinds())
      if (kind.runs_here) found = kind;
    return found;
  }();
  return best.make(setting);
}

}  // namespace gradproof
