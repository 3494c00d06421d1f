// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "oracles/graph/graph_claim.h"
#include "oracles/truth/stored_rounding.h"

namespace gradproof {

/// How each output and gradient of a claim is rounded to the type that it is stored in.
class TargetRoundings {
 public:
  explicit TargetRoundings(const GraphClaim& claim)
      : usual_(rounding_to(claim, claim.contract.storage)) {
    for (const auto& [name, type] : claim.contract.results)
      others_.emplace(name, rounding_to(claim, type));
  }

  const StoredRounding& of(std::string_view target) const {
    const auto found = others_.find(target);
    return found == others_.end() ? usual_ : found->second;
  }

 private:
  static StoredRounding rounding_to(const GraphClaim& claim, DType type) {
    return {stored_type_of(type, claim.contract.accumulation), claim.longest_chain(),
            claim.contract.accumulation};
  }

  StoredRounding usual_;
  std::map<std::string, StoredRounding, std::less<>> others_;
};

}  // namespace gradproof
