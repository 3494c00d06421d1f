// SPDX-License-Identifier: Apache-2.0
#include "properties/search/elites.h"

#include <algorithm>

namespace gradproof {

static constexpr std::size_t kKept = 4;  ///< for each tensor

void Elites::add(const std::string& tensor, double ratio, const Case& c) {
  std::vector<RatedCase>& kept = kept_[tensor];
  for (const RatedCase& one : kept)
    if (one.c == c) return;
  const auto place = std::find_if(kept.begin(), kept.end(),
                                  [&](const RatedCase& one) { return ratio >= one.ratio; });
  kept.insert(place, {ratio, c});
  if (kept.size() > kKept) kept.pop_back();
}

const std::vector<RatedCase>& Elites::of(const std::string& tensor) const {
  static const std::vector<RatedCase> kNone;
  const auto found = kept_.find(tensor);
  return found == kept_.end() ? kNone : found->second;
}

}  // namespace gradproof
