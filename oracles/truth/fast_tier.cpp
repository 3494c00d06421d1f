// SPDX-License-Identifier: Apache-2.0
#include "oracles/truth/fast_tier.h"

namespace gradproof {

FastTier::FastTier(const TierSetting& setting)
    : setting_(setting), truths_(setting.outputs.size()) {}
FastTier::~FastTier() = default;

std::vector<TierCompilation> tier_compilations() {
  return compilations_of([]<InstructionSet set>() { return &packed_tier<set>; });
}

std::unique_ptr<FastTier> fast_tier(const TierSetting& setting) {
  static const TierCompilation best = widest(tier_compilations());
  return best.make(setting);
}

}  // namespace gradproof
